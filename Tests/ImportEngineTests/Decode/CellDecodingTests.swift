import Foundation
import ObjectModel
import StoreInterface
import Testing

@testable import ImportEngine

@Suite("Cells")
struct CellDecodingTests {
  /// One attribute of every type, and some with limits.
  static func model() throws -> ManagedObjectModel {
    var thing = EntityDefinition("Thing")
    func add(_ name: String, _ type: AttributeType, _ change: (inout AttributeDefinition) -> Void = { _ in }) {
      var attribute = AttributeDefinition(name, type)
      attribute.isOptional = true
      change(&attribute)
      thing.attributes.append(attribute)
    }
    for (name, type) in [
      ("i16", .integer16), ("i32", .integer32), ("i64", .integer64), ("decimal", .decimal), ("double", .double),
      ("float", .float), ("string", .string), ("bool", .boolean), ("date", .date), ("data", .binary), ("uuid", .uuid),
      ("uri", .uri), ("shape", .transformable),
    ] as [(String, AttributeType)] {
      add(name, type)
    }
    add("small", .integer32) {
      $0.minimumValue = .integer(1)
      $0.maximumValue = .integer(5)
    }
    add("ratio", .double) {
      $0.minimumValue = .double(-0.5)
      $0.maximumValue = .double(0.5)
    }
    add("price", .decimal) {
      $0.minimumValue = .decimal(0)
      $0.maximumValue = .decimal(100)
    }
    add("day", .date) {
      $0.minimumValue = .date(Date(timeIntervalSinceReferenceDate: 0))
      $0.maximumValue = .date(Date(timeIntervalSinceReferenceDate: 86_400))
    }
    add("short", .string) {
      $0.minimumValue = .integer(2)
      $0.maximumValue = .integer(3)
    }
    add("code", .string) { $0.regularExpression = "a|ab|[0-9]+" }
    add("lines", .string) { $0.regularExpression = "a.*z" }
    add("must", .string) { $0.isOptional = false }
    add("count", .integer32) {
      $0.isOptional = false
      $0.defaultValue = .integer(7)
    }
    return try ManagedObjectModel(entities: [thing])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var attribute: String
    var text: String
    var expected: String
    var testDescription: String { "\(attribute) \(text.prefix(30)) → \(expected)" }

    init(_ attribute: String, _ text: String, _ expected: String) {
      self.attribute = attribute
      self.text = text
      self.expected = expected
    }
  }

  static let nines = String(repeating: "9", count: 39)

