/// Reads the text of an expression.
///
/// From loosest to tightest binding: `? :`, `??`, `||`, `&&`, comparisons, `&`, `+ -`, `* / %`, `! -`.
/// Binary operators group to the left, `? :` and `??` to the right; comparisons do not chain.
public enum ExpressionParser {
  /// How deep parentheses, calls and operators may nest.
  public static let maximumDepth = 64

  /// Reads one expression.
  /// - Throws: `ExpressionError` with the 1-based column and what was expected there.
  public static func parse(_ source: String) throws(ExpressionError) -> Expression {
    var lexer = ExpressionLexer(source)
    var state = ParserState(tokens: try lexer.tokens())
    let root = try state.expression()
    guard state.token.kind == .end else {
      throw ExpressionError(
        column: state.token.column, message: "expected an operator or the end, found \(state.token.description)",
        hint: state.token.isName ? "put a field name with spaces in backticks" : nil)
    }
    return Expression(source: source, root: root)
  }

  /// Reads what a pipeline file has for an expression: an expression, or else a column name as it stands.
  ///
  /// Text that is no expression but could only be a column's name (`stop name`) is that field. See also
  /// `Expression.preferringColumns(_:)`.
  public static func parseField(_ source: String) throws(ExpressionError) -> Expression {
    do {
      return try parse(source)
    } catch {
      guard isPlainColumnName(source) else { throw error }
      return Expression(source: source, root: .field(source))
    }
  }

  /// Whether text by itself reads as the field of that name.
  static func isName(_ text: String) -> Bool { (try? parse(text))?.root == .field(text) }

  /// Whether text holds letters, digits, spaces and harmless punctuation only.
  private static func isPlainColumnName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, !first.properties.isWhitespace else { return false }
    return text.unicodeScalars.contains { $0.properties.isAlphabetic }
      && text.unicodeScalars.allSatisfy { scalar in
        scalar == " " || scalar == "_" || scalar == "-" || scalar == "." || scalar == "#" || scalar == "@"
          || scalar == "$" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || scalar.properties.generalCategory == .nonspacingMark
      }
  }
}

extension Expression {
  /// The expression, or the field whose name is the whole text when the source has a column of exactly that name.
  ///
  /// `price-usd` is a difference unless there is a column `price-usd`.
  public func preferringColumns(_ columns: Set<String>) -> Expression {
    guard !isLiteral, columns.contains(source) else { return self }
    return Expression(source: source, root: .field(source))
  }
}

extension ExpressionToken {
  fileprivate var isName: Bool {
    if case .identifier = kind { return true }
    return false
  }
}

private struct ParserState {
  let tokens: [ExpressionToken]
  var position = 0
  var depth = 0

  init(tokens: [ExpressionToken]) {
    self.tokens = tokens
  }

  /// The last token is `.end`, and nothing advances past it.
  var token: ExpressionToken { tokens[position] }

