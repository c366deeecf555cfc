extension PredicateParser {
  mutating func comparison() throws(PredicateFormatError) -> FetchPredicate {
    var modifier = FetchPredicate.Comparison.Modifier.direct
    var isNone = false
    switch nextWord {
    case "ANY", "SOME": modifier = .any
    case "ALL": modifier = .all
    case "NONE":
      modifier = .any
      isNone = true
    default: break
    }
    if modifier != .direct, case .word(let name, _) = next.kind {
      advance()
      if case .sign(let sign) = next.kind, Self.operatorSigns[sign] != nil {
        throw unexpected("a value or a property", hint: "write #\(name) for a property of that name")
      }
    }
    let left = try expression()
    let leftHeight = height
    let comparisonOperator = try self.comparisonOperator(after: left)
    let options = try self.options()
    let start = next.column
    let right = comparisonOperator == .isIn ? try elements() : try expression()
    // The weight includes what is written around an operand, so that the written text can be read again.
    try nest(beside: leftHeight, weight: 3)
    if comparisonOperator == .between, case .aggregate(let bounds) = right, bounds.count != 2 {
      throw failure(.operandCount, "BETWEEN takes two bounds, not \(bounds.count)", at: start)
    }
    let result = FetchPredicate.compare(
      FetchPredicate.Comparison(left, comparisonOperator, right, modifier: modifier, options: options))
    return isNone ? .not(result) : result
  }

  /// What stands after IN: one constant in parentheses is a list of one.
  private mutating func elements() throws(PredicateFormatError) -> FetchExpression {
    let closing = next.kind == .sign("(") ? closings[position] : nil
    let elements = try expression()
    guard let closing, position == closing + 1 else { return elements }
    switch elements {
    case .constant, .object:
      try nest()
      return .aggregate([elements])
    default: return elements
    }
  }

  private static let operatorSigns: [String: FetchPredicate.Comparison.Operator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, "=<": .lessOrEqual,
    ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]
  private static let operatorWords: [String: FetchPredicate.Comparison.Operator] = [
    "BETWEEN": .between, "IN": .isIn, "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith,
    "LIKE": .like, "MATCHES": .matches,
  ]

  private mutating func comparisonOperator(
    after left: FetchExpression
  ) throws(PredicateFormatError) -> FetchPredicate.Comparison.Operator {
    if case .sign(let sign) = next.kind, let found = Self.operatorSigns[sign] {
      advance()
      return found
    }
    if let word = nextWord, let found = Self.operatorWords[word] {
      advance()
      return found
    }
    if nextWord == "UTI" {
      throw failure(
        .unknownName, "UTI-CONFORMS-TO and UTI-EQUALS are not supported outside of Apple's systems",
        hint: "compare the identifiers as text")
    }
    if nextWord == "NOT" { throw unexpected("a comparison", hint: "write NOT before the whole comparison") }
    if nextWord == "IS" {
      let follower = if case .word(let word, _) = tokens[position + 1].kind { word.uppercased() } else { "" }
      let isNegated = follower == "NOT"
      throw unexpected("a comparison such as ==", hint: "write \(left) \(isNegated ? "!=" : "==") nil")
    }
    throw unexpected(
      "a comparison such as ==", hint: "a property by itself is no predicate; compare it: \(left) == YES")
  }

  private mutating func options() throws(PredicateFormatError) -> FetchPredicate.Comparison.Options {
    var options: FetchPredicate.Comparison.Options = []
    guard skip(sign: "[") else { return options }
    guard case .word(let letters, _) = next.kind else { throw unexpected("options such as [cd]") }
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      case "l": options.insert(.localized)
      default:
        throw failure(.unknownName, "\"\(letter)\" is no option of a comparison", hint: "use c, d, n and l")
      }
    }
    advance()
    try expect("]")
    return options
  }
}
