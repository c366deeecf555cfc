import Testing

/// Relationships by natural key, in whatever order the objects come.
@Suite("References")
struct ReferenceTests {
  private static let map = ["identifier: id", "name: name", "parent: { match: identifier, from: parent }"]
  private static let parents = """
    SELECT C.ZIDENTIFIER, P.ZIDENTIFIER FROM ZITEM C LEFT JOIN ZITEM P ON P.Z_PK = C.ZPARENT ORDER BY C.ZIDENTIFIER
    """
  /// Every way of writing.
  static let strategies = ["automatic", "upsert", "find-or-create"]

  private func workspace(_ strategy: String, _ items: String, limit: Int = 0) throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,parent\n" + items)
    try ItemPipeline(settings: ["strategy: \(strategy)"], map: Self.map, rejects: "limit: \(limit)")
      .write(to: workspace)
    return workspace
  }

  @Test("a record may refer to a later one, to itself, and in a circle", arguments: strategies)
  func laterRecords(strategy: String) async throws {
    let workspace = try workspace(strategy, "a,A,b\nb,B,a\nc,C,d\nd,D,\ne,E,e\n")
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 5, inserted: 5))
    #expect(try workspace.query("Shop.sqlite", Self.parents) == ["a|b", "b|a", "c|d", "d|∅", "e|e"])
    // To complete a new row is not to change an object.
    #expect(try workspace.query("Shop.sqlite", "SELECT DISTINCT Z_OPT FROM ZITEM") == ["1"])
  }

  @Test("what refers to a rejected record is rejected with it, circles and chains too", arguments: strategies)
  func chainsOfRejects(strategy: String) async throws {
    let items = "a,A,nowhere\nb,B,a\nc,C,b\nd,D,e\ne,E,d\nf,F,g\ng,G,h\nh,H,f\ni,I,c\nj,J,k\nk,K,nowhere\nl,L,d\n"
    let workspace = try workspace(strategy, items, limit: 6)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 12, inserted: 6, rejected: 6))
    #expect(report.rejects.map(\.line).sorted() == [2, 3, 4, 10, 11, 12])
    #expect(Set(report.rejects.map(\.code)) == ["reference.unresolved"])
    #expect(try workspace.query("Shop.sqlite", Self.parents) == ["d|e", "e|d", "f|g", "g|h", "h|f", "l|d"])
    #expect(try workspace.query("Shop.sqlite", "PRAGMA integrity_check") == ["ok"])
  }

  @Test("a chain of thousands, in either direction, ends as it should", arguments: [true, false], [true, false])
  func longChain(isResolved: Bool, isForward: Bool) async throws {
    let count = 20_000
    var lines = (0..<count).map { number in
      "i\(number),N,\(number == 0 ? (isResolved ? "" : "no") : "i\(number - 1)")\n"
    }
    if !isForward { lines.reverse() }
    let workspace = try workspace("automatic", lines.joined(), limit: count)
    let report = try await workspace.report("items.yaml")
    #expect(report.total.inserted == (isResolved ? count : 0))
    #expect(report.total.rejected == (isResolved ? 0 : count))
    #expect(
      try workspace.query("Shop.sqlite", "SELECT count(*), count(ZPARENT) FROM ZITEM")
        == [isResolved ? "\(count)|\(count - 1)" : "0|0"])
  }

  @Test("a step may refer to objects of a later step", arguments: ["parts.csv", "items.csv"])
  func laterStep(first: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,parent\na,A,\nb,B,nowhere\nc,C,\n")
    try workspace.write("parts.csv", "part,owner\np1,a\np2,b\np3,c\np4,none\np5,a\n")
    let items = """
        - from: items.csv
          entity: Item
          match: [identifier]
          map: { identifier: id, name: name, parent: { match: identifier, from: parent } }
      """
    let parts = """
        - from: parts.csv
          entity: Part
          map: { identifier: part, item: { match: identifier, from: owner } }
      """
    try workspace.write(
      "shop.yaml",
      """
      model: Shop.xcdatamodeld
      store: { path: Shop.sqlite }
      import:
      \(first == "items.csv" ? items + "\n" + parts : parts + "\n" + items)
      rejects: { file: rejects.csv, limit: 3 }
      """)
    let report = try await workspace.report("shop.yaml")
    #expect(report.exitCode == 1)
    #expect(report.total == Report.Counts(read: 8, inserted: 5, rejected: 3))
    #expect(report.steps.allSatisfy { $0.counts.sum == $0.counts.read })
    #expect(report.rejects.map { "\($0.file):\($0.line)" }.sorted() == ["items.csv:3", "parts.csv:3", "parts.csv:5"])
    #expect(
      try workspace.query(
        "Shop.sqlite", "SELECT P.ZIDENTIFIER, I.ZIDENTIFIER FROM ZPART P JOIN ZITEM I ON I.Z_PK = P.ZITEM ORDER BY 1")
        == ["p1|a", "p3|c", "p5|a"])
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM ZPART") == ["3"])
    // Each step has a reject file of its own.
    #expect(report.rejectFiles.count == 2)
    #expect(try workspace.names().filter { $0.hasPrefix("rejects") }.count == 2)
  }

  @Test("missing: null keeps the record and leaves the relationship empty")
  func missingIsNull() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,parent\na,A,nowhere\nb,B,a\n")
    try ItemPipeline(
      map: ["identifier: id", "name: name", "parent: { match: identifier, from: parent, missing: \"null\" }"]
    ).write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 2))
    #expect(try workspace.query("Shop.sqlite", Self.parents) == ["a|∅", "b|a"])
  }

  @Test("a to-many relationship is a list of keys, some of them later", arguments: ["automatic", "find-or-create"])
  func toMany(strategy: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,tags\na,A,red;blue\nb,B,\nc,C,blue\nd,D,red;none\n")
    try workspace.write("tags.csv", "tag\nred\nblue\n")
    try workspace.write(
      "shop.yaml",
      """
      model: Shop.xcdatamodeld
      store: { path: Shop.sqlite }
      import:
        - from: items.csv
          entity: Item
          match: [identifier]
          strategy: \(strategy)
          map: { identifier: id, name: name, tags: { match: name, from: tags, separator: ";" } }
        - { from: tags.csv, entity: Tag, match: [name], map: { name: tag } }
      rejects: { limit: 1 }
      """)
    let report = try await workspace.report("shop.yaml")
    #expect(report.total == Report.Counts(read: 6, inserted: 5, rejected: 1))
    #expect(report.rejects.map(\.value) == ["none"])
    let join = try #require(
      try workspace.query("Shop.sqlite", "SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'")
        .first)
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM \(join)") == ["3"])
    let outcome = try await workspace.run("check", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(outcome.exitCode == 0, "\(outcome.text)")
  }

  @Test(
    "changes to existing objects wait for what they refer to, and change nothing when that is rejected",
    arguments: ["upsert", "find-or-create"])
  func changesThatWait(strategy: String) async throws {
    let workspace = try workspace("automatic", "a,A,\nb,B,\nc,C,\n")
    #expect(try await workspace.report("items.yaml").total.inserted == 3)
    try workspace.write("items.csv", "id,name,parent\na,A2,x\nx,X,nowhere\nb,B2,y\ny,Y,b\nn,N,a\nc,C2,nowhere\n")
    try ItemPipeline(
      settings: ["strategy: \(strategy)"], map: Self.map, replace: "never", rejects: "limit: 3"
    ).write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 6, inserted: 2, updated: 1, rejected: 3))
    #expect(report.rejects.map(\.line).sorted() == [2, 3, 7])
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZNAME, Z_OPT FROM ZITEM ORDER BY 1")
        == ["a|A|2", "b|B2|2", "c|C|1", "n|N|1", "y|Y|1"])
    // Not by its record, which is rejected, but as the parent of a new object.
    #expect(report.ownersUpdated == 1)
    #expect(try workspace.query("Shop.sqlite", Self.parents) == ["a|∅", "b|y", "c|∅", "n|a", "y|b"])
  }

  @Test("a change of a later step comes after one that waits", arguments: ["upsert", "find-or-create"])
  func laterChangesWin(strategy: String) async throws {
    let workspace = try workspace("automatic", "a,A,\nb,B,\n")
    #expect(try await workspace.report("items.yaml").total.inserted == 2)
    try workspace.write("first.csv", "id,name,parent\na,First,late\n")
    try workspace.write("second.csv", "id,name\na,Second\nb,Second\n")
    try workspace.write("third.csv", "id,name\nlate,Late\n")
    let map = "map: { identifier: id, name: name"
    try workspace.write(
      "items.yaml",
      """
      model: Shop.xcdatamodeld
      store: { path: Shop.sqlite, replace: never }
      import:
        - from: first.csv
          entity: Item
          match: [identifier]
          strategy: \(strategy)
          \(map), parent: { match: identifier, from: parent } }
        - { from: second.csv, entity: Item, match: [identifier], strategy: \(strategy), \(map) } }
        - { from: third.csv, entity: Item, match: [identifier], strategy: \(strategy), \(map) } }
      """)
    let report = try await workspace.report("items.yaml")
    #expect(report.steps.map(\.counts.updated) == [1, 2, 0])
    #expect(report.steps.map(\.counts.inserted) == [0, 0, 1])
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZNAME FROM ZITEM ORDER BY 1")
        == ["a|Second", "b|Second", "late|Late"])
    #expect(try workspace.query("Shop.sqlite", Self.parents) == ["a|late", "b|∅", "late|∅"])
  }
}