  mutating func accept(_ symbol: String) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ symbol: String) throws(ExpressionError) {
    let here = token
    guard accept(symbol) else {
      throw ExpressionError(column: here.column, message: "expected \"\(symbol)\", found \(here.description)")
    }
  }

  mutating func deeper() throws(ExpressionError) {
    depth += 1
    if depth > ExpressionParser.maximumDepth {
      throw ExpressionError(
        column: token.column, message: "the expression nests deeper than \(ExpressionParser.maximumDepth) levels")
    }
  }

  mutating func expression() throws(ExpressionError) -> Expression.Node {
    try deeper()
    defer { depth -= 1 }
    let condition = try coalescing()
    guard accept("?") else { return condition }
    let yes = try expression()
    try expect(":")
    return .conditional(condition, yes, try expression())
  }

  mutating func coalescing() throws(ExpressionError) -> Expression.Node {
    let left = try binary(level: 0)
    guard accept("??") else { return left }
    try deeper()
    defer { depth -= 1 }
    return .binary(.coalesce, left, try coalescing())
  }

  /// Operators of equal binding strength, loosest first.
  static let levels: [[Expression.BinaryOperator]] = [
    [.or], [.and], [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual], [.concatenate],
    [.add, .subtract], [.multiply, .divide, .remainder],
  ]

  mutating func binary(level: Int) throws(ExpressionError) -> Expression.Node {
    guard level < Self.levels.count else { return try unary() }
    var left = try binary(level: level + 1)
    // Left-leaning trees nest without recursion here, but evaluation recurses: their height is bounded too.
    var height = 0
    while case .symbol(let symbol) = token.kind, let operation = Expression.BinaryOperator(rawValue: symbol),
      Self.levels[level].contains(operation)
    {
      height += 1
      if height > 256 {
        throw ExpressionError(column: token.column, message: "more than 256 operators in a row")
      }
      if level == 2, height > 1 {
        throw ExpressionError(
          column: token.column, message: "comparisons do not chain", hint: "join them with && and parentheses")
      }
      position += 1
      left = .binary(operation, left, try binary(level: level + 1))
    }
    return left
  }

  mutating func unary() throws(ExpressionError) -> Expression.Node {
    let isNot = accept("!")
    guard isNot || accept("-") else { return try primary() }
    try deeper()
    defer { depth -= 1 }
    if isNot { return .unary(.not, try unary()) }
    if case .number(let digits) = token.kind {
      // With its sign, so that the smallest integer can be written.
      let constant = try number("-" + digits)
      position += 1
      return constant
    }
    return .unary(.minus, try unary())
  }

  func number(_ digits: String) throws(ExpressionError) -> Expression.Node {
    switch NumberText.read(digits) {
    case .integer(let value): return .constant(.integer(value))
    case .double(let value): return .constant(.double(value))
    case .outOfRange, .notANumber:
      throw ExpressionError(column: token.column, message: "the number \(digits) is out of range")
    }
  }

  mutating func primary() throws(ExpressionError) -> Expression.Node {
    let here = token
    switch here.kind {
    case .number(let digits):
      let constant = try number(digits)
      position += 1
      return constant
    case .text(let text):
      position += 1
      return .constant(.string(text))
    case .field(let path):
      position += 1
      return .field(path)
    case .identifier(let name):
      position += 1
      if token.kind == .symbol("(") { return try call(name, at: here.column) }
      switch name {
      case "true": return .constant(.boolean(true))
      case "false": return .constant(.boolean(false))
      case "null": return .constant(.null)
      default: return .field(name)
      }
    case .symbol("("):
      position += 1
      let inner = try expression()
      try expect(")")
      return inner
    case .symbol, .end:
      throw ExpressionError(
        column: here.column, message: "expected a field, a constant, a function or \"(\", found \(here.description)")
    }
  }

  mutating func call(_ name: String, at column: Int) throws(ExpressionError) -> Expression.Node {
    guard let function = Expression.Function(rawValue: name) else {
      let names = Expression.Function.allCases.map(\.rawValue)
      throw ExpressionError(
        column: column, message: "there is no function \"\(name)\"",
        hint: Suggestion.hint(for: name, among: names) ?? "functions are \(names.joined(separator: ", "))")
    }
    try expect("(")
    var arguments: [Expression.Node] = []
    var columns: [Int] = []
    if !accept(")") {
      repeat {
        columns.append(token.column)
        arguments.append(try expression())
      } while accept(",")
      try expect(")")
    }
    let specification = function.specification
    guard specification.argumentCounts.contains(arguments.count) else {
      throw ExpressionError(
        column: column,
        message: "\(name) takes \(specification.argumentCountText), found \(arguments.count)",
        hint: "write \(specification.signature)")
    }
    if function == .date { try checkDateArguments(arguments, columns) }
    return .call(function, arguments)
  }

  /// A date's format and zone are constants, so that a wrong one is found before the first record.
  func checkDateArguments(_ arguments: [Expression.Node], _ columns: [Int]) throws(ExpressionError) {
    var texts: [String] = []
    for (argument, column) in zip(arguments, columns).dropFirst() {
      guard case .constant(.string(let text)) = argument else {
        throw ExpressionError(column: column, message: "expected a text constant")
      }
      texts.append(text)
      do {
        _ = try DateParser(format: texts[0], timeZone: texts.count > 1 ? texts[1] : "UTC")
      } catch {
        throw ExpressionError(column: column, message: error.message, hint: error.hint)
      }
    }
  }
}
