import SeedFormats
import Testing

@testable import Inference

@Suite("The key of a list of records")
struct KeyChoiceTests {
  /// A list of records out of rows with bars between their fields, the first one being the header.
  static func list(_ name: String, _ rows: [String]) -> RecordList {
    let list = RecordList(path: name + ".csv", form: SourceForm(.csv), name: name)
    let table = rows.map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
    let budget = ColumnHashes.Budget(10_000)
    list.columns = (table.first ?? []).map { ColumnProfile(name: $0, budget: budget) }
    for (line, fields) in table.dropFirst().enumerated() {
      for (column, field) in zip(list.columns, fields) {
        unsafe Array(field.utf8).withUnsafeBytes { bytes in
          unsafe column.observe(bytes, .string, isQuoted: false, emptyIsNull: true, line: UInt64(line + 2))
        }
      }
    }
    list.count = table.count - 1
    return list
  }

  static func key(_ list: RecordList, isReferredTo: Bool = false) -> String? {
    let decisions = list.columns.map { ($0, ColumnDecision($0, takesValues: true, isJSON: false)) }
    return KeyChoice.key(of: list, decisions: decisions) { _, _ in isReferredTo }?.column.name
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var rows: [String]
    var key: String?
    var testDescription: String { rows.joined(separator: " ") }

    init(_ rows: String..., key: String?) {
      self.rows = rows
      self.key = key
    }
  }

  static let cases: [Case] = [
    // Names, titles and prose.
    .init("name|age", "Ann|3", "Bob|4", "Zoë|4", key: nil),
    .init("customer|age", "Ann Lee|3", "Bob Roe|4", "Al|4", key: nil),
    .init("title|year", "Alien|1979", "Heat|1995", key: nil), .init("name|n", "A1|3", "B2|3", key: nil),
    .init("planet|moons", "Earth|1", "Mars|2", "Venus|0", key: nil),
    .init("who|n", "Smith-Jones|3", "Lee-Roe|3", key: nil), .init("sentence|n", "one two|1", "three|1", key: nil),
    // Times, dates, measurements.
    .init("time|n", "10:30|1", "11:30|1", key: nil), .init("start|n", "10:30am|1", "11:05pm|1", key: nil),
    .init("m|n", "Jan-2024|1", "Feb-2024|1", key: nil), .init("q|n", "2024-Q1|1", "2024-Q2|1", key: nil),
    .init("day|n", "2024-01-05|1", "2024-01-06|1", key: nil), .init("at|n", "05/01/2024|1", "06/02/2024|1", key: nil),
    .init("w|n", "5kg|1", "10kg|1", key: nil), .init("d|n", "1.5|1", "2.5|1", key: nil),
    .init("phone_number|n", "5551234|1", "5551235|1", key: nil), .init("month|n", "JAN|1", "FEB|1", key: nil),
    .init("phone|n", "5551234|1", "5551235|1", key: nil), .init("phone|n", "555-1234|1", "555-1235|1", key: nil),
    .init("timestamp|n", "1700000001|1", "1700000002|2", key: nil),
    // Codes by their shape.
    .init("thing|n", "T1|1", "T2|1", key: "thing"), .init("tconst|n", "tt0000001|1", "tt0000002|1", key: "tconst"),
    .init("airport|n", "AMS|1", "FRA|1", key: "airport"), .init("state|n", "DE|1", "ABC|1", key: "state"),
    .init("item|n", "red-shirt|1", "blue-shirt|1", "hat|1", key: "item"),
    .init("zone|n", "Europe/Rome|1", "UTC+1|1", key: "zone"),
    .init("zone|n", "Europe/Rome|1", "Africa/Accra|1", key: "zone"), .init("part|n", "007|1", "008|1", key: "part"),
    .init("part|n", "07|1", "008|1", key: nil),
    .init("a|n", "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11|1", "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B12|1", key: "a"),
    // Names of keys.
    .init("name|id", "Ann|3", "Bob|4", key: "id"), .init("name|isbn", "Ann|3", "Bob|4", key: "isbn"),
    .init("name|slug", "Ann B|ann", "Bob C|bob", key: "slug"), .init("code|n", "a b|1", "c d|1", key: "code"),
    .init("name|phone_number", "Ann|5551234", "Bob|5551235", key: nil),
    .init("name|country_code", "Ann|DE", "Bob|FR", key: nil),
    .init("zip_code|city", "10115|A", "20095|B", key: "zip_code"),
    .init("n|smoking_yes_no", "1|20", "1|31", key: nil), .init("n|article_no", "1|20", "1|31", key: "article_no"),
    // Keys of something else.
    .init("date|customer_id", "2024-01-05|17", "2024-01-06|900", key: nil),
    .init("name|user_id|order_id", "Ann|1|1", "Bob|2|2", "Cid|3|3", "Dan|4|4", "Eve|5|5", key: nil),
    .init("name|user_id", "Ann|1", "Bob|2", "Cid|3", "Dan|4", "Eve|5", key: "user_id"),
    .init("name|user_id", "Ann|U1", "Bob|U2", key: "user_id"),
    .init("name|record_id|user_id", "A|1|1", "B|2|9", key: "record_id"),
    // One record.
    .init("id|name", "1|Germany", key: "id"), .init("code|name", "DE|Germany", key: "code"),
    .init("name|code", "Germany|DE", key: "code"), .init("thing|n", "T1|1", key: nil), .init("n|m", "1|2", key: nil),
    .init("id|name", "|Germany", key: nil), .init("id|name", key: nil),
  ]

  @Test("is a column that looks like one by its name or its values, and no other", arguments: cases)
  func keys(_ example: Case) {
    #expect(Self.key(Self.list("records", example.rows)) == example.key)
  }

  @Test("is a first column of names where another list refers to it")
  func referred() {
    let people = Self.list("people", ["name|age", "Ann|3", "Bob|4", "Zoë|4"])
    #expect(Self.key(people, isReferredTo: true) == "name")
    let times = Self.list("people", ["time|age", "10:30|3", "11:30|4", "12:30|4"])
    #expect(Self.key(times, isReferredTo: true) == nil)
  }

  @Test("that is missing is told with the reason")
  func absence() {
    func absence(_ rows: String...) -> String? {
      let list = Self.list("records", rows)
      return KeyChoice.absence(
        in: list, decisions: list.columns.map { ($0, ColumnDecision($0, takesValues: true, isJSON: false)) })
    }
    #expect(
      absence("name|n", "Ann|1", "Bob|1")
        == "no key: \"name\" is unique in 2 of 2, but neither its name nor its values are those of a key, and others may have them too"
    )
    #expect(absence("name|n", "Ann|1", "Ann|1") == "no key: no column is unique and never empty")
    #expect(absence("name|n", "Ann|1") == "no key: one record does not tell which column is one")
    #expect(absence("name|n") == nil)
  }
}
