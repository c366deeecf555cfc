import ObjectModel

// How the rows of an entity lie in the selected columns.
extension SnapshotReader {
  /// How an attribute's cell is read.
  enum Form {
    case integer, boolean, real, date, string
    /// The attribute is not stored.
    case missing
    /// The cell is converted by `ValueCoding`, with the attribute's description.
    case converted
    /// The value is made from the columns of its elements.
    case composite
  }

  /// Where the stored elements of a composite lie.
  indirect enum Element {
    case leaf(AttributeDefinition, column: Int32)
    case nested([(name: String, element: Element)])
  }

  struct Attribute {
    var form: Form
    var column: Int32
  }

  struct ToOne {
    /// The column of the destination's primary key; negative for a to-many relationship.
    var key: Int32
    /// The column of the destination's entity number; negative when the destination has no sub-entities.
    var number: Int32
  }

  /// How one concrete entity's properties lie in the selected columns.
  final class Plan {
    let entity: Entity
    /// The position among the kinds of the blocks.
    let kind: Int
    let attributes: [Attribute]
    let descriptions: [AttributeDefinition]
    /// The composites by the positions of their attributes; nil for other attributes.
    let composites: [Element?]
    let toOne: [ToOne]
    let destinations: [Entity]
    let destinationIndexes: [Int]

    init(entity: Entity, kind: Int, layout: StoreLayout, place: (String) -> Int32) {
      self.entity = entity
      self.kind = kind
      descriptions = entity.attributes
      composites = descriptions.map { attribute in
        if attribute.isTransient || attribute.composite == nil { return nil }
        return Plan.element(attribute, [attribute.name], entity, layout, place)
      }
      attributes = descriptions.map { attribute in
        if attribute.composite != nil, !attribute.isTransient { return Attribute(form: .composite, column: -1) }
        guard !attribute.isTransient, let column = layout.column(for: attribute.name, of: entity) else {
          return Attribute(form: .missing, column: -1)
        }
        return Attribute(form: Plan.form(of: attribute), column: place(column.name))
      }
      let relationships = entity.relationships
      destinations = relationships.map(\.destination)
      destinationIndexes = destinations.map(\.index)
      toOne = relationships.map { relationship in
        guard !relationship.isToMany, let key = layout.foreignKeyColumn(of: relationship) else {
          return ToOne(key: -1, number: -1)
        }
        return ToOne(key: place(key.name), number: layout.entityColumn(of: relationship).map { place($0.name) } ?? -1)
      }
    }

    private static func element(
      _ attribute: AttributeDefinition, _ path: [String], _ entity: Entity, _ layout: StoreLayout,
      _ place: (String) -> Int32
    ) -> Element? {
      guard let composite = attribute.composite else {
        return layout.column(for: path.joined(separator: "."), of: entity).map {
          .leaf(attribute, column: place($0.name))
        }
      }
      return .nested(
        composite.elements.filter { !$0.isTransient }.compactMap { inner in
          element(inner, path + [inner.name], entity, layout, place).map { (inner.name, $0) }
        })
    }

    private static func form(of attribute: AttributeDefinition) -> Form {
      switch attribute.type {
      case .integer16, .integer32, .integer64: .integer
      case .boolean: .boolean
      case .double, .float: .real
      case .date: .date
      case .string: .string
      default: .converted
      }
    }
  }
}
