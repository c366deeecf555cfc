import ObjectModel

extension PredicateParser {
  /// `name:with:(operands)` or `name(operands)`.
  mutating func function() throws(PredicateFormatError) -> FetchExpression {
    try enter(1)
    defer { depth -= 1 }
    let column = next.column
    var name = ""
    while case .word(let word, isEscaped: false) = next.kind {
      name += word
      advance()
      if skip(sign: ":") { name += ":" } else { break }
    }
    try expect("(")
    let start = next.column
    let operands = try list(until: ")")
    try nest()
    switch name {
    case "castObject:toType:":
      guard operands.count == 2, case .constant(.string(let type)) = operands[1],
        let type = FetchExpression.CastType(rawValue: type)
      else { throw failure(.operandCount, "castObject:toType: takes a value and the name of a type", at: start) }
      return .cast(operands[0], type)
    case "objectFrom:withIndex:":
      if operands.count != 2 { throw wrongCount(name, 2, operands.count, at: start) }
      return .element(of: operands[0], .at(operands[1]))
    case "random", "random:", "randomn:":
      throw failure(.unknownName, "\(name) is not supported outside of Apple's systems", at: column)
    default: break
    }
    guard let function = FetchExpression.Function(rawValue: name) ?? FetchExpression.Function(rawValue: name + ":")
    else {
      throw failure(
        .unknownName, "there is no function \(name)", at: column, hint: Self.suggestion(for: name))
    }
    if operands.count != function.operandCount {
      throw wrongCount(function.rawValue, function.operandCount, operands.count, at: start)
    }
    return .function(function, operands)
  }

  private func wrongCount(_ name: String, _ wanted: Int, _ found: Int, at column: Int) -> PredicateFormatError {
    failure(.operandCount, "\(name) takes \(wanted) operand\(wanted == 1 ? "" : "s"), not \(found)", at: column)
  }

  private static func suggestion(for name: String) -> String {
    let known = FetchExpression.Function.allCases.map(\.rawValue)
    let start = name.prefix(3).lowercased()
    let near = known.filter { $0.lowercased().hasPrefix(start) }
    return (near.isEmpty ? "known are " : "did you mean ") + (near.isEmpty ? known : near).joined(separator: ", ")
  }

  // MARK: - Methods

  /// `FUNCTION(receiver, "selector:", operands)`: what a method of an Objective-C value would give.
  mutating func method() throws(PredicateFormatError) -> FetchExpression {
    try enter(1)
    defer { depth -= 1 }
    advance()
    try expect("(")
    let receiver = try expression()
    var greatest = height
    try expect(",")
    let token = next
    guard case .constant(.string(let selector)) = try operand() else {
      throw failure(.syntax, "\(token.shown) stands where a selector belongs", at: token.column)
    }
    var operands = [receiver]
    while skip(sign: ",") {
      operands.append(try expression())
      greatest = max(greatest, height)
    }
    try expect(")")
    if calls != nil, CallingExpression.isCall(of: receiver, selector) {
      return try call(selector, operands, at: token.column)
    }
    // Some methods become as much as a function of a cast, compared in a conditional expression.
    try nest(beside: greatest + 10)
    let known = FetchExpression.Function(rawValue: selector).flatMap { $0.operandCount > 0 ? $0 : nil }
    let count = known?.operandCount ?? selector.count { $0 == ":" } + 1
    if operands.count != count {
      throw failure(
        .operandCount, "\"\(selector)\" takes \(count - 1) operands, not \(operands.count - 1)", at: token.column)
    }
    if let known { return .function(known, operands) }
    if let method = FetchExpression.method(selector, operands) { return method }
    if selector == "valueForKey:" || selector == "valueForKeyPath:", case .constant(.string(let path)) = operands[1] {
      return try receiver.appending(keyPath: path).get(or: failure, at: token.column)
    }
    throw failure(
      .unknownName, "the method \"\(selector)\" is not supported", at: token.column,
      hint: "known are \((Self.methods.keys + ["valueForKeyPath:"]).sorted().joined(separator: ", "))")
  }

