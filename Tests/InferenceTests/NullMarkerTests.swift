import ObjectModel
import Testing

@testable import Inference

@Suite("Texts that programs write where there is no value")
struct NullMarkerTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var values: [String]
    var type: AttributeType
    var nulls: [String]
    var name: String
    var testDescription: String { values.joined(separator: " ") }

    init(_ values: String, _ type: AttributeType, _ nulls: String..., name: String = "field") {
      self.values = values.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      self.type = type
      self.nulls = nulls
      self.name = name
    }
  }

  static let cases: [Case] = [
    .init("1|\\N|3", .integer32, "\\N"), .init("1|NULL|3", .integer32, "NULL"), .init("1|null|3|", .integer32, "null"),
    .init("1.5|NA|3.25", .decimal, "NA"), .init("1|N/A|-|3", .integer32, "N/A", "-"),
    .init("#N/A|1|2", .integer32, "#N/A"),
    .init("1.5|nan|2.5", .decimal, "nan"), .init("2024-01-05|\\N|2024-01-06", .date, "\\N"),
    .init("true|NULL|false", .boolean, "NULL"), .init("yes|no|NA", .boolean, "NA"),
    .init("https://a.b|\\N|https://c.d", .uri, "\\N"),
    // What database dumps write is no text.
    .init("a|\\N", .string, "\\N"), .init("\\N|\\N|5", .integer32, "\\N"), .init("\\N|\\N|Ann", .string, "\\N"),
    .init("\\N|\\N", .string, "\\N"), .init("5551234|5551235|\\N", .string, "\\N", name: "phone"),
    // Texts keep what they have.
    .init("DE|NA|FR", .string), .init("a|\\N|NA", .string), .init("NA|NA|NA", .string), .init("1|x|NA", .string),
    .init("1|NA", .string), .init("1|2|NA|-|NULL", .string), .init("007|NA|008", .string), .init("1|2|none", .string),
    .init("1.9|1.10|NA", .string, name: "app_version"),
  ]

  @Test("mean null where all other values are of a type that is not text", arguments: cases)
  func marked(_ example: Case) {
    let decision = ColumnTypeTests.decision(example.values, named: example.name, takesValues: true)
    #expect(decision.type == example.type, "\(decision.evidence)")
    #expect(
      decision.nulls
        == example.nulls.sorted { NullMarker.texts.firstIndex(of: $0) ?? 0 < NullMarker.texts.firstIndex(of: $1) ?? 0 })
    let strict = ColumnTypeTests.decision(example.values, named: example.name)
    #expect(strict.type == .string && strict.nulls.isEmpty, "\(strict.evidence)")
  }

  @Test("are told with their number and the first line")
  func told() {
    let decision = ColumnTypeTests.decision(["1", "NA", "3", "NA"], takesValues: true)
    #expect(decision.rewritten == "2 of 4 are \"NA\" and become null: empty in an export (line 3)")
    #expect(decision.evidence.hasPrefix("whole numbers from 1 to 3: Integer 32; 2 of 4 are \"NA\""))
    let text = ColumnTypeTests.decision(["DE", "NA", "FR"], takesValues: true)
    #expect(text.evidence == "text; 1 of 3 is \"NA\", which stays a text")
    #expect(ColumnTypeTests.decision(["NA", "NA"]).evidence == "text; 2 of 2 are \"NA\", which stay texts")
    let strict = ColumnTypeTests.decision(["1", "NA", "3"])
    #expect(strict.evidence == "text; without them an Integer; 1 of 3 is \"NA\", which stays a text")
    #expect(strict.byValue == .integer64)
  }

  @Test("are left out of an expression by name")
  func expressions() {
    #expect(NullMarker.expression("parent_id", []) == "parent_id")
    #expect(NullMarker.expression("parent_id", ["NA"]) == "\"parent_id == 'NA' ? null : parent_id\"")
    #expect(
      NullMarker.expression("\"`a b`\"", ["\\N", "-"])
        == "\"`a b` == '\\\\\\\\N' || `a b` == '-' ? null : `a b`\"")
  }

  @Test("are told from all other texts")
  func texts() {
    for (index, text) in NullMarker.texts.enumerated() {
      unsafe Array(text.utf8).withUnsafeBytes { #expect(unsafe NullMarker.index(of: $0) == index, "\(text)") }
    }
    for text in ["", "0", "-1", "N", "nul", "NULLS", "N.A.", "\\n", "Na"] {
      unsafe Array(text.utf8).withUnsafeBytes { #expect(unsafe NullMarker.index(of: $0) == nil, "\(text)") }
    }
  }
}
