import Foundation
import Testing

@testable import Pipelines

@Suite("Evaluating expressions")
struct ExpressionEvaluatorTests {
  /// The record that every expression of these tables sees.
  private static let record: [(String, RecordExpressionValue)] = [
    ("one", .string("1")), ("text", .string("abc")), ("empty", .string("")), ("null1", .null), ("gone", .absent),
    ("zero", .integer(0)), ("big", .integer(.max)), ("least", .integer(.min)), ("half", .double(0.5)),
    ("yes", .boolean(true)), ("yesText", .string("true")), ("padded", .string("  a b ")), ("dash", .string("-")),
    ("bigText", .string("99999999999999999999")),
  ]

  private static func evaluate(_ source: String, nulls: [String] = []) throws -> RecordExpressionValue {
    let slots = Dictionary(uniqueKeysWithValues: record.enumerated().map { ($1.0, $0) })
    let evaluator = try RecordExpressionEvaluator(try RecordExpressionParser.parse(source), slots: slots, nulls: nulls)
    return try evaluator.evaluate(FieldTable(record.map(\.1)))
  }

  @Test(
    "arithmetic is exact for integers and takes text that looks like a number",
    arguments: [
      ("one + 1", .integer(2)), ("one - half", .double(0.5)), ("2 * 3 - 4", .integer(2)), ("6 / 3", .integer(2)),
      ("7 / 2", .double(3.5)), ("-7 / 7", .integer(-1)), ("-7 % 3", .integer(-1)), ("7.5 % 2", .double(1.5)),
      ("big - 1 + 1", .integer(.max)), ("least % -1", .integer(0)), ("-(1 + one)", .integer(-2)),
      ("9007199254740993 + 0", .integer(9_007_199_254_740_993)), ("gone + 1", .null), ("-null1", .null),
      ("null1 / 0", .null), ("one & 2 & half", .string("120.5")), ("text & null1", .null),
    ] as [(String, RecordExpressionValue)])
  func arithmetic(source: String, value: RecordExpressionValue) throws {
    #expect(try Self.evaluate(source) == value)
  }

  @Test(
    "comparisons follow the documented rules",
    arguments: [
      ("one == 1", true), ("one != 1", false), ("one == \"1\"", true), ("one != \"1\"", false),
      ("one == \"01\"", false),
      ("one == 1.0", true), ("text == 1", false), ("text != 1", true), ("text < \"abd\"", true),
      ("\"B\" < \"a\"", true),
      ("\"é\" == \"e\\u{301}\"", false), ("null1 == null", true), ("gone == null", true), ("gone == null1", true),
      ("one == null", false), ("null1 != 1", true), ("gone == \"\"", false), ("empty == null", false),
      ("null1 < 1", nil), ("gone >= 1", nil), ("9007199254740993 > 9007199254740992.0", true),
      ("big < 9223372036854775808.0", true), ("least >= -9223372036854775808.0", true), ("0 < 0.1", true),
      ("0 > -0.1", true), ("yes == true", true), ("yesText == yes", true), ("text == true", false),
      ("yes != false", true),
      ("date(\"2020-01-01\") < date(\"2020-01-01T00:00:01\")", true), ("yes && yesText", true), ("!yes", false),
      ("null1 && false", false), ("null1 && true", nil), ("null1 || true", true), ("null1 || false", nil),
      ("!gone", nil),
      ("false && 1 / 0 == 1", false), ("true || 1 / 0 == 1", true),
    ] as [(String, Bool?)])
  func comparisons(source: String, value: Bool?) throws {
    #expect(try Self.evaluate(source) == value.map(RecordExpressionValue.boolean) ?? .null)
  }

  @Test(
    "contains, split, round and uuid",
    arguments: [
      ("contains(text, 'bc')", .boolean(true)), ("contains(text, 'BC')", .boolean(false)),
      ("contains(text, '')", .boolean(true)), ("contains(gone, 'x')", .null),
      ("contains('e\u{301}', 'e')", .boolean(true)),
      ("split('a;b;;c', ';', 1)", .string("a")), ("split('a;b;;c', ';', 3)", .string("")),
      ("split('a;b;;c', ';', -1)", .string("c")), ("split('a;b;;c', ';', 5)", .null), ("split('a;b', ';', -3)", .null),
      ("split('a - b', ' - ', 2)", .string("b")), ("split(text, ';', 1)", .string("abc")),
      ("split(gone, ';', 1)", .null), ("split('', ';', 1)", .string("")),
      ("split('a;b;;c', ';')", .list([.string("a"), .string("b"), .string(""), .string("c")])),
      ("split('', ';')", .list([.string("")])), ("split(gone, ';')", .null),
      ("gone ?? split(text, 'b')", .list([.string("a"), .string("c")])),
      ("round(2.5)", .integer(3)), ("round(-2.5)", .integer(-3)), ("round(2.4)", .integer(2)),
      ("round('2.675', 2)", .double(2.68)), ("round(1.005, 2)", .double(1.01)), ("round(0.0000001, 3)", .integer(0)),
      ("round(1250, -2)", .integer(1300)), ("round(-1250, -2)", .integer(-1300)), ("round(big)", .integer(.max)),
      ("round(1e300, 2)", .double(1e300)), ("round(-0.4)", .integer(0)), ("round(gone, 2)", .null),
      ("uuid('python.org', 'dns')", .string("886313E1-3B8A-5372-9B90-0C9AEE199E5D")),
      ("uuid('python.org', '6ba7b810-9dad-11d1-80b4-00c04fd430c8')", .string("886313E1-3B8A-5372-9B90-0C9AEE199E5D")),
      ("uuid('http://python.org/')", .string("4C565F0D-3F5A-5890-B41B-20CF47701C5E")), ("uuid(gone)", .null),
      ("uuid('')", .string("1B4DB7EB-4057-5DDF-91E0-36DEC72071F5")),
    ] as [(String, RecordExpressionValue)])
  func textFunctions(source: String, value: RecordExpressionValue) throws {
    #expect(try Self.evaluate(source) == value)
  }

