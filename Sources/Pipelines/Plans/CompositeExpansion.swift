import ObjectModel
import SeedFormats

/// A map in which every entry of a composite attribute is taken apart into entries of its elements.
///
/// `address: { from: addr, map: { city: town } }` becomes `address.city: addr.town`, and `address: addr` an entry for
/// every element. Where the elements come out of one object of the record, that object is kept, so that its being null,
/// or no object at all, is not lost.
struct CompositeExpansion {
  /// An object of the record that the elements of a composite are read from.
  struct Object {
    var property: String
    var path: String
    var isOptional: Bool
    /// Whether records need not have the object.
    var mayBeAbsent = false
  }

  struct Problem {
    var code: String
    var message: String
    var hint: String?
    var position: FilePosition
  }

  private(set) var entries: [MapEntry] = []
  private(set) var objects: [Object] = []
  /// Elements that a null clears with the whole of an optional composite, so that mandatory ones may be null.
  private(set) var cleared: Set<String> = []
  private(set) var problems: [Problem] = []
  private let entity: Entity
  private let readsJSON: Bool

  /// - Parameter readsJSON: whether fields can hold objects.
  init(_ map: [MapEntry], of entity: Entity, readsJSON: Bool) {
    self.entity = entity
    self.readsJSON = readsJSON
    for entry in map { add(entry, as: entry.property, inside: "") }
  }

  private mutating func add(
    _ entry: MapEntry, as property: String, inside path: String, mayBeAbsent: Bool = false
  ) {
    guard let attribute = composite(at: property) else {
      var entry = entry
      entry.property = property
      if case .attribute(var mapped) = entry.value {
        if !path.isEmpty { mapped.expression = mapped.expression.inside(path) }
        mapped.isOptional = mapped.isOptional || mayBeAbsent
        entry.value = .attribute(mapped)
      }
      return entries.append(entry)
    }
    switch entry.value {
    case .nested(var nested):
      nested.isOptional = nested.isOptional || mayBeAbsent
      add(nested, attribute, as: property, inside: path, at: entry.position)
    case .attribute(var mapped) where mapped.defaultValue == nil:
      mapped.isOptional = mapped.isOptional || mayBeAbsent
      switch mapped.expression.root {
      case .constant(.null): addElements(of: attribute, property, mapped, path: nil, at: entry.position)
      case .field(let field) where readsJSON:
        addElements(of: attribute, property, mapped, path: Self.joined(path, field), at: entry.position)
      default: refuse(attribute, property, at: entry.position)
      }
    case .attribute, .reference: refuse(attribute, property, at: entry.position)
    }
  }

  private mutating func add(
    _ nested: MappedObjects, _ attribute: AttributeDefinition, as property: String, inside path: String,
    at position: FilePosition
  ) {
    if nested.entity != nil || !nested.match.isEmpty {
      let field = nested.entity != nil ? "entity" : "match"
      problems.append(
        Problem(
          code: "composite-form",
          message: "\(entity.name).\(property) is a composite attribute: it has no \"\(field)\"",
          hint: "remove \(field):", position: nested.fieldPositions[field] ?? position))
    }
    let inner = Self.joined(path, nested.from)
    if !nested.from.isEmpty {
      if !readsJSON {
        problems.append(
          Problem(
            code: "nested-in-csv", message: "\(entity.name).\(property): CSV fields hold no nested objects",
            hint: "remove from:, and map the elements to columns", position: nested.fieldPositions["from"] ?? position))
      }
      objects.append(
        Object(
          property: property, path: inner, isOptional: attribute.isOptional, mayBeAbsent: nested.isOptional))
    }
    for entry in nested.map {
      add(entry, as: property + "." + entry.property, inside: inner, mayBeAbsent: nested.isOptional)
    }
  }

  /// An entry for every stored element, nested composites gone into.
  /// - Parameters:
  ///   - path: of the object that they come from; nil: each has the value of the whole, which is null.
  ///   - isCleared: whether an optional composite around this one is null with it.
  private mutating func addElements(
    of attribute: AttributeDefinition, _ property: String, _ mapped: MappedAttribute, path: String?,
    isCleared: Bool = false, at position: FilePosition
  ) {
    let isCleared = isCleared || path == nil && attribute.isOptional
    if let path {
      objects.append(
        Object(
          property: property, path: path, isOptional: attribute.isOptional, mayBeAbsent: mapped.isOptional))
    }
    for element in attribute.composite?.elements ?? [] where !element.isTransient {
      let name = property + "." + element.name
      let inner = path.map { Self.joined($0, element.name) }
      if element.composite != nil {
        addElements(of: element, name, mapped, path: inner, isCleared: isCleared, at: position)
        continue
      }
      var mapped = mapped
      if let inner {
        mapped.expression = RecordExpression(source: inner, root: .field(inner))
        // The pipeline names the object alone.
        mapped.isOptional = true
      }
      if isCleared { cleared.insert(name) }
      entries.append(MapEntry(property: name, value: .attribute(mapped), position: position))
    }
  }

  private mutating func refuse(_ attribute: AttributeDefinition, _ property: String, at position: FilePosition) {
    let elements = StoredAttribute.leaves(of: attribute).map {
      ([property] + $0.names.dropFirst()).joined(separator: ".")
    }
    problems.append(
      Problem(
        code: "composite", message: "\(entity.name).\(property) is a composite attribute, not a single value",
        hint: Suggestion.list("map its elements", elements), position: position))
  }

  private func composite(at property: String) -> AttributeDefinition? {
    let names = property.split(separator: ".").map(String.init)
    guard let first = names.first, let attribute = entity.attribute(first), !attribute.isTransient,
      let found = attribute.element(at: names.dropFirst()), found.composite != nil, !found.isTransient
    else { return nil }
    return found
  }

  /// The path of a field inside an object, both as fields are written.
  static func joined(_ outer: String, _ inner: String) -> String {
    if outer.isEmpty || inner.isEmpty { return outer + inner }
    guard outer.hasPrefix("/") || inner.hasPrefix("/") else { return outer + "." + inner }
    return pointer(outer) + pointer(inner)
  }

  private static func pointer(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    return path.split(separator: ".", omittingEmptySubsequences: false)
      .map { "/" + JSONPointer.escaped(String($0)) }.joined()
  }
}

extension RecordExpression {
  /// The same expression over the fields of an object of the record.
  func inside(_ path: String) -> RecordExpression { RecordExpression(source: source, root: root.inside(path)) }
}

extension RecordExpression.Node {
  fileprivate func inside(_ path: String) -> Self {
    switch self {
    case .field(let field): .field(CompositeExpansion.joined(path, field))
    case .constant: self
    case .call(let function, let arguments): .call(function, arguments.map { $0.inside(path) })
    case .unary(let sign, let operand): .unary(sign, operand.inside(path))
    case .binary(let sign, let left, let right): .binary(sign, left.inside(path), right.inside(path))
    case .conditional(let test, let yes, let no):
      .conditional(test.inside(path), yes.inside(path), no.inside(path))
    }
  }
}
