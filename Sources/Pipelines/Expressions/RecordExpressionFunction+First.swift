extension RecordExpression.Function {
  /// The message for an argument that is no field.
  static let firstWantsField = "first() takes a field, whose array it looks into"
}

extension RecordExpressionFailure {
  /// The first element of an array is no single value.
  package static func structuredElement() -> RecordExpressionFailure {
    RecordExpressionFailure(
      code: "value.structured", message: "first() found a JSON object or array, and one value is expected",
      hint: "name what is inside with a path, such as categories.0.name, where 0 is the first element")
  }
}

extension RecordExpression.Node {
  /// Whether first() is in it.
  var takesFirst: Bool {
    withOperands.contains { node in
      if case .call(.first, _) = node { return true }
      return false
    }
  }
}