  @Test(
    "what contains, split, round and uuid refuse",
    arguments: [
      "split(text, '', 1)", "split(text, 'b', 0)", "split(text, '')",
      "upper(split(text, 'b'))", "split(text, 'b') + 1", "split(text, 'b') == text", "split(text, 'b') ? 1 : 2",
      "round(text)", "round(1.5, 99)", "uuid(text, 'nowhere')",
    ])
  func refusals(source: String) {
    #expect(throws: RecordExpressionFailure.self) { try Self.evaluate(source) }
  }

  @Test(
    "functions and conditions",
    arguments: [
      ("gone ?? empty ?? 3", .integer(3)), ("text ?? 1 / 0", .string("abc")), ("empty ?? null1", .null),
      ("null1 ? 1 : 2", .integer(2)), ("yes ? 1 : 1 / 0", .integer(1)), ("trim(padded)", .string("a b")),
      ("trim(\" \\t\")", .string("")), ("upper(gone)", .null), ("concat(gone, null1)", .null),
      ("concat(one, gone, text)", .string("1abc")), ("coalesce(gone, empty, one, 1 / 0)", .string("1")),
      ("length(\"👩‍👩‍👧é\")", .integer(2)), ("substring(text, 2)", .string("bc")), ("substring(text, 2, 1)", .string("b")),
      ("substring(text, 9)", .string("")), ("substring(text, 1, 99)", .string("abc")), ("number(yes)", .integer(1)),
      ("number(\"1e2\")", .double(100)), ("text(1.0)", .string("1.0")), ("text(yes)", .string("true")),
      ("replace(text, \"b\", \"\")", .string("ac")), ("duration(90)", .integer(90)),
      ("duration(\"-1:30\")", .integer(-5400)), ("length(duration(\"0:00:10\"))", .integer(2)),
      ("text(date(\"2021-02-03T04:05:06.789\"))", .string("2021-02-03T04:05:06.789Z")),
      ("date(\"01.02.2020\", \"dd.MM.yyyy\")", .date(Date(timeIntervalSinceReferenceDate: 602_208_000))),
      ("date(null1)", .null), ("normalized(\"ＡＢＣ Ünï ß İ\")", .string("abc uni ss i")),
    ] as [(String, RecordExpressionValue)])
  func functions(source: String, value: RecordExpressionValue) throws {
    #expect(try Self.evaluate(source) == value)
  }

  @Test(
    "what has no value is a failure with its code",
    arguments: [
      ("big + 1", "expression.overflow"), ("least - 1", "expression.overflow"), ("big * 2", "expression.overflow"),
      ("-least", "expression.overflow"), ("least / -1", "expression.overflow"), ("1e308 * 10", "expression.overflow"),
      ("bigText + 1", "expression.overflow"), ("1 / zero", "expression.division-by-zero"),
      ("1.5 % 0.0", "expression.division-by-zero"), ("text + 1", "expression.not-a-number"),
      ("empty * 2", "expression.not-a-number"), ("text < 1", "expression.not-a-number"),
      ("number(\"nan\")", "expression.not-a-number"), ("number(\"0x10\")", "expression.not-a-number"),
      ("number(\" 1\")", "expression.not-a-number"), ("yes + 1", "expression.type-mismatch"),
      ("yes < 1", "expression.type-mismatch"), ("yes == 1", "expression.type-mismatch"),
      ("text && yes", "expression.type-mismatch"), ("1 ? 2 : 3", "expression.type-mismatch"),
      ("date(\"2020-01-01\") == \"2020-01-01\"", "expression.type-mismatch"),
      ("date(\"2020-02-30\")", "expression.not-a-date"), ("duration(\"1:60\")", "expression.not-a-duration"),
      ("substring(text, 0)", "expression.bad-argument"), ("substring(text, 1, -1)", "expression.bad-argument"),
      ("substring(text, 1.5)", "expression.bad-argument"), ("replace(text, empty, \"x\")", "expression.empty-pattern"),
    ])
  func failures(source: String, code: String) {
    let failure = #expect(throws: RecordExpressionFailure.self) { try Self.evaluate(source) }
    #expect(failure?.code == code)
    #expect(failure?.message.isEmpty == false)
  }

  @Test("texts that mean null are null")
  func nulls() throws {
    #expect(try Self.evaluate("dash == null", nulls: ["-", ""]) == .boolean(true))
    #expect(try Self.evaluate("empty & \"x\"", nulls: ["-", ""]) == .null)
    #expect(try Self.evaluate("\"-\"", nulls: ["-"]) == .string("-"))
  }

  @Test("a field that the source lacks is an error before the first record")
  func unknownField() throws {
    let error = #expect(throws: RecordExpressionError.self) {
      try RecordExpressionEvaluator(try RecordExpressionParser.parse("stop_nam"), slots: ["stop_name": 0])
    }
    #expect(error?.message == "the source has no field \"stop_nam\"")
    #expect(error?.hint == "did you mean \"stop_name\"?")
  }
}