  static let csv = [
    Case("i16", "12", "int 12"), Case("i16", "+12", "int 12"), Case("i16", "-32768", "int -32768"),
    Case("i16", "32767", "int 32767"), Case("i16", "32768", "value.out-of-range@1"),
    Case("i16", "-32769", "value.out-of-range@1"), Case("i16", "007", "int 7"),
    Case("i16", "1.0", "value.not-a-number@1"), Case("i16", "1e2", "value.not-a-number@1"),
    Case("i16", " 1", "value.not-a-number@1"), Case("i16", "１", "value.not-a-number@1"), Case("i16", "", "null"),
    Case("i16", "\"\"", "null"), Case("i16", "\"12\"", "int 12"), Case("i32", "2147483647", "int 2147483647"),
    Case("i32", "2147483648", "value.out-of-range@1"), Case("i32", "-2147483649", "value.out-of-range@1"),
    Case("i64", "9223372036854775807", "int 9223372036854775807"),
    Case("i64", "9223372036854775808", "value.out-of-range@1"),
    Case("i64", "-9223372036854775808", "int -9223372036854775808"), Case("i64", "true", "value.not-a-number@1"),
    Case("decimal", "12.50", "decimal 12.5"), Case("decimal", "-0", "decimal 0"),
    Case("decimal", "1e3", "decimal 1000"), Case("decimal", nines, "value.out-of-range@1"),
    Case("decimal", "1e200", "value.out-of-range@1"), Case("decimal", "1e400", "value.out-of-range@1"),
    Case("decimal", "1e-400", "value.out-of-range@1"), Case("decimal", "nan", "value.not-finite@1"),
    Case("decimal", "1.5.1", "value.not-a-number@1"), Case("decimal", "", "null"), Case("double", "0.1", "real 0.1"),
    Case("double", "1e3", "real 1000.0"), Case("double", "-0", "real -0.0"), Case("double", ".5", "real 0.5"),
    Case("double", "NaN", "value.not-finite@1"), Case("double", "-inf", "value.not-finite@1"),
    Case("double", "1e999", "value.not-finite@1"), Case("double", "0x10", "value.not-a-number@1"),
    Case("double", "1 000", "value.not-a-number@1"), Case("float", "0.1", "real 0.10000000149011612"),
    Case("float", "1e39", "value.out-of-range@1"), Case("float", "1e999", "value.not-finite@1"),
    // Rounded by way of a Double, this would be 1.
    Case("float", "1.00000005960464478", "real 1.0000001192092896"),
    Case("float", "1.000000059604644775390625", "real 1.0"), Case("string", "abc", "text abc"),
    Case("string", "", "null"), Case("string", "\"\"", "text "), Case("string", "\"a\"\"b\"", "text a\"b"),
    Case("string", "007", "text 007"), Case("string", " x ", "text  x "), Case("bool", "1", "bool true"),
    Case("bool", "no", "bool false"), Case("bool", "TRUE", "bool true"), Case("bool", "2", "value.not-a-boolean@1"),
    Case("bool", "", "null"), Case("date", "2001-01-02", "date 86400.0"),
    Case("date", "2001-01-01T01:00:00+01:00", "date 0.0"), Case("date", "2001-02-30", "value.not-a-date@1"),
    Case("date", "yesterday", "value.not-a-date@1"), Case("date", "", "null"), Case("data", "QUI=", "data [65, 66]"),
    Case("data", "QUI", "value.not-base64@1"), Case("data", "", "null"), Case("shape", "QQ==", "data [65]"),
    Case("uuid", "6e9a3e9c-3a0e-4b6e-9c55-0e6a5b0d9b11", "uuid 6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"),
    Case("uuid", "6e9a3e9c", "value.not-a-uuid@1"), Case("uuid", "", "null"),
    Case("uri", "https://example.com/a?b#c", "uri https://example.com/a?b#c"),
    Case("uri", "not a uri", "value.not-a-uri@1"), Case("uri", "", "null"), Case("small", "1", "int 1"),
    Case("small", "5", "int 5"), Case("small", "0", "value.below-minimum@1"),
    Case("small", "6", "value.above-maximum@1"),
    Case("small", "99999999999", "value.out-of-range@1"), Case("ratio", "0.5", "real 0.5"),
    Case("ratio", "0.6", "value.above-maximum@1"), Case("ratio", "-0.6", "value.below-minimum@1"),
    Case("price", "100.00", "decimal 100"), Case("price", "100.01", "value.above-maximum@1"),
    Case("price", "-0.01", "value.below-minimum@1"), Case("day", "2001-01-02", "date 86400.0"),
    Case("day", "2001-01-03", "value.above-maximum@1"), Case("day", "2000-12-31", "value.below-minimum@1"),
    Case("short", "ab", "text ab"), Case("short", "a", "value.too-short@1"), Case("short", "abcd", "value.too-long@1"),
    // UTF-16 counts, as in an NSString.
    Case("short", "äöü", "text äöü"), Case("short", "e\u{301}a", "text e\u{301}a"),
    Case("short", "e\u{301}e\u{301}", "value.too-long@1"),
    // The expression has to match the whole text, by whichever alternative.
    Case("code", "ab", "text ab"), Case("code", "123", "text 123"), Case("code", "abc", "value.does-not-match@1"),
    Case("code", "12\n", "value.does-not-match@1"), Case("must", "", "value.missing@1"), Case("must", "\"\"", "text "),
    Case("count", "", "value.missing@1"),
  ]

  @Test("a CSV field becomes a value of the attribute's type, or a problem", arguments: csv)
  func csvField(_ test: Case) throws {
    var text = test.text
    if text.contains("\n") { text = "\"\(text)\"" }
    let decoding = try Decoding("other,f\n,\(text)\n", as: "csv", model: Self.model(), map: ["\(test.attribute): f"])
    // The field is the second of its line.
    #expect(decoding.outcome(test.attribute) == test.expected.replacing("@1", with: "@2"))
  }

