import Foundation
import TestSupport
import Testing

/// Dates that are finer than a microsecond, as `Date()` of an app gives them, out and in again.
@Suite("Exported dates")
struct ExportedDateTests {
  private static let entities = """
    <entity name="Item"><attribute name="key" attributeType="String"/>
     <attribute name="date" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
     \(ModelXML.unique("key"))</entity>
    """

  @Test("an export is read back to the same numbers, to the bit", arguments: ["csv", "tsv", "ndjson", "csv.gz"])
  func bits(ending: String) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    var generator = SeededGenerator(seed: 7)
    var texts = ["2001-01-01T00:00:00.0000001Z", "2001-01-01T00:00:00.9999999Z", "1999-12-31T23:59:59.9999996Z"]
    for _ in 0..<1500 {
      let year = [1, 1900, 1999, 2000, 2001, 2024, 2026, 9999].randomElement(using: &generator) ?? 2024
      let (month, day) = (Int.random(in: 1...12, using: &generator), Int.random(in: 1...28, using: &generator))
      let (hour, minute) = (Int.random(in: 0...23, using: &generator), Int.random(in: 0...59, using: &generator))
      let digits = Int.random(in: 1...9, using: &generator)
      let fraction = String(
        String(format: "%09d", Int.random(in: 0...999_999_999, using: &generator)).prefix(digits))
      texts.append(
        String(format: "%04d-%02d-%02dT%02d:%02d:%02d.", year, month, day, hour, minute, minute) + fraction + "Z")
    }
    try workspace.write("in.csv", "key,date\n" + texts.enumerated().map { "\($0),\($1)\n" }.joined())
    func pipeline(_ store: String, _ source: String, _ export: String) -> String {
      """
      model: M.xcdatamodel
      store: { path: \(store) }
      import: [{ from: \(source), entity: Item, match: key, map: { key: key, date: date } }]
      export: [{ entity: Item, to: \(export), columns: [key, date] }]

      """
    }
    try workspace.write("p.yaml", pipeline("a.sqlite", "in.csv", "out." + ending))
    #expect(try await workspace.report("p.yaml").exitCode == 0)
    try workspace.write("q.yaml", pipeline("b.sqlite", "out." + ending, "again." + ending))
    #expect(try await workspace.report("q.yaml").exitCode == 0)
    let sql = "SELECT ZKEY, printf('%!.17g', ZDATE) FROM ZITEM ORDER BY ZKEY"
    let dates = try workspace.query("a.sqlite", sql)
    let again = try workspace.query("b.sqlite", sql)
    #expect(dates.count == texts.count && dates == again)
    let exported = try workspace.inflated("out." + ending)
    let exportedAgain = try workspace.inflated("again." + ending)
    #expect(exported == exportedAgain)
    #expect(try await workspace.run("diff", "a.sqlite", "b.sqlite").exitCode == 0)
  }

  @Test("the last moment of the year 9999 is read back, and what no text says after the zone is taken off is a reject")
  func endOfTime() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    let dates = [
      "9999-12-31 23:59:59.9999999", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "9999-12-31T23:30:00-01:00",
      "0000-01-01T00:00:00+01:00",
    ]
    try workspace.write("in.csv", "key,date\n" + dates.enumerated().map { "\($0),\($1)\n" }.joined())
    func pipeline(_ store: String, _ source: String, _ more: String) -> String {
      """
      model: M.xcdatamodel
      store: { path: \(store) }
      import: [{ from: \(source), entity: Item, match: key, map: { key: key, date: date } }]
      export: [{ entity: Item, to: \(store).csv, columns: [key, date] }]
      \(more)

      """
    }
    try workspace.write("p.yaml", pipeline("a", "in.csv", "rejects: { limit: 2 }"))
    let run = try await workspace.run("run", "p.yaml")
    #expect(run.exitCode == 1 && run.text.contains("is no date of the calendar"), "\(run.text)")
    try workspace.write("q.yaml", pipeline("b", "a.csv", ""))
    #expect(try await workspace.report("q.yaml").exitCode == 0)
    let sql = "SELECT ZKEY, printf('%!.17g', ZDATE) FROM ZITEM ORDER BY ZKEY"
    let kept = try workspace.query("a", sql)
    #expect(try kept.count == 3 && workspace.query("b", sql) == kept)
    #expect(try workspace.bytes("a.csv") == workspace.bytes("b.csv"))
  }

  @Test("a difference finer than a microsecond is shown")
  func difference() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    for (store, date) in [("a.sqlite", "2024-05-06T07:08:09.1234561Z"), ("b.sqlite", "2024-05-06T07:08:09.1234564Z")] {
      try workspace.write("in.csv", "key,date\nk,\(date)\n")
      try workspace.write(
        "p.yaml",
        """
        model: M.xcdatamodel
        store: { path: \(store) }
        import: [{ from: in.csv, entity: Item, match: key, map: { key: key, date: date } }]

        """)
      #expect(try await workspace.report("p.yaml").exitCode == 0)
    }
    let text = String(decoding: try await workspace.run("diff", "a.sqlite", "b.sqlite").output, as: UTF8.self)
    let dates = text.split(separator: "\"").filter { $0.hasPrefix("2024-05-06T07:08:09.12345") }
    #expect(dates.count == 2 && Set(dates).count == 2, "\(text)")
  }
}
