import ImportEngine
import ObjectModel
import SeedFormats
import TestSupport
import Testing

@testable import Inference

@Suite("The type of a column")
struct ColumnTypeTests {
  static func decision(
    _ values: [String], named name: String = "field", kind: FieldSlice.Kind = .string, takesValues: Bool = false
  ) -> ColumnDecision {
    let column = ColumnProfile(name: name, budget: ColumnHashes.Budget(10_000))
    for (index, value) in values.enumerated() {
      unsafe Array(value.utf8).withUnsafeBytes { bytes in
        unsafe column.observe(
          bytes, kind, isQuoted: false, emptyIsNull: kind == .string, line: UInt64(index + 2))
      }
    }
    return ColumnDecision(column, takesValues: takesValues, isJSON: kind != .string)
  }

  struct Case: CustomTestStringConvertible {
    var values: [String]
    /// With `--keep-text`.
    var type: AttributeType
    /// Without, where that differs.
    var byValue: AttributeType?
    var name = "field"
    var testDescription: String { values.joined(separator: " ") }

    init(_ values: String, _ type: AttributeType, byValue: AttributeType? = nil, name: String = "field") {
      self.values = values.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      self.type = type
      self.byValue = byValue
      self.name = name
    }
  }

  static let cases: [Case] = [
    .init("1|2|-3", .integer32), .init("1||2", .integer32), .init("1001|1005", .integer32),
    .init("32767|32768", .integer32),
    .init("2147483648", .integer64), .init("9223372036854775807|-9223372036854775808", .integer64),
    .init("9223372036854775808", .string), .init("007|008", .string), .init("1|02", .string), .init("+1|2", .string),
    .init("-0|1", .string, byValue: .decimal), .init("-0.0|1.5", .string, byValue: .double),
    .init("-0.0|1.0", .string, byValue: .double), .init("-0.0", .string, byValue: .double),
    .init("1|2.5", .decimal), .init("1.0|2.5", .double),
    .init("1.50|2.25", .string, byValue: .decimal), .init("9.99|12.50", .string, byValue: .decimal, name: "unit_price"),
    .init("9.99|12.5", .decimal, name: "Price"), .init("1.0|2.5", .double, byValue: .decimal, name: "Price"),
    .init("48.137|11.5", .double, name: "stop_lat"), .init("48.100|11.5", .string, byValue: .double, name: "Longitude"),
    .init("1.1|1.7", .string, name: "app_version"), .init("1|7", .integer32, name: "version"),
    .init("1.2|1.20", .string, name: "sections"), .init("2024-01-02|2024-02-03", .date, name: "release"),
    .init("1.9|1.10", .string, name: "app_version"), .init("1.9|1.10", .string, byValue: .decimal),
    .init("123456789012.345|0.5", .decimal), .init("1234567890123.456|0.5", .double), .init("-1.25|-0.5", .decimal),
    .init("01.50|2.25", .string), .init("+1.50|2.25", .string), .init("1.5|2e3", .string, byValue: .double),
    .init("1e5|2e5", .string, byValue: .double),
    .init("0.1234567890123456789", .string), .init("1.", .string, byValue: .decimal), .init("NaN|1.5", .string),
    .init("1,000|2", .string), .init(" 1|2", .string), .init("true|false", .boolean),
    .init("NO|NO", .string), .init("NO|SE", .string), .init("TRUE|TRUE", .string, byValue: .boolean),
    .init("TRUE|FALSE", .string, byValue: .boolean), .init("yes|no", .string, byValue: .boolean),
    .init("0|1", .integer32),
    .init("2024-01-05|2023-12-31", .date), .init("2024-01-05T10:00:00Z", .date),
    .init("2024-01-05T10:00:00Z|2024-01-05T10:00:00+01:00", .string), .init("2024-01-05|2024-01-05T10:00:00", .string),
    .init("2024-02-30", .string), .init("31/12/2024|01/02/2024", .date), .init("12/31/2024|01/02/2024", .date),
    .init("01/02/2024|03/04/2024", .string), .init("5.1.2024|31.12.2024", .date), .init("05.01.2024|31.12.2024", .date),
    .init("Jan 5, 2024|Dec 31, 2023", .date), .init("20240105|20241231", .integer32),
    .init("1/5/2024 9:30 AM|12/31/2024 11:05 PM", .date), .init("01/05/2024 09:30 AM|12/31/2024 11:05 PM", .date),
    .init("1/5/2024 9:30:05 AM|12/31/2024 11:05:00 PM", .date), .init("12/31/2024|11/30/2024", .date),
    .init("12/31/2024 10:30 AM", .date), .init("10/11/2024|11/12/2024", .string),
    .init("1/5/2024 9:30 AM|2/3/2024 11:05 PM", .string), .init("1/15/2024 9:30|2/3/2024 11:05", .date),
    .init("2024-01-05 9:30 AM|2024-01-05 11:30 PM", .date), .init("01/05/2024 9:30 AM|12/31/2024 11:05 PM", .date),
    .init("01/05/2024 9:30 AM|12/31/2024 1:05 PM|2/1/2024 1:05 PM", .string),
    .init("1704067200123|1704067200456", .integer64, byValue: .date, name: "created_at"),
    .init("1704067200123|1704067200456", .integer64, name: "field"), .init("4006381333931", .integer64, name: "start"),
    .init("1704067200123|1704067200456", .integer64, name: "time_id"),
    .init("1704067200|1704067201", .integer64, name: "ts"),
    .init("20240105|20241231", .date, name: "start_date"), .init("20240105|20241332", .integer32, name: "start_date"),
    .init("2024-01-05 10:00:00.123456789", .string), .init("10:30|11:45", .string), .init("2024", .integer32),
    .init("1700000000", .integer64),
    .init("1|2", .integer64, name: "stop_id"), .init("4006381333931", .string, name: "ean"),
    .init("4006381333931", .integer64, name: "eans"),
    .init("6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11", .uuid), .init("6e9a3e9c-3a0e-4b6e-9c55-0e6a5b0d9b11", .uuid),
    .init("6e9a3e9c-3a0e-4b6e-9c55-0e6a5b0d9b11|6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11", .string),
    .init("https://example.org/a?b=c|http://example.org", .uri), .init("mailto:a@b.c", .uri), .init("a/b|c", .string),
    .init("https://example.org/a b", .string), .init("note: x|key: y", .string),
    .init("iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", .binary), .init("Male|Fema", .string),
    .init("da39a3ee5e6b4b0d3255bfef95601890afd80709", .string), .init("||", .string), .init("x", .string),
  ]

