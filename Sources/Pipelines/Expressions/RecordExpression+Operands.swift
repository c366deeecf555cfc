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

  /// Whether the value is a list: of `words()`, or of `split()` without a number.
  package var yieldsList: Bool {
    switch self {
    case .call(.words, _): true
    case .call(.split, let arguments): arguments.count == 2
    case .call(.coalesce, let arguments): arguments.contains(where: \.yieldsList)
    case .binary(.coalesce, let left, let right): left.yieldsList || right.yieldsList
    case .conditional(_, let yes, let no): yes.yieldsList || no.yieldsList
    default: false
    }
  }

  /// Whether a list stands where only a single value may.
  /// - Parameter isTaken: whether the node's own value may be a list.
  func misplacesList(isTaken: Bool) -> Bool {
    switch self {
    case .field, .constant: false
    case .call(.coalesce, let arguments): arguments.contains { $0.misplacesList(isTaken: isTaken) }
    case .call(_, let arguments):
      yieldsList && !isTaken
        || arguments.contains { $0.misplacesList(isTaken: false) }
    case .unary(_, let operand): operand.misplacesList(isTaken: false)
    case .binary(.coalesce, let left, let right):
      left.misplacesList(isTaken: isTaken) || right.misplacesList(isTaken: isTaken)
    case .binary(_, let left, let right): left.misplacesList(isTaken: false) || right.misplacesList(isTaken: false)
    case .conditional(let test, let yes, let no):
      test.misplacesList(isTaken: false) || yes.misplacesList(isTaken: isTaken) || no.misplacesList(isTaken: isTaken)
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
