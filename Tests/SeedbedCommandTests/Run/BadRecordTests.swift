import Testing

/// Records that cannot be imported: each is refused with its position, written to the reject file as it was, imported
/// once it is mended; over the limit, the run fails and the previous store stays.
@Suite("Bad records")
struct BadRecordTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The third line of the file.
    var record: [UInt8]
    var mended: String
    var property = ""
    var code: String
    var value = ""
    /// Where in the line the problem lies, 1-based.
    var column: Int
    var settings: [String] = []
    var testDescription: String { name }

    init(
      _ name: String, _ record: String, mended: String, property: String = "", code: String, value: String = "",
      column: Int, settings: [String] = []
    ) {
      self.name = name
      // U+FFFD and U+2400 stand for what cannot be written in a Swift literal as it is.
      self.record = record.unicodeScalars.flatMap { scalar -> [UInt8] in
        switch scalar {
        case "\u{FFFD}": [0xFF]
        case "\u{2400}": [0]
        default: Array(String(scalar).utf8)
        }
      }
      self.mended = mended
      self.property = property
      self.code = code
      self.value = value
      self.column = column
      self.settings = settings
    }
  }

  static let cases: [Case] = [
    Case(
      "an Integer 16 out of range", "x,X,32768,,,,,,,", mended: "x,X,32767,,,,,,,", property: "small",
      code: "value.out-of-range", value: "32768", column: 5),
    Case(
      "an Integer 32 out of range", "x,X,,-2147483649,,,,,,", mended: "x,X,,-2147483648,,,,,,", property: "count",
      code: "value.out-of-range", value: "-2147483649", column: 6),
    Case(
      "an Integer 64 out of range", "x,X,,,9223372036854775808,,,,,", mended: "x,X,,,9223372036854775807,,,,,",
      property: "large", code: "value.out-of-range", value: "9223372036854775808", column: 7),
    Case(
      "a Double too great", "x,X,,,,1e999,,,,", mended: "x,X,,,,1e99,,,,", property: "ratio",
      code: "value.not-finite", value: "1e999", column: 8),
    Case(
      "not a number, which no Double attribute takes", "x,X,,,,NaN,,,,", mended: "x,X,,,,0,,,,", property: "ratio",
      code: "value.not-finite", value: "NaN", column: 8),
    Case(
      "infinity", "x,X,,,,-inf,,,,", mended: "x,X,,,,,,,,", property: "ratio", code: "value.not-finite",
      value: "-inf", column: 8),
    Case(
      "text where a number belongs", "x,X,,twelve,,,,,,", mended: "x,X,,12,,,,,,", property: "count",
      code: "value.not-a-number", value: "twelve", column: 6),
    Case(
      "a fraction where an integer belongs", "x,X,,1.5,,,,,,", mended: "x,X,,1,,,,,,", property: "count",
      code: "value.not-a-number", value: "1.5", column: 6),
    Case(
      "a value above the maximum", "x,X,,,,,11,,,", mended: "x,X,,,,,10,,,", property: "rank",
      code: "value.above-maximum", value: "11", column: 9),
    Case(
      "a value below the minimum", "x,X,,,,,0,,,", mended: "x,X,,,,,1,,,", property: "rank",
      code: "value.below-minimum", value: "0", column: 9),
    Case(
      "text that the regular expression refuses", "x,X,,,,,,ab1,,", mended: "x,X,,,,,,AB1,,", property: "code",
      code: "value.does-not-match", value: "ab1", column: 10),
    Case(
      "text longer than the model allows", "x,X,,,,,,,\"thirteen, all\",", mended: "x,X,,,,,,,\"twelve, all!\",",
      property: "note", code: "value.too-long", value: "thirteen, all", column: 11),
    Case(
      "a required value that is missing", "x,,1,,,,,,,", mended: "x,X,1,,,,,,,", property: "name",
      code: "value.missing", column: 3),
    Case(
      "a match key that is missing", ",X,1,,,,,,,", mended: "x,X,1,,,,,,,", property: "identifier",
      code: "value.missing", column: 1),
    Case(
      "a reference to nothing", "x,X,,,,,,,,nowhere", mended: "x,X,,,,,,,,a", property: "parent",
      code: "reference.unresolved", value: "nowhere", column: 12),
    Case("a record that is too short", "x,X,1", mended: "x,X,1,,,,,,,", code: "csv.ragged", column: 6),
    Case(
      "a record that is too long", "x,X,1,,,,,,,,extra", mended: "x,X,1,,,,,,,", code: "csv.ragged", column: 13),
    Case("invalid UTF-8", "x,X\u{FFFD},,,,,,,,", mended: "x,X,,,,,,,,", code: "text.invalid-utf8", column: 4),
    Case("a NUL byte", "x,X\u{2400}X,,,,,,,,", mended: "x,XX,,,,,,,,", code: "text.nul", column: 4),
    Case(
      "text after a closing quote", "x,\"X\"X,,,,,,,,", mended: "x,\"XX\",,,,,,,,", code: "csv.text-after-quote",
      column: 6),
    Case(
      "characters before the problem count once, however many bytes they have", "x,Zoë 🍵,,many,,,,,,",
      mended: "x,Zoë 🍵,,1,,,,,,", property: "count", code: "value.not-a-number", value: "many", column: 10),
    Case(
      "a repeated key where duplicates are refused", "a,Again,,,,,,,,", mended: "x,Again,,,,,,,,",
      property: "identifier", code: "match.duplicate", value: "a", column: 1, settings: ["duplicates: reject"]),
  ]

  private static let head = ItemPipeline.header + "\na,Apple,1,2,3,4.5,6,AB1,,\n"
  private static let tail = "\nb,Banana,1,2,3,4.5,6,AB1,,a\n"
  private static let columns = "file,line,column,byteOffset,entity,property,code,value,message,hint,"

  @Test("a bad record is refused with its position and can be mended and fed back", arguments: cases)
  func insideLimit(_ bad: Case) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Array(Self.head.utf8) + bad.record + Array(Self.tail.utf8))
    var pipeline = ItemPipeline(settings: bad.settings, rejects: "file: rejects.csv, limit: 1")
    try pipeline.write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.exitCode == 1)
    #expect(report.total.read == 3)
    #expect(report.total.inserted == 2)
    #expect(report.total.rejected == 1)
    let reject = try #require(report.rejects.first)
    #expect(reject.file == "items.csv")
    #expect(reject.line == 3)
    #expect(reject.column == bad.column)
    #expect(reject.entity == "Item")
    #expect(reject.property == bad.property)
    #expect(reject.code == bad.code)
    #expect(reject.value == bad.value)
    #expect(!reject.message.isEmpty)
    let before = String(decoding: bad.record, as: UTF8.self).unicodeScalars.prefix(bad.column - 1)
    #expect(reject.byteOffset == Self.head.utf8.count + String(String.UnicodeScalarView(before)).utf8.count)

    let file = try workspace.bytes("rejects.csv")
    let start = [reject.file, "3", "\(reject.column)", "\(reject.byteOffset)", "Item", bad.property, bad.code]
    let lines = Self.columns + ItemPipeline.header + "\n" + start.joined(separator: ",") + ","
    #expect(file.starts(with: lines.utf8))
    #expect(file.suffix(bad.record.count + 2) == [UInt8(ascii: ",")] + bad.record + [10])
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM ORDER BY Z_PK") == ["a", "b"])

    // The record is mended in the reject file, and that file is imported into the store that is there.
    try workspace.write("items.csv", file.dropLast(bad.record.count + 1) + Array(bad.mended.utf8) + [10])
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    let second = try await workspace.report("items.yaml")
    #expect(second.exitCode == 0)
    #expect(second.total.read == 1)
    #expect(second.total.inserted == 1)
    #expect(!workspace.exists("rejects.csv"), "nothing is left to mend")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM ORDER BY Z_PK") == ["a", "b", "x"])
  }

  @Test("over the limit the run fails and the previous store stays as it was", arguments: cases)
  func overLimit(_ bad: Case) async throws {
    let workspace = try Workspace.withModel()
    try ItemPipeline(settings: bad.settings).write(to: workspace)
    try workspace.write("items.csv", Self.head)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")
    try workspace.write("items.csv", Array(Self.head.utf8) + bad.record + Array(Self.tail.utf8))
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 65)
    #expect(outcome.text.isEmpty)
    #expect(outcome.talk.contains("items.csv:3:\(bad.column): "))
    #expect(outcome.talk.contains("over the limit of 0"))
    #expect(try workspace.bytes("Shop.sqlite") == store)
    #expect(
      try workspace.names() == ["Shop.sqlite", "Shop.xcdatamodeld", "items.csv", "items.yaml", "rejects.csv"])
  }

  @Test("all problems of a record are told at once")
  func severalProblems() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", ItemPipeline.header + "\nx,,big,2,3,many,11,ab1,,\n")
    try ItemPipeline(rejects: "limit: 1").write(to: workspace)
    let report = try await workspace.report("items.yaml")
    let message = try #require(report.rejects.first).message
    for property in ["name", "small", "ratio", "rank", "code"] {
      #expect(message.contains("Item.\(property)"), "\(message)")
    }
    #expect(report.total.rejected == 1)
    #expect(report.rejectFiles.isEmpty)
  }

  @Test("a limit by percent counts against all records", arguments: [(25.0, 1), (24.9, 65)])
  func percent(limit: Double, exitCode: Int32) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", ItemPipeline.header + "\na,A,,,,,,,,\nb,,,,,,,,,\nc,C,,,,,,,,\nd,D,,,,,,,,\n")
    try ItemPipeline(rejects: "percent: \(limit)").write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == exitCode)
    #expect(workspace.exists("Shop.sqlite") == (exitCode == 1))
  }
}