  static let json = [
    Case("i16", "12", "int 12"), Case("i16", "\"12\"", "int 12"), Case("i16", "12.0", "int 12"),
    Case("i16", "1.2e1", "int 12"), Case("i16", "12.5", "value.not-a-number@7"),
    Case("i16", "1e6", "value.out-of-range@7"),
    Case("i16", "true", "value.not-a-number@7"), Case("i16", "null", "null"),
    Case("i16", "\"\"", "value.not-a-number@7"),
    Case("i16", "[]", "value.structured@7"), Case("i16", "{}", "value.structured@7"),
    // More digits than a Double keeps.
    Case("i64", "9007199254740993.0", "int 9007199254740993"),
    Case("i64", "9223372036854775807.0", "int 9223372036854775807"),
    Case("i64", "9223372036854775808.0", "value.out-of-range@7"), Case("i64", "1e19", "value.out-of-range@7"),
    Case("i64", "-9.223372036854775808e18", "int -9223372036854775808"), Case("i64", "1e-1", "value.not-a-number@7"),
    Case("i64", "0e999", "int 0"), Case("i64", "1e999999999999999999999", "value.out-of-range@7"),
    Case("decimal", "0.1", "decimal 0.1"), Case("decimal", "\"12.50\"", "decimal 12.5"),
    Case("decimal", "12345678901234567890.123", "decimal 12345678901234567890.123"),
    Case("decimal", "true", "value.not-a-number@7"), Case("double", "1", "real 1.0"),
    Case("double", "\"1.5\"", "real 1.5"),
    Case("double", "1e999", "value.not-finite@7"), Case("double", "false", "value.not-a-number@7"),
    Case("string", "\"a\"", "text a"), Case("string", "\"\"", "text "), Case("string", "\"\\u00e9\\n\"", "text é\n"),
    Case("string", "1.50", "text 1.50"), Case("string", "true", "text true"), Case("string", "null", "null"),
    Case("string", "[1]", "value.structured@7"), Case("bool", "true", "bool true"), Case("bool", "0", "bool false"),
    Case("bool", "\"yes\"", "bool true"), Case("bool", "1.0", "value.not-a-boolean@7"), Case("bool", "null", "null"),
    Case("date", "\"2001-01-01T00:00:00Z\"", "date 0.0"), Case("date", "5", "value.not-a-date@7"),
    Case("data", "\"QQ==\"", "data [65]"), Case("data", "\"\"", "data []"), Case("data", "12", "value.not-base64@7"),
    Case("uuid", "\"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11\"", "uuid 6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"),
    Case("uuid", "1", "value.not-a-uuid@7"), Case("uri", "\"a/b\"", "uri a/b"), Case("uri", "5", "value.not-a-uri@7"),
    Case("uri", "\"\"", "value.not-a-uri@7"), Case("code", "12", "text 12"),
    Case("code", "true", "value.does-not-match@7"),
    // As validation has it, the dot stands for line breaks too.
    Case("lines", "\"a\\nz\"", "text a\nz"), Case("lines", "\"a\\nz\\n\"", "value.does-not-match@7"),
    Case("must", "null", "value.missing@7"), Case("count", "null", "value.missing@7"), Case("count", "3", "int 3"),
  ]

  @Test("a JSON value becomes a value of the attribute's type, or a problem", arguments: json)
  func jsonValue(_ test: Case) throws {
    let decoding = try Decoding(
      "{\"f\": \(test.text)}\n", as: "ndjson", model: Self.model(), map: ["\(test.attribute): f"])
    #expect(decoding.outcome(test.attribute) == test.expected)
  }

  @Test("what the record lacks is absent, which an object that exists survives and a new one may not")
  func absent() throws {
    let decoding = try Decoding(
      "{}\n", as: "ndjson", model: Self.model(),
      map: ["string: s", "must: m", "count: c", "i16: { from: i, default: 4 }"])
    #expect(decoding.outcome("string") == "absent")
    #expect(decoding.outcome("must") == "absent")
    #expect(decoding.outcome("count") == "absent")
    #expect(decoding.outcome("i16") == "int 4")
    // Only `must` has no default in the model.
    #expect(decoding.decoded.root.insertProblems[0]?.map(\.property) == ["must"])
  }

