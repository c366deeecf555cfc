import Foundation
import Testing

@Suite("Optional columns")
struct OptionalColumnTests {
  private static let full = "id,stop_name,zone_id,parent_station,rank\nA,Alpha,Z1,,1\nB,Beta,Z2,A,2\n"
  private static let map = [
    "name: stop_name", "zone: { from: zone_id, optional: true }",
    "parent: { match: identifier, from: parent_station, optional: true }", "rank: { from: rank + 1, optional: true }",
  ]
  private static let rows =
    "SELECT s.ZIDENTIFIER, s.ZNAME, s.ZZONE, p.ZIDENTIFIER, s.ZRANK FROM ZSTOP s LEFT JOIN ZSTOP p ON p.Z_PK = s.ZPARENT ORDER BY 1"

  @Test(
    "a column that a feed lacks leaves the property as it is, whatever the strategy",
    arguments: ["find-or-create", "upsert", "automatic"])
  func leftAlone(strategy: String) async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": Self.full],
      pipeline: StopFeed.pipeline(Self.map, store: "replace: never", settings: ["strategy: \(strategy)"]))
    let first = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(first.exitCode == 0, "\(first.talk)")
    #expect(try workspace.query("Stops.sqlite", Self.rows) == ["A|Alpha|Z1|∅|2", "B|Beta|Z2|A|3"])
    // The columns are gone, a quote keeps the scanner from its fast way in the second file.
    for names in ["Alef,Bet", "\"Al\"\"ef\",Bet"] {
      let parts = names.split(separator: ",")
      try workspace.write("stops.csv", "stop_name,id\n\(parts[0]),A\n\(parts[1]),B\n")
      let second = try await workspace.run("run", "--quiet", "stops.yaml")
      #expect(second.exitCode == 0, "\(second.talk)")
      let name = parts[0] == "Alef" ? "Alef" : "Al\"ef"
      #expect(try workspace.query("Stops.sqlite", Self.rows) == ["A|\(name)|Z1|∅|2", "B|Bet|Z2|A|3"])
    }
    // Null is not absent.
    try workspace.write("stops.csv", "stop_name,id,zone_id\nAlef,A,\nBet,B,Z9\n")
    _ = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(try workspace.query("Stops.sqlite", Self.rows) == ["A|Alef|∅|∅|2", "B|Bet|Z9|A|3"])
  }

  @Test(
    "a key of several parts leaves its relationship as it is where the feed lacks one of them",
    arguments: ["from: [parent_station, pz], optional: true", "from: [parent_station, pz]"])
  func compoundKey(reference: String) async throws {
    let map = ["name: stop_name", "zone: zone_id", "parent: { match: [identifier, zone], \(reference) }"]
    let source = "{ path: stops.csv, optional: [stop_name, zone_id, pz] }"
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,stop_name,zone_id,parent_station,pz\nA,Alpha,Z1,,\nB,Beta,Z2,A,Z1\n"],
      pipeline: StopFeed.pipeline(map, source: source, store: "replace: never"))
    #expect(try await workspace.run("run", "--quiet", "stops.yaml").exitCode == 0)
    try workspace.write("stops.csv", "id,parent_station\nA,\nB,A\n")
    let second = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(second.exitCode == 0, "\(second.talk)")
    let rows = "SELECT s.ZIDENTIFIER, p.ZIDENTIFIER FROM ZSTOP s LEFT JOIN ZSTOP p ON p.Z_PK = s.ZPARENT ORDER BY 1"
    #expect(try workspace.query("Stops.sqlite", rows) == ["A|∅", "B|A"])
  }

  @Test("the source names optional columns too, a default fills in, and files of one pattern may differ")
  func sourceList() async throws {
    let workspace = try StopFeed.workspace(
      ["a-1.csv": "id,zone_id\nA,Z1\n", "a-2.csv": "id,stop_name\nB,Beta\n"],
      pipeline: StopFeed.pipeline(
        ["name: stop_name ?? id", "zone: { from: zone_id, default: none }"],
        source: "{ path: a-*.csv, optional: [zone_id, stop_name] }"))
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(
      try workspace.query("Stops.sqlite", "SELECT ZIDENTIFIER, ZNAME, ZZONE FROM ZSTOP ORDER BY 1") == [
        "A|A|Z1", "B|Beta|none",
      ])
    let lint = try await workspace.run("lint", "stops.yaml")
    #expect(lint.exitCode == 0, "\(lint.text)\(lint.talk)")
  }

  @Test("a column that another line needs is not optional, and lint and run name all that are missing at once")
  func missing() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,stop_name,zone\nA,Alpha,Z1\n", "more.csv": "id\nB\n"],
      pipeline: StopFeed.pipeline(
        [
          "name: stop_nam", "zone: { from: zone_id, optional: true }", "rank: zone_id", "isOpen: open_now",
        ],
        more: "  - { from: more.csv, entity: Stop, match: identifier, map: { identifier: id, name: title } }\n"))
    for command in ["run", "lint"] {
      let outcome = try await workspace.run(command, "stops.yaml")
      let said = outcome.text + outcome.talk
      #expect(outcome.exitCode != 0)
      #expect(
        ["stop_nam", "zone_id", "open_now"].allSatisfy {
          said.contains(": there is no column \"\($0)\" in stops.csv")
        }, "\(said)")
      #expect(said.contains("did you mean \"stop_name\"? the header (stops.csv:1) has \"id\""), "\(said)")
      #expect(said.contains(": there is no column \"title\" in more.csv"), "\(said)")
      #expect(said.components(separatedBy: "stops.yaml:").count >= 5, "\(said)")
      #expect(!workspace.exists("Stops.sqlite"))
    }
  }

  @Test("lint warns about an optional column that is not there while one of nearly the name is")
  func typo() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,zone_id\nA,Z1\n"],
      pipeline: StopFeed.pipeline(["zone: { from: zone_ids, optional: true }"]))
    let lint = try await workspace.run("lint", "stops.yaml")
    #expect((lint.text + lint.talk).contains("did you mean \"zone_id\"?"), "\(lint.text)\(lint.talk)")
  }
}
