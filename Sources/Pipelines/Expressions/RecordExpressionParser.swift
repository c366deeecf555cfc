import ObjectModel

/// Reads the text of an expression.
///
/// From loosest to tightest binding: `? :`, `??`, `||`, `&&`, comparisons, `&`, `+ -`, `* / %`, `! -`.
/// Binary operators group to the left, `? :` and `??` to the right; comparisons do not chain.
public enum RecordExpressionParser {
  /// How deep parentheses, calls and operators may nest.
  public static let maximumDepth = 64

  /// Reads one expression.
  /// - Throws: `RecordExpressionError` with the 1-based column and what was expected there.
  public static func parse(_ source: String) throws(RecordExpressionError) -> RecordExpression {
    var lexer = RecordExpressionLexer(source)
    var state = ParserState(tokens: try lexer.tokens())
    let root = try state.expression()
    guard state.token.kind == .end else {
      throw RecordExpressionError(
        column: state.token.column, message: "expected an operator or the end, found \(state.token.description)",
        hint: state.token.operatorHint ?? (state.token.isName ? "put a field name with spaces in backticks" : nil))
    }
    return RecordExpression(source: source, root: root)
  }

  /// Reads what a pipeline file has for an expression: an expression, or else a column name as it stands.
  ///
  /// Text that is no expression but could only be a column's name (`stop name`) is that field. See also
  /// `RecordExpression.preferringColumns(_:)`.
  public static func parseField(_ source: String) throws(RecordExpressionError) -> RecordExpression {
    do {
      return try parse(source)
    } catch {
      guard isPlainColumnName(source) else { throw error }
      return RecordExpression(source: source, root: .field(source))
    }
  }

  /// Whether text by itself reads as the field of that name.
  static func isName(_ text: String) -> Bool { (try? parse(text))?.root == .field(text) }

  /// The field of a name or path as an expression: in backticks where it does not read as one by itself.
  package static func written(_ name: String) -> String {
    isName(name) ? name : "`\(name.replacing("`", with: "``"))`"
  }

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

extension RecordExpression {
  /// A field as expressions write it: in backticks where its name is not plain.
  package static func quoted(_ field: String) -> String {
    RecordExpressionParser.isName(field) ? field : "`" + field.replacing("`", with: "``") + "`"
  }

  /// The expression, or the field whose name is the whole text when the source has a column of exactly that name.
  ///
  /// `price-usd` is a difference unless there is a column `price-usd`.
  public func preferringColumns(_ columns: Set<String>) -> RecordExpression {
    guard !isLiteral, columns.contains(source) else { return self }
    return RecordExpression(source: source, root: .field(source))
  }
}

extension RecordExpressionToken {
  /// The spelling here of operators that other languages write as words.
  fileprivate var operatorHint: String? {
    guard case .identifier(let name) = kind else { return nil }
    switch name.uppercased() {
    case "AND": return "write && for \(name)"
    case "OR": return "write || for \(name)"
    case "NOT": return "write ! for \(name)"
    case "IS": return "compare with == null or != null"
    case "LIKE", "CONTAINS": return "write contains(text, part)"
    case "IN": return "write several comparisons with ||"
    default: return nil
    }
  }

  fileprivate var isName: Bool {
    if case .identifier = kind { return true }
    return false
  }
}

private struct ParserState {
  let tokens: [RecordExpressionToken]
  var position = 0
  var depth = 0

  /// The last token is `.end`, and nothing advances past it.
  var token: RecordExpressionToken { tokens[position] }

  mutating func accept(_ symbol: String) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ symbol: String) throws(RecordExpressionError) {
    let here = token
    guard accept(symbol) else {
      throw RecordExpressionError(
        column: here.column, message: "expected \"\(symbol)\", found \(here.description)",
        hint: here.kind == .end && symbol == ")"
          ? "close it; where YAML's { } or [ ] are around it, a comma ends it unless it stands in quotes" : nil)
    }
  }

  mutating func deeper() throws(RecordExpressionError) {
    depth += 1
    if depth > RecordExpressionParser.maximumDepth {
      throw RecordExpressionError(
        column: token.column, message: "the expression nests deeper than \(RecordExpressionParser.maximumDepth) levels")
    }
  }