  @Test("required attributes that nothing maps are told for every record", arguments: ["csv", "ndjson"])
  func unmapped(format: String) throws {
    let source = format == "csv" ? "f\nx\ny\n" : "{\"f\": \"x\"}\n{\"f\": \"y\"}\n"
    let decoding = try Decoding(source, as: format, model: Self.model(), map: ["string: f"])
    for row in [Int32(0), 1] { #expect(decoding.decoded.root.insertProblems[row]?.map(\.property) == ["must"]) }
  }

  @Test(
    "a default stands in for absent and null, and is checked like a value",
    arguments: [
      ("", "int 5"), ("x", "value.not-a-number@1"), ("3", "int 3"), ("9", "value.above-maximum@1"),
    ])
  func defaults(_ text: String, _ expected: String) throws {
    let decoding = try Decoding(
      "f,g\n\(text),\n", as: "csv", model: Self.model(), map: ["small: { from: f, default: 5 }"])
    #expect(decoding.outcome("small") == expected)
    let bad = try Decoding("f,g\n,\n", as: "csv", model: Self.model(), map: ["small: { from: f, default: 50 }"])
    #expect(bad.outcome("small") == "value.above-maximum@1")
  }

  @Test(
    "texts that mean null: the source's, or the attribute's own instead",
    arguments: [
      ("string: f", "-", "null"), ("string: f", "\"-\"", "text -"), ("string: f", "", "text "),
      ("i16: f", "-", "null"), ("i16: f", "\"-\"", "null"), ("i16: { from: f, nulls: [\"0\"] }", "0", "null"),
      ("i16: { from: f, nulls: [\"0\"] }", "-", "value.not-a-number@1"), ("string: upper(f)", "-", "null"),
      ("string: upper(f)", "\"-\"", "text -"), ("i16: number(f)", "\"-\"", "null"), ("i16: f + 1", "\"-\"", "null"),
      ("i16: { from: 'f == \"\" ? 0 : 1', nulls: [\"\"] }", "\"\"", "int 0"), ("double: number(f)", "-", "null"),
      ("i16: { from: f, nulls: [] }", "", "value.not-a-number@1"),
    ])
  func nulls(_ line: String, _ text: String, _ expected: String) throws {
    let decoding = try Decoding(
      "f,g\n\(text),\n", as: "csv", model: Self.model(), map: [line], from: ", nulls: [\"-\"]")
    #expect(decoding.outcome(String(line.prefix { $0 != ":" })) == expected)
  }

  @Test(
    "constants and expressions have the attribute's type too",
    arguments: [
      ("i16: 5", "int 5"), ("i16: 50000", "value.out-of-range@1"), ("string: \"'a'\"", "text a"),
      ("string: 5", "text 5"),
      ("bool: true", "bool true"), ("double: 1.5", "real 1.5"), ("string: null", "null"),
      ("must: null", "value.missing@1"),
      ("i16: n + 1", "int 13"), ("i16: n / 5", "value.not-a-number@1"), ("i16: n / 4", "int 3"),
      ("string: concat(f, '!')", "text x y!"), ("uri: f", "value.not-a-uri@1"), ("string: trim(missing)", "absent"),
      ("date: date(d)", "date 0.25"), ("string: date(d)", "text 2001-01-01T00:00:00.25Z"),
      ("string: n / 5", "text 2.4"), ("decimal: n / 5", "decimal 2.4"), ("i16: upper(f)", "value.not-a-number@1"),
      ("bool: \"n > 3\"", "bool true"), ("i16: f + 1", "expression.not-a-number@1"),
    ])
  func expressions(_ line: String, _ expected: String) throws {
    let decoding = try Decoding(
      "{\"f\": \"x y\", \"n\": 12, \"d\": \"2001-01-01T00:00:00.25Z\"}\n", as: "ndjson", model: Self.model(),
      map: [line])
    let outcome = decoding.outcome(String(line.prefix { $0 != ":" }))
    if expected.contains("@") {
      #expect(outcome.split(separator: "@")[0] == expected.split(separator: "@")[0])
    } else {
      #expect(outcome == expected)
    }
  }

  @Test("duration() and normalized() of one field say the same as the evaluator", arguments: ["csv", "ndjson"])
  func fastPaths(format: String) throws {
    let texts = [
      "25:10:00", "0:00", "00:00:59", "1:60:00", "-1:00", "90", "", "x", "1:2:3", "99999999999:00", "32768", "9:06:07",
      "ÀÉ ß", "Ｆｕｌｌ", "abc DEF", "İstanbul", "e\u{301}", "true", "-", "12:00:00 ",
    ]
    let values =
      format == "csv" ? [] : ["1", "-1.5", "2.0", "1e3", "true", "false", "null", "12345678901234567890"]
    for text in texts.map({ format == "csv" ? $0 : "\"\($0)\"" }) + values {
      for attribute in ["i16", "i32", "i64", "string", "short"] {
        let function = attribute.hasPrefix("i") ? "duration" : "normalized"
        let source = format == "csv" ? "f,g\n\(text),\n" : "{\"f\": \(text)}\n"
        // The same by way of an expression: `coalesce` with one argument changes nothing but the path.
        let fast = try Decoding(source, as: format, model: Self.model(), map: ["\(attribute): \(function)(f)"])
        let slow = try Decoding(
          source, as: format, model: Self.model(), map: ["\(attribute): \"true ? \(function)(f) : null\""])
        let expected = slow.outcome(attribute).replacing("expression.not-a-duration", with: "value.not-a-duration")
        #expect(fast.outcome(attribute) == expected, "\(attribute) \(text)")
      }
    }
  }

  @Test("every problem of a record is told, each at its place")
  func severalProblems() throws {
    let decoding = try Decoding(
      "a,b,c\n1,2,3\nx,99999,\"\n2\"\n,1,2\n", as: "csv", model: Self.model(),
      map: ["i16: a", "i32: b", "small: c", "must: a"])
    #expect(decoding.outcome("i16", record: 0) == "int 1")
    #expect(decoding.outcome("i16", record: 1) == "value.not-a-number@1 value.not-a-number@9")
    #expect(decoding.outcome("must", record: 2) == "value.missing@1")
    #expect(decoding.decoded.root.batch.count == 1)
  }
}
