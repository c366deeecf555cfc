import Foundation
import SQLite
import Testing

/// `seedbed explain`
@Suite("Explained pipelines")
struct ExplainCommandTests {
  private struct Explanation: Decodable {
    struct Advice: Decodable {
      var entity: String
      var declaration: String
      var secondsBefore: Double?
      var secondsAfter: Double?
    }
    struct Fetch: Decodable {
      var statement: String
      var plan: [String]
      var scansTable: Bool
      var usesTemporaryTree: Bool
      var advice: [Advice]
      var adviceProblem: String?
    }
    struct Lookup: Decodable {
      var kind: String
      var purpose: String
      var readsWholeTable: Bool
      var fetch: Fetch
    }
    struct Part: Decodable {
      var kind: String
      var name: String
      var entity: String?
      var strategy: String?
      var writesPages: Bool
      var notes: [String]
      var lookups: [Lookup]
    }
    var store: String?
    var notes: [String]
    var parts: [Part]

    func parts(_ kind: String) -> [Part] { parts.filter { $0.kind == kind } }
    var lookups: [Lookup] { parts.flatMap(\.lookups) }
  }

  private static let hasShell = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
    FileManager.default.isExecutableFile(atPath: $0 + "/sqlite3")
  }

  /// Items by an attribute that has no index, with tags as nested objects, parents by reference, and accounts by a
  /// constraint; exports and expectations besides.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "items.ndjson",
      (0..<40).map { #"{"id":"i\#($0)","name":"n\#($0)","up":"i\#($0 / 3)","tags":["t\#($0 % 5)"]}"# }
        .joined(separator: "\n"))
    try workspace.write("accounts.csv", "id,mail\na,a@x\nb,b@x\n")
    try workspace.write("shop.yaml", Self.pipeline(replace: "always"))
    return workspace
  }

  private static func pipeline(replace: String, more: String = "") -> String {
    """
    model: Shop.xcdatamodeld
    store: { path: Shop.sqlite, replace: \(replace) }
    import:
      - from: accounts.csv
        entity: Account
        match: identifier
        map: { identifier: id, email: mail }
      - from: items.ndjson
        entity: Item
        match: name
        map:
          identifier: id
          name: name
          parent: { match: identifier, from: up, missing: "null" }
          tags: { from: tags, match: name, map: { name: . } }
    export:
      - { entity: Item, to: all.csv }
      - { entity: Item, to: some.csv, where: "count == 3", order: [name] }
    expect:
      - { entity: Item, predicate: "rank > 3" }
    \(more)
    """
  }

  private func explain(_ workspace: Workspace, _ more: String...) async throws -> Explanation {
    let found = try await Tool.run(["explain", "shop.yaml", "--json"] + more, in: workspace.folder)
    guard found.exitCode == 0 else { throw UnexpectedFailure(outcome: found) }
    return try JSONDecoder().decode(Explanation.self, from: Data(found.output))
  }

  @Test("without a store an empty one of the model is asked, which leaves nothing behind; bulk steps look nothing up")
  func fresh() async throws {
    let workspace = try workspace()
    let names = try workspace.names()
    let temporary = workspace.url("temporary")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let found = try await Tool.run(
      ["explain", "shop.yaml", "--json"], in: workspace.folder, environment: ["TMPDIR": temporary.path])
    #expect(found.exitCode == 0, "\(found.talk)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    try FileManager.default.removeItem(at: temporary)
    #expect(try workspace.names() == names)
    let explanation = try JSONDecoder().decode(Explanation.self, from: Data(found.output))
    #expect(explanation.store == nil && explanation.parts("begin").isEmpty)
    let accounts = try #require(explanation.parts("import").first)
    #expect(accounts.strategy == "upsert" && !accounts.writesPages)
    #expect(accounts.lookups.first?.fetch.plan.contains { $0.contains("Z_Account_UNIQUE_identifier") } == true)
    let items = explanation.parts("import")[1]
    #expect(items.strategy == "find-or-create" && !items.writesPages)
    #expect(items.lookups.filter { $0.kind == "match" }.map(\.fetch.scansTable).contains(true))
    // Nothing was measured where there is nothing.
    #expect(explanation.lookups.flatMap(\.fetch.advice).allSatisfy { $0.secondsBefore == nil })
    let text = try await workspace.run("explain", "shop.yaml")
    #expect(text.exitCode == 0 && text.text.contains("no store of the model is there"), "\(text.text)\(text.talk)")
    #expect(text.text.contains("<- every row of the table") && text.text.contains("plan:"))
  }

  @Test("a step that fills an empty table writes pages and looks nothing up; with history it says why not")
  func bulk() async throws {
    let workspace = try workspace()
    for history in [false, true] {
      try workspace.write(
        "shop.yaml",
        """
        model: Shop.xcdatamodeld
        store: { path: Shop.sqlite\(history ? ", history: true" : "") }
        import: [{ from: accounts.csv, entity: Part, map: { identifier: id } }]
        """)
      let part = try #require(try await explain(workspace).parts("import").first)
      #expect(part.strategy == "bulk" && part.writesPages == !history && part.lookups.isEmpty)
      #expect(
        part.notes[0].contains(history ? "the store keeps history" : "writes finished pages and looks nothing up"))
    }
  }

  @Test("the store that is there is asked: constraints and foreign keys are found by indexes, other keys by a scan")
  func existing() async throws {
    let workspace = try workspace()
    let built = try await workspace.run("run", "--quiet", "shop.yaml")
    #expect(built.exitCode == 0, "\(built.talk)")
    try workspace.write("shop.yaml", Self.pipeline(replace: "never"))
    let explanation = try await explain(workspace)
    #expect(explanation.store?.hasSuffix("Shop.sqlite") == true)
    #expect(explanation.parts("begin").flatMap(\.lookups).count == 4)
    let steps = explanation.parts("import")
    let match = try #require(steps[1].lookups.first { $0.kind == "match" && $0.purpose.contains("Item") })
    #expect(match.fetch.scansTable && match.fetch.plan.contains { $0.contains("<- every row of the table") })
    let tags = try #require(steps[1].lookups.first { $0.kind == "match" && $0.purpose.contains("Tag") })
    #expect(!tags.fetch.scansTable && tags.fetch.plan.contains { $0.contains("Z_Tag_UNIQUE_name") })
    let members = try #require(steps[1].lookups.first { $0.kind == "members" })
    #expect(!members.fetch.scansTable, "\(members.fetch.plan)")
    let keys = try #require(steps[1].lookups.first { $0.kind == "keys" })
    #expect(keys.readsWholeTable && keys.fetch.advice.isEmpty)
    let exports = explanation.parts("export")
    #expect(exports[0].lookups.isEmpty && exports[0].notes[0].contains("pages"))
    #expect(exports[1].lookups[0].fetch.scansTable && exports[1].lookups[0].fetch.usesTemporaryTree)
    #expect(explanation.parts("expect")[0].lookups[0].fetch.statement.hasPrefix("SELECT count(*)"))
  }

  @Test(
    "indexes that would help are declared and measured in a copy",
    .enabled(if: hasShell, "the shell sqlite3 is not there"))
  func advice() async throws {
    let workspace = try workspace()
    #expect(try await workspace.run("run", "--quiet", "shop.yaml").exitCode == 0)
    let explanation = try await explain(workspace)
    let match = try #require(explanation.lookups.first { $0.kind == "match" && $0.purpose.contains("Item") })
    let index = try #require(match.fetch.advice.first)
    #expect(index.entity == "Item" && index.declaration.contains("<fetchIndexElement property=\"name\""))
    #expect((index.secondsBefore ?? 0) > 0 && (index.secondsAfter ?? 0) > 0)
    let text = try await workspace.run("explain", "shop.yaml")
    #expect(text.text.contains("an index at the entity Item would help; in a copy, "), "\(text.text)")
    // What is declared makes the scan go.
    let model = try workspace.text("Shop.xcdatamodeld/Shop.xcdatamodel/contents")
    let place = "<entity name=\"Item\" representedClassName=\"Item\" syncable=\"YES\" codeGenerationType=\"class\">"
    try workspace.write(
      "Shop.xcdatamodeld/Shop.xcdatamodel/contents",
      model.replacing(place, with: place + "\n" + index.declaration))
    #expect(try await workspace.run("run", "--quiet", "shop.yaml").exitCode == 0)
    let after = try await explain(workspace)
    let found = try #require(after.lookups.first { $0.kind == "match" && $0.purpose.contains("Item") })
    #expect(!found.fetch.scansTable && found.fetch.advice.isEmpty, "\(found.fetch.plan)")
  }

  @Test("nothing is changed, and nothing left beside the store", arguments: ["DELETE", "WAL"])
  func untouched(journal: String) async throws {
    let workspace = try workspace()
    #expect(try await workspace.run("run", "--quiet", "shop.yaml").exitCode == 0)
    let connection = try Connection(path: workspace.path("Shop.sqlite"))
    #expect(try connection.string("PRAGMA journal_mode = \(journal)") == journal.lowercased())
    try connection.close()
    let (names, bytes) = (try workspace.names(), try workspace.bytes("Shop.sqlite"))
    for replace in ["always", "never"] {
      try workspace.write("shop.yaml", Self.pipeline(replace: replace))
      _ = try await explain(workspace)
      #expect(try workspace.names() == names)
      #expect(try workspace.bytes("Shop.sqlite") == bytes)
    }
  }

  @Test("a store of another model is not asked, and the explanation says so")
  func foreign() async throws {
    let workspace = try workspace()
    try workspace.write("Shop.sqlite", "this is no store")
    let explanation = try await explain(workspace)
    #expect(explanation.store == nil && explanation.notes[0].contains("no store of this model"))
  }

  @Test("mistakes end it as they end a run")
  func mistakes() async throws {
    let workspace = try workspace()
    try workspace.write("shop.yaml", Self.pipeline(replace: "always").replacing("name: name\n", with: "nam: name\n"))
    #expect(try await workspace.run("explain", "shop.yaml").exitCode == 78)
    try workspace.write("shop.yaml", Self.pipeline(replace: "always"))
    try FileManager.default.removeItem(at: workspace.url("accounts.csv"))
    let missing = try await workspace.run("explain", "shop.yaml", "--log-format", "json")
    #expect(missing.exitCode == 66 && missing.talk.contains("accounts.csv"), "\(missing.talk)")
    #expect(try await workspace.run("explain", "none.yaml").exitCode == 66)
    #expect(try await workspace.run("explain").exitCode == 64)
  }

  @Test("what a run asks is what was explained", .enabled(if: Tool.picksStrategies, "another strategy is asked for"))
  func whole() async throws {
    let workspace = try workspace()
    #expect(try await workspace.run("run", "--quiet", "shop.yaml").exitCode == 0)
    for write in ["beside", "in-place"] {
      try workspace.write(
        "shop.yaml",
        Self.pipeline(replace: "never").replacing("replace: never", with: "replace: never, write: \(write)"))
      let explained = Set(try await explain(workspace).lookups.map { Self.shape($0.fetch.statement) })
      try workspace.write("accounts.csv", "id,mail\na,c@\(write)\nd\(write),d@\(write)\n")
      let run = try await workspace.run(
        "run", "--quiet", "shop.yaml", "--log-level", "info", environment: ["SEEDBED_SQL_DEBUG": "1"])
      #expect(run.exitCode == 0, "\(run.talk)")
      let asked = run.talk.split(separator: "\n").compactMap { line in
        line.firstRange(of: "] sql: ").map { String(line[$0.upperBound...]) }
      }.filter(Self.isLookup)
      #expect(!asked.isEmpty)
      for statement in Set(asked.map(Self.shape)) {
        #expect(
          explained.contains(statement), "\(write): \(statement)\namong\n\(explained.sorted().joined(separator: "\n"))")
      }
    }
  }

  /// Whether a statement looks for rows of the model's tables by anything but primary keys.
  private static func isLookup(_ sql: String) -> Bool {
    guard sql.hasPrefix("SELECT "), sql.contains("FROM Z"), !sql.hasPrefix("SELECT EXISTS"),
      !sql.hasPrefix("SELECT (SELECT min(Z_PK)"), !sql.hasPrefix("SELECT max(Z_PK)"),
      !sql.hasPrefix("SELECT max(rowid)")
    else { return false }
    if ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "seedbed_"].contains(where: sql.contains) { return false }
    return sql.firstMatch(of: /WHERE \(?(t0\.)?Z_PK (=|>|IN|BETWEEN)/) == nil
  }

  /// A statement with lists of one length, so that those of different batches are the same.
  private static func shape(_ sql: String) -> String {
    sql.replacing(/IN \([?0-9, ]+\)/, with: "IN (…)").replacing(/\?[0-9]*/, with: "?")
  }
}
