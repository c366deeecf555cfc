extension RecordExpression.Node {
  /// The node and all below it.
  package var withOperands: [Self] {
    switch self {
    case .field, .constant: [self]
    case .call(_, let arguments): [self] + arguments.flatMap(\.withOperands)
    case .unary(_, let operand): [self] + operand.withOperands
    case .binary(_, let left, let right): [self] + left.withOperands + right.withOperands
    case .conditional(let test, let yes, let no):
      [self] + test.withOperands + yes.withOperands + no.withOperands
    }
  }

  /// The name of the lookup that the node itself looks into.
  package var lookupName: String? {
    guard case .call(.lookup, let arguments) = self, case .constant(.string(let name))? = arguments.first else {
      return nil
    }
    return name
  }
}