  @Test("a type is taken where every value has it, or with --keep-text comes back as it is written", arguments: cases)
  func types(_ example: Case) {
    let strict = Self.decision(example.values, named: example.name)
    #expect(strict.type == example.type, "\(strict.evidence)")
    let loose = Self.decision(example.values, named: example.name, takesValues: true)
    #expect(loose.type == example.byValue ?? example.type, "\(loose.evidence)")
  }

  @Test("numbers of JSON are told by value, and texts among them make texts of all")
  func json() {
    #expect(Self.decision(["1", "2.50", "1e2"], kind: .number).type == .double)
    #expect(Self.decision(["1", "2"], kind: .number).type == .integer32)
    #expect(Self.decision(["1.0", "2.0"], kind: .number).type == .double)
    #expect(Self.decision(["12345678901234567890"], kind: .number).type == .string)
    #expect(Self.decision(["true", "true"], kind: .true).type == .boolean)
  }

  @Test("zero with a minus sign, which no store keeps, is told with its number and place")
  func negativeZeros() {
    let texts = Self.decision(["-0.0", "1.5", "-0.0"], takesValues: true)
    #expect(texts.rewritten == "2 of 3 are written otherwise in an export: -0.0 becomes 0.0 (line 2)")
    let numbers = Self.decision(["1.50", "-0.0", "2"], kind: .number)
    #expect(
      numbers.rewritten == "1 of 3 is zero with a minus sign, which no store keeps: -0.0 becomes 0.0 (line 3)")
    #expect(Self.decision(["1.50", "0.0", "2"], kind: .number).rewritten == nil)
  }

  @Test("whole numbers have room for later feeds, unless a few of them come again and again")
  func widths() {
    let stars = (0..<60).map { String($0 % 5) }
    #expect(Self.decision(stars).type == .integer16)
    #expect(Self.decision(Array(stars.prefix(40))).type == .integer32)
    #expect(Self.decision(stars.map { "1" + $0 + "000" }).type == .integer32)
    #expect(Self.decision(stars, named: "stars_id").type == .integer64)
    let key = Self.decision(["1", "2"]).asKey()
    #expect(key.type == .integer64)
    #expect(key.evidence == "whole numbers from 1 to 2: Integer 64")
    #expect(Self.decision(["a"]).asKey().type == .string)
  }

  @Test("the reason counts what does not fit, and names the first of it")
  func evidence() {
    let numbers = (1...20).map(String.init) + ["none", "x"]
    #expect(Self.decision(numbers).evidence == "text: 2 of 22 are no whole number (line 22: \"none\")")
    let codes = ["1", "2", "03"]
    #expect(Self.decision(codes).evidence.contains("1 of 3 would not come back"))
    let ambiguous = Self.decision(["01/02/2024", "03/04/2024"])
    #expect(ambiguous.evidence.contains("dd/MM/yyyy and MM/dd/yyyy both fit"))
    #expect(Self.decision(["1.50", "2.25"]).evidence.contains("would be written otherwise: 1.50 becomes 1.5 (line 2)"))
    let prices = Self.decision(["1.50", "2.25", "3.00"], takesValues: true)
    #expect(prices.rewritten == "2 of 3 are written otherwise in an export: 1.50 becomes 1.5 (line 2)")
    #expect(prices.evidence == "numbers with at most 2 decimals in all 3: Decimal; " + (prices.rewritten ?? ""))
    #expect(Self.decision(["1.5", "2.25"], takesValues: true).rewritten == nil)
    #expect(Self.decision(["-1.000,50", "2,25"]).evidence.contains("all 2 are numbers with a decimal comma"))
    let formulas = Self.decision(["=\"001\"", "=\"002\"", "7"])
    #expect(formulas.evidence.hasPrefix("text: 2 of 3 are formulas of spreadsheets"))
    let times = Self.decision(["1704067200123", "1704067200456"])
    #expect(times.evidence.hasSuffix("may be milliseconds since 1970, which `date: epoch-ms` reads into a Date"))
    let micros = Self.decision(["1704067200123456"], named: "seen")
    #expect(micros.evidence.hasSuffix("of which x / 1000000 with `date: epoch` makes a Date"))
    let dates = Self.decision(["1704067200123", "1704067200456"], named: "seen", takesValues: true)
    #expect(dates.datePattern == "epoch-ms" && dates.rewritten == "an export writes its dates in ISO 8601, UTC")
    #expect(Self.decision(["12/31/2024 10:30 AM"]).datePattern == "M/d/yyyy h:mm a")
    #expect(Self.decision(["1,000", "2,250"]).evidence == "text")
    #expect(Self.decision(["\u{2028}\n\tx"]).evidence == "text")
  }

  @Test("more values than may be kept are no key, and nothing is lost by it")
  func budget() {
    let column = ColumnProfile(name: "id", budget: ColumnHashes.Budget(100))
    for number in 0..<1000 {
      unsafe Array(String(number).utf8).withUnsafeBytes { bytes in
        unsafe column.observe(bytes, .string, isQuoted: false, emptyIsNull: true, line: 1)
      }
    }
    #expect(column.keys.isGivenUp)
    #expect(!column.keys.isUnique)
    #expect(column.values == 1000)
  }

  @Test("what digits tell of a Decimal is what a run makes of it", arguments: 1...4)
  func plainDecimals(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let trial = try #require(ValueTrial(.decimal))
    for _ in 0..<2000 {
      let text = String(
        try (0..<Int.random(in: 1...9, using: &random)).map { _ in
          try #require("0012.5-+eE 9".randomElement(using: &random))
        })
      unsafe Array(text.utf8).withUnsafeBytes { bytes in
        let tried = unsafe trial.outcome(bytes, .string)
        switch unsafe PlainDecimal.outcome(bytes) {
        case .same: #expect(tried == .same, "\(text)")
        case .shortened: #expect(tried == .sameValue, "\(text)")
        case .unfit: #expect(text.lowercased().contains("e"), "\(text)")
        case .unclear: #expect(tried != .same, "\(text)")
        }
      }
    }
  }
}
