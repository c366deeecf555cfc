import ModelFiles
import ObjectModel
import Testing

/// Keys of two and three columns.
@Suite("Compound keys of seedbed init")
struct InitCompoundKeyTests {
  private static func table(_ header: String, _ rows: [String]) -> String {
    ([header] + rows).joined(separator: "\n") + "\n"
  }

  private static let years = ["DE", "FR", "IT", "ES", "NL", "BE"].flatMap { country in
    (2000..<2010).map { "\(country),\($0),\($0 % 7)" }
  }
  private static let calls = ["A", "B", "C", "D"].flatMap { route in
    ["mo", "tu", "we"].flatMap { day in (1...8).map { "\(route),\(day),\($0),s\($0 % 5)" } }
  }

  static let cases: [(String, String, [String]?)] = [
    ("a pair", table("country,year,value", years), ["country", "year"]),
    ("a triple", table("route,day,number,stop", calls), ["route", "day", "number"]),
    (
      "a pair beside texts that are different",
      table("title,country,year", years.map { "Of \($0.prefix(7).replacing(",", with: " ")),\($0.prefix(7))" }),
      ["country", "year"]
    ),
    ("a pair with one record twice", table("country,year,value", years + [years[3]]), nil),
    ("a pair with an empty cell", table("country,year,value", years + [",2000,1"]), nil),
    ("too few records to tell", table("a,b", ["1,1", "1,2", "2,1", "2,2"]), nil),
    (
      "many values, which chance makes different",
      table("a,b,c", (0..<40).map { "\($0 * 7 % 37),\($0 * 11 % 39),\($0 * 5 % 38)" }), nil
    ),
  ]

  @Test("is found where it is no coincidence, and becomes a constraint", arguments: cases)
  func found(name: String, text: String, columns: [String]?) async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", text)
    let made = try await workspace.run("init", "a.csv")
    try #require(made.exitCode == 0, "\(made.talk)")
    let pipeline = try workspace.text("pipelines/a.yaml")
    let model = try ModelReader.read(path: workspace.path("Model.xcdatamodeld"))
    guard let columns else {
      #expect(!pipeline.contains("match:"), "\(pipeline)")
      return
    }
    let count = text.split(separator: "\n").count - 1
    #expect(
      pipeline.contains(
        "match: [\(columns.joined(separator: ", "))]  # together unique in all \(count), none of them alone"),
      "\(pipeline)")
    #expect(model["A"]?.uniquenessConstraints == [columns])
    for _ in 1...2 { #expect(try await workspace.run("run", "pipelines/a.yaml").exitCode == 0) }
    #expect(try workspace.query("build/a.sqlite", "SELECT count(*) FROM ZA") == ["\(count)"])
  }

  @Test("may hold a relationship, which is matched and no part of a constraint")
  func relationship() async throws {
    let workspace = try Workspace()
    try workspace.write("trips.csv", Self.table("trip_id,name", (1...6).map { "T\($0),x" }))
    let calls = (1...6).flatMap { trip in (1...9).map { "T\(trip),\($0),s\($0 % 4)" } }
    try workspace.write("stop_times.csv", Self.table("trip_id,stop_sequence,stop", calls))
    try workspace.write(
      "stop_times.ndjson",
      calls.map { line in
        let parts = line.split(separator: ",")
        return "{\"trip_id\": \"\(parts[0])\", \"stop_sequence\": \(parts[1]), \"stop\": \"\(parts[2])\"}\n"
      }.joined())
    for file in ["stop_times.csv", "stop_times.ndjson"] {
      let made = try await workspace.run("init", "trips.csv", file, "--name", "t", "--force")
      try #require(made.exitCode == 0, "\(made.talk)")
      let pipeline = try workspace.text("pipelines/t.yaml")
      #expect(pipeline.contains("match: [trip, stopSequence]  # together unique in all 54"), "\(pipeline)")
      let model = try ModelReader.read(path: workspace.path("t.xcdatamodeld"))
      #expect(model["StopTime"]?.uniquenessConstraints.isEmpty == true)
      let lint = try await workspace.run("lint", "pipelines/t.yaml")
      #expect(lint.talk.contains("no problems"), "\(lint.text)")
      for _ in 1...2 { #expect(try await workspace.run("run", "pipelines/t.yaml").exitCode == 0) }
      #expect(try workspace.query("build/t.sqlite", "SELECT count(*) FROM ZSTOPTIME") == ["54"])
    }
  }
}
