import Foundation
import Testing

/// The pipelines that the project ships, run as the README says.
@Suite("Shipped pipelines")
struct ShippedPipelineTests {
  @Test("the transit feed becomes stops, routes, trips and stop times that all lead to each other")
  func transit() async throws {
    let workspace = try Workspace.shipped()
    let report = try await workspace.report("pipelines/transit.yaml")
    let store = "build/Transit.sqlite"
    #expect(report.exitCode == 0)
    #expect(try workspace.names(in: "build") == ["Transit.sqlite", "stops.csv.gz"])

    for (step, source) in zip(
      report.steps, ["stops", "stations", "station-stops", "routes", "trips", "stop_times"])
    {
      #expect(step.counts.read == (try csvRecords(workspace.inflated("seeds/transit/\(source).csv.gz"))), "\(source)")
      #expect(step.counts.sum == step.counts.read)
    }
    // Tables that are still empty are loaded as pages after a step that needed indexes.
    if Tool.picksStrategies {
      #expect(
        report.steps.filter { $0.reason.contains("finished pages") }.map(\.entity) == [
          "Stop", "Route", "Trip", "StopTime",
        ])
    }
    #expect(
      try workspace.query(store, "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_NAME")
        == ["Route|22", "Stop|419", "StopTime|37790", "Trip|1339"])
    for (sql, expected) in [
      ("SELECT count(*) FROM ZSTOP", "419"),
      ("SELECT count(ZPARENT) FROM ZSTOP", "10"),
      ("SELECT count(*) FROM ZSTOP WHERE ZNORMALIZEDNAME IS NULL", "0"),
      ("SELECT count(*) FROM ZSTOP WHERE ZNORMALIZEDNAME GLOB '*[A-Z]*'", "0"),
      ("SELECT count(*) FROM ZROUTE", "22"),
      ("SELECT count(*) FROM ZTRIP", "1339"),
      ("SELECT count(*) FROM ZSTOPTIME", "37790"),
      ("SELECT count(*) FROM ZSTOPTIME WHERE ZDEPARTURETIME >= 86400", "1405"),
      ("SELECT max(ZDEPARTURETIME) FROM ZSTOPTIME", "\((29 * 60 + 39) * 60)"),
      ("SELECT count(*) FROM ZSTOP JOIN ZSTOP AS PARENT ON PARENT.Z_PK = ZSTOP.ZPARENT", "10"),
      ("SELECT count(*) FROM ZTRIP JOIN ZROUTE ON ZROUTE.Z_PK = ZTRIP.ZROUTE", "1339"),
      (
        "SELECT count(*) FROM ZSTOPTIME JOIN ZTRIP ON ZTRIP.Z_PK = ZSTOPTIME.ZTRIP "
          + "JOIN ZSTOP ON ZSTOP.Z_PK = ZSTOPTIME.ZSTOP", "37790"
      ),
      ("PRAGMA integrity_check", "ok"),
      ("PRAGMA journal_mode", "delete"),
    ] {
      #expect(try workspace.query(store, sql) == [expected], "\(sql)")
    }

    let exported = try workspace.inflated("build/stops.csv.gz")
    #expect(exported.hasPrefix("identifier,name,latitude,longitude,parent.identifier\n"))
    #expect(csvRecords(exported) == 419)
    #expect(report.exports.map(\.rows) == [419])
  }

  @Test("a record of the transit feed arrives as it was written")
  func transitValues() async throws {
    let workspace = try Workspace.shipped()
    let outcome = try await workspace.run("run", "--quiet", "pipelines/transit.yaml")
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.talk.isEmpty)
    // Every stop time again, from the text: trip, stop, sequence and both times in seconds.
    let header = "trip_id,arrival_time,departure_time,stop_id,stop_sequence"
    let text = try workspace.inflated("seeds/transit/stop_times.csv.gz").replacingOccurrences(of: "\r", with: "")
    let lines = text.split(separator: "\n")
    #expect(lines.first?.hasPrefix(header) == true)
    var expected: [String] = []
    for line in lines.dropFirst().prefix(500) {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      expected.append("\(fields[0])|\(fields[3])|\(fields[4])|\(seconds(fields[1]))|\(seconds(fields[2]))")
    }
    let stored = try workspace.query(
      "build/Transit.sqlite",
      """
      SELECT T.ZIDENTIFIER, S.ZIDENTIFIER, X.ZSEQUENCE, X.ZARRIVALTIME, X.ZDEPARTURETIME FROM ZSTOPTIME X
      JOIN ZTRIP T ON T.Z_PK = X.ZTRIP JOIN ZSTOP S ON S.Z_PK = X.ZSTOP ORDER BY X.Z_PK LIMIT 500
      """)
    #expect(stored == expected)
  }

  @Test("one document of venues becomes five entities that are wired to each other")
  func bubbleTea() async throws {
    let workspace = try Workspace.shipped()
    let report = try await workspace.report("pipelines/bubble-tea.yaml")
    #expect(report.exitCode == 0)
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(workspace.inflated("seeds/bubble-tea/seed.json.gz").utf8))
        as? [String: Any])
    let venues = try #require((document["response"] as? [String: Any])?["venues"] as? [[String: Any]])
    #expect(report.total.read == venues.count)
    #expect(report.total.sum == venues.count)
    let store = "build/BubbleTea.sqlite"
    for (table, count) in [("VENUE", 40), ("LOCATION", 40), ("PRICEINFO", 28), ("STATS", 37), ("CATEGORY", 5)] {
      #expect(try workspace.query(store, "SELECT count(*) FROM Z\(table)") == ["\(count)"], "\(table)")
    }
    for (property, key) in [("LOCATION", "location"), ("PRICEINFO", "price"), ("STATS", "stats")] {
      #expect(
        try workspace.query(
          store,
          "SELECT count(*) FROM ZVENUE JOIN Z\(property) N ON N.Z_PK = ZVENUE.Z\(property) AND N.ZVENUE = ZVENUE.Z_PK")
          == ["\(venues.count { $0[key] is [String: Any] })"], "\(property)")
    }
    #expect(csvRecords(try workspace.text("build/venues.csv")) == 40)
  }

  @Test("recipes imported twice and then updated leave one object per source and identifier")
  func recipes() async throws {
    let workspace = try Workspace.shipped()
    let report = try await workspace.report("pipelines/recipes.yaml")
    #expect(report.exitCode == 0)
    let update = try workspace.inflated("seeds/recipes/update.ndjson.gz").split(separator: "\n").count
    #expect(report.steps.map(\.counts.read) == [200, 200, update])
    #expect(report.steps.map(\.counts.inserted) == [200, 0, 12])
    #expect(report.steps.map(\.counts.updated) == [0, 0, 30])
    #expect(report.steps.map(\.counts.unchanged) == [0, 200, 60])
    #expect(report.steps.allSatisfy { $0.counts.sum == $0.counts.read })
    let store = "build/Recipes.sqlite"
    #expect(
      try workspace.query(
        store, "SELECT count(*), count(DISTINCT ZSOURCE || '/' || ZEXTERNALIDENTIFIER) FROM ZRECIPE") == ["212|212"])
    // Objects that said nothing new were not touched: only the 30 updated ones have a second version.
    #expect(
      try workspace.query(store, "SELECT Z_OPT, count(*) FROM ZRECIPE GROUP BY 1 ORDER BY 1") == ["1|182", "2|30"])
    #expect(try workspace.inflated("build/recipes.ndjson.gz").split(separator: "\n").count == 212)
  }

  @Test("the bundled journal keeps the rows of its log and takes new entries")
  func surfJournal() async throws {
    let workspace = try Workspace.shipped()
    let bundled = ["", "-wal", "-shm"].map { "seeds/surf-journal/SurfJournalModel.sqlite" + $0 }
    let before = try bundled.map(workspace.bytes)
    let report = try await workspace.report("pipelines/surf-journal.yaml")
    #expect(report.exitCode == 0)
    #expect(try bundled.map(workspace.bytes) == before)
    let entries = try workspace.inflated("seeds/surf-journal/entries.ndjson.gz").split(separator: "\n").count
    let more = csvRecords(try workspace.inflated("seeds/surf-journal/more-entries.csv.gz"))
    #expect(report.total.read == more)
    #expect(report.total.sum == more)
    #expect(entries + report.total.inserted == 560)
    #expect(try workspace.query("build/SurfJournal.sqlite", "SELECT count(*) FROM ZJOURNALENTRY") == ["560"])
    #expect(csvRecords(try workspace.text("build/journal.csv")) == 560)
    #expect(try workspace.names(in: "build") == ["SurfJournal.sqlite", "journal.csv"])
  }

  @Test("lint finds nothing", arguments: ["transit", "bubble-tea", "recipes", "surf-journal"])
  func linted(pipeline: String) async throws {
    let workspace = try Workspace.shipped()
    let outcome = try await workspace.run("lint", "pipelines/\(pipeline).yaml")
    #expect(outcome.exitCode == 0)
    #expect(outcome.text.isEmpty)
  }

  private func seconds(_ text: Substring) -> Int {
    text.split(separator: ":").reduce(0) { $0 * 60 + (Int($1) ?? 0) }
  }
}

/// Records of a CSV text with a header, counted without the code under test.
func csvRecords(_ text: String) -> Int {
  var lines = 0
  var isQuoted = false
  var isEmpty = true
  for byte in text.utf8 {
    if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
    if byte == UInt8(ascii: "\n"), !isQuoted {
      if !isEmpty { lines += 1 }
      isEmpty = true
    } else if byte != UInt8(ascii: "\r") {
      isEmpty = false
    }
  }
  return lines + (isEmpty ? 0 : 1) - 1
}
