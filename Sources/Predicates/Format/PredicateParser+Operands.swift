import Foundation
import ObjectModel

extension PredicateParser {
  /// What stands between operators.
  mutating func operand() throws(PredicateFormatError) -> FetchExpression {
    let token = next
    height = 0
    switch token.kind {
    case .number(let text):
      let value = try number(text)
      advance()
      return .constant(value)
    case .string(let text):
      advance()
      return .constant(.string(text))
    case .variable(let name):
      advance()
      return .variable(name)
    case .specifier: return try argument()
    // Alone, an operator works on what the expression is about: the rows of a group.
    case .collector: return try component(after: .selfObject, isClosed: false)
    case .word(let name, isEscaped: true):
      advance()
      return .keyPath([name])
    case .word(let name, isEscaped: false): return try word(name)
    case .sign("{"):
      advance()
      let elements = try list(until: "}")
      try nest()
      return .aggregate(elements)
    case .sign("("):
      advance()
      let first = try expression()
      if skip(sign: ")") { return first }
      try expect(",")
      let firstHeight = height
      let others = try list(until: ")")
      try nest(beside: firstHeight)
      return .aggregate([first] + others)
    default: throw unexpected("a value or a property")
    }
  }

  /// Expressions with commas between them, and the sign after the last one. The height is that of the highest.
  mutating func list(until closing: String) throws(PredicateFormatError) -> [FetchExpression] {
    var elements: [FetchExpression] = []
    var greatest = 0
    height = 0
    if skip(sign: closing) { return elements }
    repeat {
      elements.append(try expression())
      greatest = max(greatest, height)
    } while skip(sign: ",")
    height = greatest
    if !skip(sign: closing) { throw unexpected("\",\" or \"\(closing)\"") }
    return elements
  }

  // MARK: - Words

  private mutating func word(_ name: String) throws(PredicateFormatError) -> FetchExpression {
    let upper = name.uppercased()
    let follower = tokens[position + 1].kind
    switch upper {
    case "YES", "TRUE": return constant(.boolean(true))
    case "NO", "FALSE": return constant(.boolean(false))
    case "NULL", "NIL": return constant(.null)
    case "SELF":
      advance()
      return .selfObject
    case "CAST" where follower == .sign("("): return try cast()
    case "TERNARY" where follower == .sign("("): return try conditional()
    case "SUBQUERY" where follower == .sign("("): return try subquery()
    case "FUNCTION" where follower == .sign("("): return try method()
    case "FETCH" where follower == .sign("(") && calls != nil: return try fetch()
    case "FETCH" where follower == .sign("("):
      throw failure(.unknownName, "FETCH is not supported", hint: "run the inner request first and use its result")
    // These are words of the language inside of brackets only.
    case "FIRST", "LAST", "SIZE": break
    default:
      if PredicateWords.isReserved(name) {
        throw unexpected("a value or a property", hint: "write #\(name) for a property of that name")
      }
    }
    if follower == .sign(":") || follower == .sign("(") { return try function() }
    advance()
    return .keyPath([name])
  }

  private mutating func constant(_ value: Value) -> FetchExpression {
    advance()
    return .constant(value)
  }

  /// `CAST(expression, "NSDate")`. Of a literal it makes a constant.
  private mutating func cast() throws(PredicateFormatError) -> FetchExpression {
    try enter(1)
    defer { depth -= 1 }
    advance()
    try expect("(")
    let column = next.column
    let operand = try expression()
    try nest()
    let height = self.height
    try expect(",")
    let type = try castType()
    try expect(")")
    self.height = height
    guard case .constant(let literal) = operand else { return .cast(operand, type) }
    let value = type.convert(literal)
    if value.isMissing && !literal.isMissing {
      throw failure(.literal, "\(operand) cannot be cast to \(type.rawValue)", at: column, hint: type.castHint(literal))
    }
    return .constant(value)
  }

  private mutating func castType() throws(PredicateFormatError) -> FetchExpression.CastType {
    let token = next
    guard case .constant(.string(let name)) = try operand() else {
      throw failure(.syntax, "\(token.shown) stands where the name of a type belongs", at: token.column)
    }
    if let type = FetchExpression.CastType(rawValue: name) { return type }
    let known = FetchExpression.CastType.allCases.map(\.rawValue).joined(separator: ", ")
    throw failure(.unknownName, "there is no cast to \"\(name)\"", at: token.column, hint: "known are \(known)")
  }