  mutating func expression() throws(RecordExpressionError) -> RecordExpression.Node {
    try deeper()
    defer { depth -= 1 }
    let condition = try coalescing()
    guard accept("?") else { return condition }
    let yes = try expression()
    try expect(":")
    return .conditional(condition, yes, try expression())
  }

  mutating func coalescing() throws(RecordExpressionError) -> RecordExpression.Node {
    let left = try binary(level: 0)
    guard accept("??") else { return left }
    try deeper()
    defer { depth -= 1 }
    return .binary(.coalesce, left, try coalescing())
  }

  /// Operators of equal binding strength, loosest first.
  static let levels: [[RecordExpression.BinaryOperator]] = [
    [.or], [.and], [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual], [.concatenate],
    [.add, .subtract], [.multiply, .divide, .remainder],
  ]

  mutating func binary(level: Int) throws(RecordExpressionError) -> RecordExpression.Node {
    guard level < Self.levels.count else { return try unary() }
    var left = try binary(level: level + 1)
    // Left-leaning trees nest without recursion here, but evaluation recurses: their height is bounded too.
    var height = 0
    while case .symbol(let symbol) = token.kind, let operation = RecordExpression.BinaryOperator(rawValue: symbol),
      Self.levels[level].contains(operation)
    {
      height += 1
      if height > 256 {
        throw RecordExpressionError(column: token.column, message: "more than 256 operators in a row")
      }
      if level == 2, height > 1 {
        throw RecordExpressionError(
          column: token.column, message: "comparisons do not chain", hint: "join them with && and parentheses")
      }
      position += 1
      left = .binary(operation, left, try binary(level: level + 1))
    }
    return left
  }

  mutating func unary() throws(RecordExpressionError) -> RecordExpression.Node {
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

  func number(_ digits: String) throws(RecordExpressionError) -> RecordExpression.Node {
    switch ParsedNumber.read(digits) {
    case .integer(let value): return .constant(.integer(value))
    case .double(let value):
      return .constant(ExactNumber.longDecimal(digits).map(ExactNumber.value) ?? .double(value))
    case .outOfRange, .notANumber:
      throw RecordExpressionError(column: token.column, message: "the number \(digits) is out of range")
    }
  }

  mutating func primary() throws(RecordExpressionError) -> RecordExpression.Node {
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
      throw RecordExpressionError(
        column: here.column, message: "expected a field, a constant, a function or \"(\", found \(here.description)")
    }
  }

  mutating func call(_ name: String, at column: Int) throws(RecordExpressionError) -> RecordExpression.Node {
    guard let function = RecordExpression.Function(rawValue: name) else {
      let names = RecordExpression.Function.allCases.map(\.rawValue)
      throw RecordExpressionError(
        column: column, message: "there is no function \"\(name)\"",
        hint: Suggestion.hint(for: name, among: names) ?? "functions are \(names.joined(separator: ", "))")
    }
    try expect("(")
    var arguments: [RecordExpression.Node] = []
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
      throw RecordExpressionError(
        column: column,
        message: "\(name) takes \(specification.argumentCountText), found \(arguments.count)",
        hint: "write \(specification.signature)")
    }
    if function == .date { try checkDateArguments(arguments, columns) }
    if function == .first {
      guard case .field = arguments[0] else {
        throw RecordExpressionError(
          column: columns[0], message: RecordExpression.Function.firstWantsField,
          hint: "write \(specification.signature); split(text, separator, 1) takes the first piece of a text")
      }
    }
    return .call(function, arguments)
  }

  /// A date's format and zone are constants, so that a wrong one is found before the first record.
  func checkDateArguments(_ arguments: [RecordExpression.Node], _ columns: [Int]) throws(RecordExpressionError) {
    var texts: [String] = []
    for (argument, column) in zip(arguments, columns).dropFirst() {
      guard case .constant(.string(let text)) = argument else {
        throw RecordExpressionError(column: column, message: "expected a text constant")
      }
      texts.append(text)
      do {
        _ = try DateParser(format: texts[0], timeZone: texts.count > 1 ? texts[1] : "UTC")
      } catch {
        throw RecordExpressionError(column: column, message: error.message, hint: error.hint)
      }
    }
  }
}
