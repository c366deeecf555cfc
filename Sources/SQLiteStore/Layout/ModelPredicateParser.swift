import ObjectModel

extension ModelPredicate {
  /// Parses a condition in the predicate format language.
  /// - Throws: `Refusal` for a text that is no predicate and for one that says more than a schema can.
  init(parsing text: String) throws(Refusal) {
    var parser = ModelPredicateParser(tokens: try ModelPredicateTokens.tokens(text))
    self = try parser.parse()
  }
}

/// A recursive-descent parser for the subset that `ModelPredicate` holds.
private struct ModelPredicateParser {
  typealias Refusal = ModelPredicate.Refusal
  typealias Token = ModelPredicateTokens.Token

  private static let deepestNesting = 64
  private let tokens: [Token]
  private var position = 0
  private var depth = 0

  init(tokens: [Token]) {
    self.tokens = tokens
  }

  mutating func parse() throws(Refusal) -> ModelPredicate {
    let result = try disjunction()
    if let token = next { throw Refusal(message: "\"\(token.shown)\" stands where the predicate should end") }
    return result
  }

  private var next: Token? { position < tokens.count ? tokens[position] : nil }

  private mutating func take() throws(Refusal) -> Token {
    guard let token = next else { throw Refusal(message: "the predicate ends too early") }
    position += 1
    return token
  }

  private mutating func skip(word: String) -> Bool {
    guard case .word(let text, isEscaped: false) = next, text.uppercased() == word else { return false }
    position += 1
    return true
  }

  private mutating func skip(sign: String) -> Bool {
    guard next == .sign(sign) else { return false }
    position += 1
    return true
  }

  private mutating func expect(sign: String) throws(Refusal) {
    if !skip(sign: sign) { throw Refusal(message: "\"\(sign)\" is missing before \"\(next?.shown ?? "the end")\"") }
  }

  // MARK: conditions

  private mutating func disjunction() throws(Refusal) -> ModelPredicate {
    var parts = [try conjunction()]
    while skip(word: "OR") || skip(sign: "||") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(Refusal) -> ModelPredicate {
    var parts = [try condition()]
    while skip(word: "AND") || skip(sign: "&&") { parts.append(try condition()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func condition() throws(Refusal) -> ModelPredicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepestNesting else { throw Refusal(message: "the predicate is nested too deeply") }
    if skip(word: "NOT") || skip(sign: "!") { return .not(try condition()) }
    if skip(word: "TRUEPREDICATE") { return .constant(true) }
    if skip(word: "FALSEPREDICATE") { return .constant(false) }
    if skip(sign: "(") {
      let inside = try disjunction()
      try expect(sign: ")")
      return inside
    }
    return try comparison()
  }

  private mutating func comparison() throws(Refusal) -> ModelPredicate {
    let keyPath: String
    switch try operand() {
    case .keyPath(let left): keyPath = left
    case .constant(let literal):
      let sign = try comparisonSign()
      guard case .keyPath(let right) = try operand() else {
        throw Refusal(message: "a comparison has a property on one of its sides")
      }
      return .comparison(keyPath: right, sign: Self.mirrored[sign] ?? sign, literal: literal)
    }
    if skip(word: "IN") { return .isIn(keyPath: keyPath, try list()) }
    if skip(word: "BETWEEN") {
      let bounds = try list()
      guard bounds.count == 2 else { throw Refusal(message: "BETWEEN needs two bounds") }
      return .between(keyPath: keyPath, bounds[0], bounds[1])
    }
    let sign = try comparisonSign()
    guard case .constant(let literal) = try operand() else {
      throw Refusal(message: "\(keyPath) is compared with something that is no constant")
    }
    return .comparison(keyPath: keyPath, sign: sign, literal: literal)
  }

  private static let mirrored = ["<": ">", ">": "<", "<=": ">=", ">=": "<="]
  private static let signs = [
    "=": "=", "==": "=", "!=": "<>", "<>": "<>", "<": "<", ">": ">", "<=": "<=", "=<": "<=", ">=": ">=", "=>": ">=",
  ]

  private mutating func comparisonSign() throws(Refusal) -> String {
    let token = try take()
    guard case .sign(let text) = token, let sign = Self.signs[text] else {
      throw Refusal(message: "the comparison \(token.shown) has no meaning in a schema")
    }
    if next == .sign("[") { throw Refusal(message: "a comparison with options has no meaning in a schema") }
    return sign
  }

  private mutating func list() throws(Refusal) -> [ModelPredicate.Literal] {
    try expect(sign: "{")
    var literals: [ModelPredicate.Literal] = []
    while !skip(sign: "}") {
      if !literals.isEmpty { try expect(sign: ",") }
      guard case .constant(let literal) = try operand(), literal != .null else {
        throw Refusal(message: "a list has constants only, and not nil")
      }
      literals.append(literal)
    }
    return literals
  }

  // MARK: operands

  private enum Operand {
    case keyPath(String)
    case constant(ModelPredicate.Literal)
  }

  private mutating func operand() throws(Refusal) -> Operand {
    let token = try take()
    switch token {
    case .number(let text): return .constant(.number(text))
    case .text(let text): return .constant(.text(text))
    case .word(let text, isEscaped: true): return .keyPath(text)
    case .word(let text, isEscaped: false):
      switch text.uppercased() {
      case "NIL", "NULL": return .constant(.null)
      case "YES", "TRUE": return .constant(.number("1"))
      case "NO", "FALSE": return .constant(.number("0"))
      case "CAST": return .constant(try date())
      case let word where PredicateWords.isReserved(word):
        throw Refusal(message: "\(text) has no meaning in a schema")
      default: break
      }
      if next == .sign("(") || next == .sign(":") {
        throw Refusal(message: "the function \(text) has no meaning in a schema")
      }
      return .keyPath(text)
    case .sign(let text): throw Refusal(message: "\"\(text)\" stands where a property or a constant belongs")
    }
  }

  /// `CAST(123.5, "NSDate")`: seconds since 2001, which is what a column holds.
  private mutating func date() throws(Refusal) -> ModelPredicate.Literal {
    try expect(sign: "(")
    guard case .number(let text) = try take() else { throw Refusal(message: "CAST is known for dates only") }
    try expect(sign: ",")
    guard try take() == .text("NSDate") else { throw Refusal(message: "CAST is known for dates only") }
    try expect(sign: ")")
    return .number(text)
  }
}
