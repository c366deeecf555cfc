import ObjectModel

/// Field paths in slot order, without repeats.
package struct SlotList {
  package private(set) var paths: [String] = []
  /// Paths of fields that a record source must have.
  private(set) var required: Set<String> = []
  /// Where the pipeline file names a path first.
  private(set) var positions: [String: FilePosition] = [:]
  /// Whether those that are asked for now may be missing.
  var isOptional = false
  /// Where the pipeline file names those that are asked for now.
  var position: FilePosition?
  private var slots: [String: Int] = [:]

  /// A list without slots.
  package init() {}

  package mutating func slot(of path: String) -> Int {
    if !isOptional, required.insert(path).inserted { positions[path] = position }
    if let slot = slots[path] { return slot }
    let slot = paths.count
    paths.append(path)
    slots[path] = slot
    return slot
  }
}

/// Stands for a record without fields, for constants.
struct NoFields: FieldAccess {
  func value(slot: Int) -> RecordExpressionValue { .absent }
}

extension AttributeType {
  /// Whether it is one of the three integers.
  package var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
}

extension Relationship {
  /// Whether every object needs a destination: a stored to-one relationship that is not optional.
  package var requiresDestination: Bool { !isToMany && !definition.isOptional && !definition.isTransient }
}

extension AttributeDefinition {
  /// The same attribute without validation: a key that no object can have is just not found.
  var withoutLimits: AttributeDefinition {
    var copy = self
    copy.minimumValue = .null
    copy.maximumValue = .null
    copy.regularExpression = nil
    copy.isOptional = true
    return copy
  }
}
