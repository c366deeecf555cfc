import Testing

@Suite("Lookups")
struct LookupTests {
  private func workspace(_ zones: String, _ files: [String: String] = [:], map: [String], lookup: String) throws
    -> Workspace
  {
    try StopFeed.workspace(
      ["stops.csv": "id,zone\nA,1\nB,2\nC,\nD,9\n", "zones.csv": zones].merging(files) { $1 },
      pipeline: StopFeed.pipeline(map, more: "lookups: { zones: { \(lookup) } }\n"))
  }

  private static let map = ["zone: lookup(\"zones\", zone)", "name: lookup(\"zones\", \"1\") ?? \"none\""]
  private static let rows = "SELECT ZIDENTIFIER, ZZONE, ZNAME FROM ZSTOP ORDER BY 1"

  @Test("a key finds its value in a mapping file, and null where it is not in it")
  func mappingFile() async throws {
    let workspace = try workspace(
      "code,Zone Name (en)\n1,Inner\n2,Outer\n", map: Self.map,
      lookup: "from: zones.csv, key: code, value: Zone Name (en)")
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(
      try workspace.query("Stops.sqlite", Self.rows) == ["A|Inner|Inner", "B|Outer|Inner", "C|∅|Inner", "D|∅|Inner"])
    let lint = try await workspace.run("lint", "stops.yaml")
    #expect(lint.exitCode == 0, "\(lint.text)")
  }

  @Test("a lookup reads any source, with expressions")
  func otherSource() async throws {
    let workspace = try workspace(
      "", ["zones.json": "{\"zones\":[{\"n\":1,\"a\":{\"t\":\"in\"}},{\"n\":2,\"a\":{\"t\":\"out\"}}]}"], map: Self.map,
      lookup: "from: { path: zones.json, pointer: /zones }, key: n, value: upper(a.t)")
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Stops.sqlite", Self.rows) == ["A|IN|IN", "B|OUT|IN", "C|∅|IN", "D|∅|IN"])
  }

  @Test("a lookup's source may lack columns that it calls optional")
  func optionalColumn() async throws {
    let workspace = try workspace(
      "code,name\n1,Inner\n2,Outer\n", map: Self.map,
      lookup: "from: { path: zones.csv, optional: [short] }, key: code, value: short ?? name")
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Stops.sqlite", Self.rows).first == "A|Inner|Inner")
  }

  @Test("when-changed notices a mapping file that changed")
  func whenChanged() async throws {
    let workspace = try workspace(
      "code,name\n1,Inner\n", map: Self.map, lookup: "from: zones.csv, key: code, value: name")
    try workspace.write(
      "stops.yaml", try workspace.text("stops.yaml").replacing("replace: always", with: "replace: when-changed"))
    _ = try await workspace.run("run", "--quiet", "stops.yaml")
    let made = try workspace.bytes("Stops.sqlite")
    _ = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(try workspace.bytes("Stops.sqlite") == made)
    try workspace.write("zones.csv", "code,name\n1,Middle\n")
    _ = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(try workspace.query("Stops.sqlite", Self.rows).first == "A|Middle|Middle")
  }

  struct Wrong: Sendable {
    var zones = "code,name\n1,Inner\n"
    var map = LookupTests.map
    var lookup = "from: zones.csv, key: code, value: name"
    var words: String
  }

  @Test(
    "run and lint tell what is wrong with a lookup",
    arguments: [
      Wrong(zones: "code,name\n1,a\n2,b\n1,a\n", words: "zones.csv:4: the key \"1\" comes twice (lookup zones)"),
      Wrong(zones: "code,name\n1,a\n,b\n", words: "zones.csv:3: the key is empty"),
      Wrong(lookup: "from: zones.csv, key: cod, value: nam", words: "there are no columns \"cod\" and \"nam\""),
      Wrong(lookup: "from: zone.csv, key: code, value: name", words: "zone.csv"),
      Wrong(map: ["zone: lookup(\"zone\", zone)"], words: "there is no lookup \"zone\""),
      Wrong(map: ["zone: lookup(zone, zone)"], words: "the first argument of lookup() is the name of a lookup"),
      Wrong(lookup: "from: \"-\", key: a, value: b", words: ""),
      Wrong(
        lookup: "from: zones.csv, key: code, value: 'lookup(\"zones\", name)'",
        words: "a lookup's own expressions cannot look into other lookups"),
    ])
  func mistakes(wrong: Wrong) async throws {
    let workspace = try workspace(wrong.zones, map: wrong.map, lookup: wrong.lookup)
    for command in ["run", "lint"] {
      let outcome = try await workspace.run(command, "stops.yaml")
      #expect(outcome.exitCode != 0)
      #expect(
        wrong.words.isEmpty || (outcome.text + outcome.talk).contains(wrong.words), "\(outcome.text)\(outcome.talk)")
      #expect(!workspace.exists("Stops.sqlite"))
    }
  }

  @Test("lint warns about a lookup that nothing uses")
  func unused() async throws {
    let workspace = try workspace("code,name\n", map: ["zone: zone"], lookup: "from: zones.csv, key: code, value: name")
    let lint = try await workspace.run("lint", "stops.yaml")
    #expect((lint.text + lint.talk).contains("nothing uses the lookup \"zones\""), "\(lint.text)")
  }

  @Test("the other functions, from columns to values")
  func functions() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,title,height\nA-1,Night Bus,2.675\nB-2,Tram,\n"],
      pipeline: StopFeed.pipeline([
        "zone: split(id, \"-\", 1)", "rank: split(id, \"-\", -1)", "isOpen: contains(normalized(title), \"bus\")",
        "height: round(height, 2)", "token: uuid(id)", "name: uuid(title, \"dns\")",
      ]))
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    let rows = try workspace.query(
      "Stops.sqlite", "SELECT ZZONE, ZRANK, ZISOPEN, ZHEIGHT, hex(ZTOKEN), ZNAME FROM ZSTOP ORDER BY ZIDENTIFIER")
    #expect(
      rows == [
        "A|1|1|2.68|D459136FFB9B5AA6B63D2DC2A2A1D543|DB83CDE1-89B0-5901-AA7D-49A1C8D02DDB",
        "B|2|0|∅|C9733FACAB575D3884DDADD3AE37509E|74613750-E830-51E5-8CF1-3DFB7A93BC8F",
      ])
  }
}
