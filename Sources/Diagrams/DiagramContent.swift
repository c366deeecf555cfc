import ObjectModel

/// The content of a diagram without its layout: boxes with rows, and lines between rows.
struct DiagramContent: Sendable {
  /// A line of text in a box.
  struct Row: Sendable {
    enum Kind: Sendable {
      case attribute, relationship
    }
    var kind: Kind
    var name: String
    /// Such as `String?` or `[Book]`.
    var type: String
    /// How deep the row is inside composite attributes.
    var depth = 0
    /// Whether the property alone is a uniqueness constraint.
    var isUnique = false
    /// Further remarks.
    var notes: [String] = []
  }

  /// An entity.
  struct Box: Sendable {
    var name: String
    var isAbstract: Bool
    var rowCount: Int?
    var rows: [Row]
  }

  /// How many objects of an end's entity belong to one of the other end.
  enum Count: Sendable {
    case zeroOrOne, exactlyOne, zeroOrMore, oneOrMore

    init(_ relationship: RelationshipDefinition) {
      let isRequired = relationship.isMandatory
      self = relationship.isToMany ? (isRequired ? .oneOrMore : .zeroOrMore) : (isRequired ? .exactlyOne : .zeroOrOne)
    }
  }

  /// One end of a line: a row of a box, or the box's heading.
  struct End: Sendable {
    var box: Int
    var row: Int?
    /// Nil where no relationship says how many.
    var count: Count?
  }

  /// A relationship with its inverse, or a sub-entity with its parent.
  struct Line: Sendable {
    enum Kind: Sendable {
      /// From the parent to the sub-entity.
      case inheritance
      case relationship
    }
    var kind: Kind
    /// The side that is drawn to the left where nothing speaks against it: the parent, or the one of one-to-many.
    var from: End
    var to: End
    /// The relationships of the line, such as `Author.books, Book.author`.
    var label: String
  }

  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []

  init(_ model: ManagedObjectModel, rowCounts: [String: Int]) {
    let entities = model.entities
    boxes = entities.map { Self.box($0, rowCount: rowCounts[$0.name]) }
    // Rows are looked up by name; attributes and relationships of an entity share one space of names.
    let rows = boxes.map { box in
      Dictionary(
        box.rows.enumerated().filter { $0.element.depth == 0 }.map { ($0.element.name, $0.offset) },
        uniquingKeysWith: { first, _ in first })
    }
    for entity in entities {
      if let parent = entity.superentity {
        lines.append(
          Line(
            kind: .inheritance, from: End(box: parent.index), to: End(box: entity.index),
            label: "\(entity.name) is a \(parent.name)"))
      }
    }
    var drawn: Set<String> = []
    for entity in entities {
      for description in Self.sorted(entity.definition.relationships) {
        guard let relationship = entity.relationship(description.name),
          !drawn.contains("\(entity.name).\(description.name)")
        else { continue }
        drawn.insert("\(entity.name).\(description.name)")
        var near = End(box: entity.index, row: rows[entity.index][description.name])
        var far = End(box: relationship.destination.index, count: Count(description))
        var label = "\(entity.name).\(description.name)"
        if let inverse = relationship.inverse {
          near.count = Count(inverse.definition)
          if !relationship.isOwnInverse {
            let declaring = inverse.declaringEntity
            far.box = declaring.index
            far.row = rows[declaring.index][inverse.name]
            label += ", \(declaring.name).\(inverse.name)"
            drawn.insert("\(declaring.name).\(inverse.name)")
          }
        }
        let isManyToOne = !description.isToMany && (relationship.inverse?.isToMany ?? true)
        lines.append(
          Line(
            kind: .relationship, from: isManyToOne ? far : near, to: isManyToOne ? near : far, label: label))
      }
    }
  }

  private static func sorted(_ relationships: [RelationshipDefinition]) -> [RelationshipDefinition] {
    relationships.sorted { $0.name.precedesByCodePoint($1.name) }
  }

  private static func box(_ entity: Entity, rowCount: Int?) -> Box {
    let own = entity.definition
    let unique = Set(own.uniquenessConstraints.filter { $0.count == 1 }.joined())
    var rows: [Row] = []
    for attribute in own.attributes.sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
      add(attribute, to: &rows, isUnique: unique.contains(attribute.name), depth: 0)
    }
    for relationship in sorted(own.relationships) {
      var notes: [String] = []
      if relationship.isOrdered { notes.append("ordered") }
      if relationship.isTransient { notes.append("transient") }
      let destination = relationship.destinationEntityName
      let isOptional = relationship.isOptional && !relationship.isToMany
      rows.append(
        Row(
          kind: .relationship, name: relationship.name,
          type: relationship.isToMany ? "[\(destination)]" : destination + (isOptional ? "?" : ""),
          isUnique: unique.contains(relationship.name), notes: notes))
    }
    return Box(name: entity.name, isAbstract: entity.isAbstract, rowCount: rowCount, rows: rows)
  }

  private static func add(_ attribute: AttributeDefinition, to rows: inout [Row], isUnique: Bool, depth: Int) {
    var notes: [String] = []
    if let derivation = attribute.derivation { notes.append("= \(derivation.expression)") }
    if attribute.isTransient { notes.append("transient") }
    let type = attribute.composite?.name ?? attribute.type.name
    rows.append(
      Row(
        kind: .attribute, name: attribute.name, type: type + (attribute.isOptional ? "?" : ""), depth: depth,
        isUnique: isUnique, notes: notes))
    for element in (attribute.composite?.elements ?? []).sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
      add(element, to: &rows, isUnique: false, depth: depth + 1)
    }
  }
}