  /// Whether the language computes a method by itself.
  static func isMethod(_ selector: String) -> Bool {
    methods[selector] != nil || selector == "valueForKey:" || selector == "valueForKeyPath:"
  }

  fileprivate static let methods: [String: @Sendable ([FetchExpression]) -> FetchExpression] = [
    "lowercaseString": { .function(.lowercase, $0) },
    "uppercaseString": { .function(.uppercase, $0) },
    "length": { .function(.length, $0) },
    "count": { .function(.count, $0) },
    "stringValue": { .cast($0[0], .string) },
    "description": { .cast($0[0], .string) },
    "absoluteString": { .cast($0[0], .string) },
    "UUIDString": { .cast($0[0], .string) },
    "doubleValue": { .cast($0[0], .number) },
    "floatValue": { .cast($0[0], .number) },
    "boolValue": { flag(.or([isMoreThanNothing($0[0]), compare($0[0], .matches, .constant(.string(truth)))])) },
    "integerValue": { .function(.truncate, [.cast($0[0], .number)]) },
    "intValue": { .function(.truncate, [.cast($0[0], .number)]) },
    "longValue": { .function(.truncate, [.cast($0[0], .number)]) },
    "longLongValue": { .function(.truncate, [.cast($0[0], .number)]) },
    "timeIntervalSinceReferenceDate": { .cast($0[0], .number) },
    "timeIntervalSince1970": {
      .function(.add, [.cast($0[0], .number), .constant(.integer(978_307_200))])
    },
    "timeIntervalSinceNow": { .function(.subtract, [.cast($0[0], .number), .function(.now, [])]) },
    "timeIntervalSinceDate:": { .function(.subtract, $0) },
    "dateByAddingTimeInterval:": { .cast(.function(.add, $0), .date) },
    "decimalNumberByAdding:": { .function(.add, $0) },
    "decimalNumberBySubtracting:": { .function(.subtract, $0) },
    "decimalNumberByMultiplyingBy:": { .function(.multiply, $0) },
    "decimalNumberByDividingBy:": { .function(.divide, $0) },
    "hasPrefix:": { flag(compare($0[0], .beginsWith, $0[1])) },
    "hasSuffix:": { flag(compare($0[0], .endsWith, $0[1])) },
    "containsString:": { flag(compare($0[0], .contains, $0[1])) },
    "containsObject:": { flag(compare($0[0], .contains, $0[1])) },
    "isEqual:": { flag(compare($0[0], .equal, $0[1])) },
    "isEqualToString:": { flag(compare($0[0], .equal, $0[1])) },
    "isEqualToNumber:": { flag(compare($0[0], .equal, $0[1])) },
    "isEqualToDate:": { flag(compare($0[0], .equal, $0[1])) },
    "objectAtIndex:": { .element(of: $0[0], .at($0[1])) },
    "firstObject": { .element(of: $0[0], .first) },
    "lastObject": { .element(of: $0[0], .last) },
  ]
  /// The text that is true by itself: it begins with a y, a t or a digit that is not 0.
  private static let truth = "(?s)\\s*[+-]?0*[YyTt1-9].*"

  private static func compare(
    _ left: FetchExpression, _ sign: FetchPredicate.Comparison.Operator, _ right: FetchExpression
  ) -> FetchPredicate { .compare(FetchPredicate.Comparison(left, sign, right)) }

  private static func isMoreThanNothing(_ value: FetchExpression) -> FetchPredicate {
    compare(.function(.absolute, [.cast(value, .number)]), .greater, .constant(.integer(0)))
  }

  private static func flag(_ predicate: FetchPredicate) -> FetchExpression {
    .conditional(predicate, .constant(.boolean(true)), .constant(.boolean(false)))
  }
}

extension FetchExpression {
  /// What a method of Foundation's values gives, as an expression: that of `FUNCTION(receiver, "selector:", operands)`.
  /// - Parameter operands: the receiver first, as many as the selector has colons after it.
  /// - Returns: nil for a method that is not known.
  package static func method(_ selector: String, _ operands: [FetchExpression]) -> FetchExpression? {
    PredicateParser.methods[selector].map { $0(operands) }
  }
}
