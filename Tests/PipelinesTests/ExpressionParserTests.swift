import Testing

@testable import Pipelines

@Suite("Reading expressions")
struct ExpressionParserTests {
  private typealias Node = RecordExpression.Node

  @Test(
    "operators bind and group as documented",
    arguments: [
      ("a + b * c", "(a + (b * c))"), ("a - b - c", "((a - b) - c)"), ("(a + b) * c", "((a + b) * c)"),
      ("a & b + c", "(a & (b + c))"), ("a == b && c < d || e", "(((a == b) && (c < d)) || e)"),
      ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"), ("a ?? b ?? c", "(a ?? (b ?? c))"),
      ("a ?? b ? c : d", "((a ?? b) ? c : d)"), ("!a && -b > 1", "(!a && (-b > 1))"), ("--1", "--1"), ("- 1", "-1"),
      ("a/b", "(a / b)"), ("/a/b", "[/a/b]"), ("/a/0 / /b~1c", "([/a/0] / [/b~1c])"), ("`a b` % 2", "([a b] % 2)"),
      ("venue.location.lat", "venue.location.lat"), ("ort_größe", "ort_größe"), ("trim(a, )", nil),
      ("concat(a, 'x', \"y\")", "concat(a, \"x\", \"y\")"), ("true ? null : false", "(true ? null : false)"),
      ("'it\\'s \\u{41}\\n'", "\"it's A\n\""), ("1.5e3", "1500.0"), (".5", "0.5"), ("trim", "trim"),
      ("-9223372036854775808", "-9223372036854775808"), ("a ?b:c", "(a ? b : c)"),
    ] as [(String, String?)])
  func structure(source: String, expected: String?) throws {
    guard let expected else {
      #expect(throws: RecordExpressionError.self) { try RecordExpressionParser.parse(source) }
      return
    }
    let expression = try RecordExpressionParser.parse(source)
    #expect(Self.text(expression.root) == expected)
    #expect(expression.source == source)
  }

  /// The tree with every grouping in parentheses.
  private static func text(_ node: Node) -> String {
    switch node {
    case .field(let path): path.contains { "/ ".contains($0) } ? "[\(path)]" : path
    case .constant(.string(let text)): "\"\(text)\""
    case .constant(let value): (try? value.asText()) ?? "null"
    case .call(let function, let arguments): "\(function.rawValue)(\(arguments.map(text).joined(separator: ", ")))"
    case .unary(let operation, let operand): operation.rawValue + text(operand)
    case .binary(let operation, let left, let right): "(\(text(left)) \(operation.rawValue) \(text(right)))"
    case .conditional(let condition, let yes, let no): "(\(text(condition)) ? \(text(yes)) : \(text(no)))"
    }
  }

  @Test(
    "mistakes have their column and say what was expected",
    arguments: [
      ("", 1, "expected a field, a constant, a function or \"(\", found the end"),
      ("a +", 4, "expected a field, a constant, a function or \"(\", found the end"),
      ("a b", 3, "expected an operator or the end, found \"b\""),
      ("(a", 3, "expected \")\", found the end"),
      ("trim(a", 7, "expected \")\", found the end"),
      ("trim()", 1, "trim takes 1 argument, found 0"),
      ("1 + substring(a)", 5, "substring takes 2 to 3 arguments, found 1"),
      ("concat()", 1, "concat takes at least 1 argument, found 0"),
      ("trmi(a)", 1, "there is no function \"trmi\""),
      ("a = b", 3, "\"=\" is no operator here"), ("a | b", 3, "\"|\" is no operator here"),
      ("a == b == c", 8, "comparisons do not chain"), ("a ? b", 6, "expected \":\", found the end"),
      ("'abc", 1, "the text is not closed: expected '"),
      ("'a\\q'", 3, "unknown escape: expected \\n, \\t, \\r, \\\\, \\\", \\' or \\u{...}"),
      ("'\\u{110000}'", 2, "expected \\u{hexadecimal code point}"),
      ("'\\u{'", 2, "expected \\u{hexadecimal code point}"),
      ("'\\", 2, "unknown escape: expected \\n, \\t, \\r, \\\\, \\\", \\' or \\u{...}"),
      ("`a", 1, "the name in backticks is not closed"), ("``", 1, "expected a name between the backticks"),
      ("1.2.3", 1, "malformed number"), ("2nd", 1, "malformed number"), ("1e", 1, "malformed number"),
      ("a..b", 3, "expected a name after \".\""), ("a.", 3, "expected a name after \".\""),
      ("x * /", 5, "expected a value, found \"/\""), ("/a~2", 3, "expected ~0 or ~1 in a JSON Pointer"),
      ("a # b", 3, "unexpected character \"#\""),
      ("1 + 9223372036854775808", 5, "the number 9223372036854775808 is out of range"),
      ("1e999", 1, "the number 1e999 is out of range"), ("date(a, b)", 9, "expected a text constant"),
      ("date(a, 'yyyy-mm')", 9, "the date pattern \"yyyy-mm\" has no month (M)"),
      ("date(a, 'yyyy-MM-dd', 'Mars/Base')", 23, "there is no time zone \"Mars/Base\""),
      (String(repeating: "(", count: 100), 65, "the expression nests deeper than 64 levels"),
      (String(repeating: "!", count: 100), 65, "the expression nests deeper than 64 levels"),
      (Array(repeating: "1", count: 300).joined(separator: "+"), 514, "more than 256 operators in a row"),
    ])
  func mistakes(source: String, column: Int, message: String) {
    let error = #expect(throws: RecordExpressionError.self) { try RecordExpressionParser.parse(source) }
    #expect(error?.column == column)
    #expect(error?.message == message)
  }

  @Test(
    "text that is no expression is the column of that name when it could be one",
    arguments: [
      ("stop name", true), ("Größe in m", true), ("2nd floor", true), ("no. of seats", true), ("trim(a", false),
      ("a + + b", false), ("a  b", true), (" a b", false), ("price $", true), ("12 34", false), ("a, b", false),
    ])
  func plainColumns(source: String, isColumn: Bool) {
    let root = (try? RecordExpressionParser.parseField(source))?.root
    #expect(root == (isColumn ? .field(source) : nil))
  }

  @Test("a column whose name is the whole text wins over the expression")
  func columnsFirst() throws {
    let expression = try RecordExpressionParser.parseField("price-usd")
    #expect(expression.fieldPaths == ["price", "usd"])
    #expect(expression.preferringColumns(["price-usd", "price"]).root == .field("price-usd"))
    #expect(expression.preferringColumns(["price"]) == expression)
  }
}