  private mutating func conditional() throws(PredicateFormatError) -> FetchExpression {
    try enter(2)
    defer { depth -= 2 }
    advance()
    try expect("(")
    let predicate = try disjunction()
    var greatest = height
    try expect(",")
    let first = try expression()
    greatest = max(greatest, height)
    try expect(",")
    let second = try expression()
    try expect(")")
    try nest(beside: greatest)
    return .conditional(predicate, first, second)
  }

  private mutating func subquery() throws(PredicateFormatError) -> FetchExpression {
    try enter(2)
    defer { depth -= 2 }
    advance()
    try expect("(")
    let base = try expression()
    let baseHeight = height
    try expect(",")
    guard case .variable(let name) = next.kind else { throw unexpected("a variable such as $x") }
    advance()
    try expect(",")
    let column = next.column
    let callCount = calls?.count
    let predicate = try disjunction()
    if calls?.count != callCount {
      throw failure(
        .unknownName, "objects cannot be called inside of SUBQUERY", at: column, hint: "call them outside of it")
    }
    try expect(")")
    try nest(beside: baseHeight)
    return .subquery(of: base, variable: name, predicate)
  }

  // MARK: - Numbers and arguments

  /// An integer where the text has neither fraction nor exponent: a decimal beyond 64 bits.
  func number(_ text: String) throws(PredicateFormatError) -> Value {
    if text.contains(where: { $0 == "." || $0 == "e" }) {
      guard let number = Double(text), number.isFinite else {
        throw failure(.literal, "\(text) is beyond what a number can be")
      }
      return .double(number)
    }
    if let number = Int64(text) { return .integer(number) }
    // More digits than these would be rounded.
    guard text.count(where: \.isNumber) <= 38, let number = Decimal(string: text) else {
      throw failure(.literal, "\(text) has more digits than a number can keep", hint: "write \(text).0")
    }
    return .decimal(number)
  }

  private mutating func argument() throws(PredicateFormatError) -> FetchExpression {
    let token = next
    guard case .specifier(let letter) = token.kind else { throw unexpected("a specifier") }
    if letter == "K" {
      return try FetchExpression.selfObject.appending(keyPath: keyPathArgument()).get(or: failure, at: token.column)
    }
    let argument = try consumeArgument()
    switch letter {
    case "@": return argument
    case "f", "g", "e":
      if case .constant(let value) = argument, let number = value.real { return .constant(.double(number)) }
    default:
      if case .constant(let value) = argument, let number = value.wholeNumber { return .constant(.integer(number)) }
    }
    throw failure(
      .argument, "the argument \(argument) does not fit %\(letter)", at: token.column, hint: "use %@ for any value")
  }

  /// The text of the key path that stands for the `%K` here.
  mutating func keyPathArgument() throws(PredicateFormatError) -> String {
    let column = next.column
    let argument = try consumeArgument()
    if case .constant(.string(let path)) = argument { return path }
    throw failure(
      .argument, "the argument \(argument) for %K is no key path", at: column, hint: "%K takes a string, %@ any value")
  }

  private mutating func consumeArgument() throws(PredicateFormatError) -> FetchExpression {
    guard nextArgument < arguments.count else {
      throw failure(.argument, "there is no argument for \(next.shown)", hint: "\(arguments.count) were given")
    }
    advance()
    nextArgument += 1
    return arguments[nextArgument - 1]
  }
}

extension FetchExpression? {
  /// The expression; a failure where the key path of an argument is none.
  func get(
    or failure: (PredicateFormatError.Code, String, Int?, String?) -> PredicateFormatError, at column: Int
  ) throws(PredicateFormatError) -> FetchExpression {
    guard let self else {
      throw failure(
        .argument, "the argument for %K is no key path", column, "a key path is names with dots between them")
    }
    return self
  }
}

extension FetchExpression.CastType {
  /// How a literal that cannot be cast is written.
  fileprivate func castHint(_ literal: Value) -> String? {
    guard self == .date else { return nil }
    let form = "seconds since 2001-01-01 00:00 UTC"
    guard case .string(let text) = literal, let date = Self.date(text) else {
      return "a date is a number of \(form): CAST(SECONDS, '\(rawValue)')"
    }
    return "write CAST(\(Int64(date.timeIntervalSinceReferenceDate)), '\(rawValue)'): \(form)"
  }

  /// A date or a time in UTC as ISO 8601 writes it.
  private static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: .iso8601.year().month().day()))
  }
}
