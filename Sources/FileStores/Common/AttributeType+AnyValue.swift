import ObjectModel

extension AttributeType {
  /// Whether values of any kind may stand in attributes of the type.
  var holdsAnyValue: Bool { self == .undefined || self == .objectID }
}
