import Foundation
import SQLite
import Testing

/// `copy`, `export`, `check`, `inspect` and `lint`.
@Suite("Commands on stores")
struct StoreCommandTests {
  /// A workspace with `Shop.sqlite`: items a (=1+1), b with parent a, c.
  private func workspace(journal: String = "delete") async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,parent\na,=1+1,\nb,\"B, the second\",a\nc,C,\n")
    let map = ["identifier: id", "name: name", "parent: { match: identifier, from: parent }"]
    try ItemPipeline(map: map).write(to: workspace)
    try workspace.write(
      "items.yaml",
      workspace.text("items.yaml").replacingOccurrences(of: "replace: always", with: "journal: \(journal)"))
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    return workspace
  }

  // MARK: - Copy

  @Test("rows that are only in the log of the source are in the copy", arguments: ["delete", "wal"])
  func copyWithLog(journal: String) async throws {
    let workspace = try Workspace()
    try workspace.write("source/marker", "")
    let connection = try Connection(path: workspace.path("live.sqlite"), options: .init(createsFile: true))
    _ = try connection.string("PRAGMA journal_mode = wal")
    // Metadata that cannot be read are copied as they are.
    let tables = "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID, Z_PLIST); CREATE TABLE T (V)"
    try connection.execute("PRAGMA wal_autocheckpoint = 0; \(tables); PRAGMA wal_checkpoint(TRUNCATE)")
    try connection.execute(
      "WITH N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < 500) INSERT INTO T SELECT I FROM N")
    // As an app leaves them that is stopped now: the main file has no row.
    let suffixes = ["", "-wal", "-shm"]
    for suffix in suffixes {
      try workspace.write("source/store.sqlite" + suffix, workspace.bytes("live.sqlite" + suffix))
    }
    try connection.close()
    let before = try suffixes.map { try workspace.bytes("source/store.sqlite" + $0) }
    // Sidecars of a target that is gone must not be taken for the copy's.
    for (suffix, bytes) in zip(suffixes, before).dropFirst() {
      try workspace.write("target/store.sqlite" + suffix, bytes)
    }

    let outcome = try await workspace.run(
      "copy", "--journal", journal, "source/store.sqlite", "target/store.sqlite")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try suffixes.map { try workspace.bytes("source/store.sqlite" + $0) } == before)
    let expected = journal == "wal" ? suffixes.map { "store.sqlite" + $0 } : ["store.sqlite"]
    #expect(try workspace.names(in: "target").sorted() == expected.sorted())
    #expect(try workspace.query("target/store.sqlite", "SELECT count(*), sum(V) FROM T") == ["500|125250"])
    #expect(try workspace.query("target/store.sqlite", "PRAGMA journal_mode") == [journal])
  }

  @Test("a copy replaces an older seed version only")
  func seedVersions() async throws {
    let workspace = try await workspace()
    func copy(_ more: String...) async throws -> String {
      let outcome = try await Tool.run(["copy", "Shop.sqlite", "copy.sqlite"] + more, in: workspace.folder)
      #expect(outcome.exitCode == 0)
      return String(outcome.text.prefix(6))
    }
    #expect(try await copy("--seed-version", "2") == "copied")
    let bytes = try workspace.bytes("copy.sqlite")
    #expect(try await copy("--seed-version", "2") == "copy.s")
    #expect(try await copy("--seed-version", "1") == "copy.s")
    #expect(try await copy() == "copy.s")
    #expect(try workspace.bytes("copy.sqlite") == bytes)
    #expect(try await copy("--seed-version", "3") == "copied")
    let inspection = try await workspace.run("inspect", "--json", "copy.sqlite")
    let object = try inspection.object()
    #expect(object["seedVersion"] as? Int == 3)
    #expect(try await copy("--replace") == "copied")
    let quiet = try await workspace.run("copy", "--quiet", "--replace", "Shop.sqlite", "copy.sqlite")
    #expect(quiet.exitCode == 0 && quiet.text.isEmpty && quiet.talk.isEmpty)
  }

  @Test(
    "a copy from nothing, from what is no store, or to nowhere",
    arguments: [
      ("none.sqlite", "copy.sqlite", 66), ("items.csv", "copy.sqlite", 65),
      ("Shop.sqlite", "items.csv/copy.sqlite", 73),
    ] as [(String, String, Int32)])
  func impossibleCopy(source: String, target: String, exitCode: Int32) async throws {
    let workspace = try await workspace()
    let names = try workspace.names()
    let outcome = try await workspace.run("copy", source, target)
    #expect(outcome.exitCode == exitCode)
    #expect(outcome.talk.hasPrefix("error: "))
    #expect(try workspace.names() == names)
  }

  @Test(
    "the folder of an output is made",
    arguments: [
      ["copy", "Shop.sqlite", "new/folder/output.sqlite"],
      ["inspect", "Shop.xcdatamodeld", "--er", "new/folder/output.svg"],
      [
        "export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--output",
        "new/folder/output.csv",
      ],
    ])
  func newFolder(arguments: [String]) async throws {
    let workspace = try await workspace()
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try workspace.names(in: "new/folder").map { $0.prefix(7) } == ["output."])
  }

  @Test(
    "a folder in place of a store is called one",
    arguments: [
      ["check", "folder"], ["check", "folder", "--model", "Shop.xcdatamodeld"], ["inspect", "folder"],
      ["copy", "folder", "copy.sqlite"], ["dump", "folder", "dump"], ["export", "folder", "--entity", "Item"],
    ])
  func folder(arguments: [String]) async throws {
    let workspace = try await workspace()
    try workspace.write("folder/file", "")
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 66)
    #expect(outcome.talk == "error: folder is a folder\n  hint: name the store's file\n")
  }

  // MARK: - Export

  @Test("an export has the stated columns and order, through relationships")
  func export() async throws {
    let workspace = try await workspace()
    let outcome = try await workspace.run(
      "export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns",
      "identifier,Title=name,parent.identifier", "--order", "-identifier")
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.text == """
        identifier,Title,parent.identifier
        c,C,
        b,"B, the second",a
        a,=1+1,

        """)
    #expect(outcome.talk == "exported 3 Item\n")
  }

  @Test("cells that a spreadsheet would run are guarded when asked for")
  func spreadsheets() async throws {
    let workspace = try await workspace()
    let outcome = try await workspace.run(
      "export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", "name", "--quiet",
      "--safe-for-spreadsheets")
    #expect(outcome.text == "name\n'=1+1\n\"B, the second\"\nC\n")
    #expect(outcome.talk.isEmpty)
  }

  @Test("an export may be NDJSON, and compressed")
  func ndjson() async throws {
    let workspace = try await workspace()
    let outcome = try await workspace.run(
      "export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns",
      "identifier,name,rank,parent.name", "--output", "items.ndjson.gz")
    #expect(outcome.exitCode == 0 && outcome.text.isEmpty)
    #expect(
      try workspace.inflated("items.ndjson.gz") == """
        {"identifier":"a","name":"=1+1","rank":5,"parent.name":null}
        {"identifier":"b","name":"B, the second","rank":5,"parent.name":"=1+1"}
        {"identifier":"c","name":"C","rank":5,"parent.name":null}

        """)
    #expect(try Array(workspace.bytes("items.ndjson.gz").prefix(2)) == [0x1F, 0x8B])
  }

  @Test(
    "an export that cannot be made",
    arguments: [
      (["none.sqlite", "--entity", "Item"], 66), (["Shop.sqlite", "--entity", "Nothing"], 78),
      (["Shop.sqlite", "--entity", "Item", "--columns", "nothing"], 78),
      (["Shop.sqlite", "--entity", "Item", "--columns", "children.name"], 78),
      (["Shop.sqlite", "--entity", "Item", "--output", "items.csv/out.csv"], 73),
    ] as [([String], Int32)])
  func impossibleExport(arguments: [String], exitCode: Int32) async throws {
    let workspace = try await workspace()
    let names = try workspace.names()
    let outcome = try await Tool.run(
      ["export"] + arguments + ["--model", "Shop.xcdatamodeld"], in: workspace.folder)
    #expect(outcome.exitCode == exitCode)
    #expect(outcome.text.isEmpty)
    #expect(try workspace.names() == names)
  }

  @Test("an entity that the model does not have gets a hint", arguments: [("Iten", "Item"), ("Elephant", "Tag")])
  func unknownEntity(name: String, suggestion: String) async throws {
    let workspace = try await workspace()
    let outcome = try await workspace.run("export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", name)
    #expect(outcome.talk.hasPrefix("error: the model has no entity \"\(name)\"\n  hint: "))
    #expect(outcome.talk.contains(suggestion))
  }

  // MARK: - Check, inspect, lint

  @Test("check passes a store that the app will open")
  func check() async throws {
    let workspace = try await workspace()
    let store = try workspace.bytes("Shop.sqlite")
    let outcome = try await workspace.run("check", "--bundle", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.text.hasSuffix("\nFit: an app with this model opens the store as it is, also from a read-only bundle.\n"))
    let json = try await workspace.run("check", "--json", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
    let object = try json.object()
    #expect(object["fit"] as? Bool == true)
    #expect((object["entities"] as? [[String: Any]])?.count == 4)
    #expect((object["problems"] as? [Any])?.isEmpty == true)
    #expect(try workspace.bytes("Shop.sqlite") == store)
  }

  @Test("check refuses another model, a dangling reference, a wrong last key, and a log in a bundle")
  func checkRefuses() async throws {
    let workspace = try await workspace(journal: "wal")
    var outcome = try await workspace.run("check", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(outcome.exitCode == 0, "\(outcome.text)")
    outcome = try await workspace.run("check", "--bundle", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(outcome.exitCode == 65)
    #expect(outcome.text.contains("\nNot fit: a read-only bundle needs one sealed file"))

    try workspace.write(
      "Other.xcdatamodel/contents", ShopModel.xml.replacingOccurrences(of: "name=\"ratio\"", with: "name=\"rate\""))
    outcome = try await workspace.run("check", "Shop.sqlite", "--model", "Other.xcdatamodel")
    #expect(outcome.exitCode == 65)
    #expect(outcome.text.contains("Item") && outcome.text.contains("differs"))

    for (sql, place) in [
      ("UPDATE ZITEM SET ZPARENT = 999 WHERE ZIDENTIFIER = 'c'", "ZITEM.ZPARENT"),
      (
        "UPDATE ZITEM SET ZPARENT = NULL; UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Item'", "Z_MAX of Item is 1"
      ),
    ] {
      try workspace.execute("Shop.sqlite", sql)
      outcome = try await workspace.run("check", "--strict", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
      #expect(outcome.exitCode == 65, "\(sql)")
      #expect(outcome.text.contains(place), "\(outcome.text)")
    }
  }

  @Test("inspect needs no model", arguments: ["delete", "wal"])
  func inspect(journal: String) async throws {
    let workspace = try await workspace(journal: journal)
    let outcome = try await workspace.run("inspect", "--json", "Shop.sqlite")
    #expect(outcome.exitCode == 0)
    let object = try outcome.object()
    #expect(object["journalMode"] as? String == journal)
    let entities = try #require(object["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Account", "Item", "Part", "Tag"])
    #expect(entities.map { $0["rows"] as? Int } == [0, 3, 0, 0])
    #expect(entities.map { $0["number"] as? Int } == [1, 2, 3, 4])
    #expect(try await workspace.run("inspect", "Shop.sqlite").text.contains("Item"))
    #expect(try await workspace.run("inspect", "none.sqlite").exitCode == 66)
    #expect(try await workspace.run("inspect", "items.csv").exitCode == 65)
  }

  @Test("lint finds what a run would trip over, without running")
  func lint() async throws {
    let workspace = try await workspace()
    try FileManager.default.removeItem(at: workspace.url("Shop.sqlite"))
    var outcome = try await workspace.run("lint", "items.yaml")
    #expect(outcome.exitCode == 0)
    #expect(outcome.text.isEmpty)
    let good = try workspace.text("items.yaml")
    for (old, new, exitCode, says) in [
      ("name: name", "title: name", 78, "title"), ("name: name", "name: nam", 65, "\"nam\""),
      ("entity: Item", "entity: Itm", 78, "Itm"), ("from: items.csv", "from: none.csv", 66, "none.csv"),
      ("match: [identifier]", "match: [identifer]", 78, "identifer"), ("limit: 0", "limt: 0", 78, "limt"),
    ] as [(String, String, Int32, String)] {
      try workspace.write("items.yaml", good.replacingOccurrences(of: old, with: new))
      outcome = try await workspace.run("lint", "items.yaml")
      #expect(outcome.exitCode == exitCode, "\(new)")
      #expect(outcome.text.contains(says) && outcome.text.contains("items.yaml:"), "\(outcome.text)")
    }
    let json = try await workspace.run("lint", "--json", "items.yaml")
    let problems = try #require(try JSONSerialization.jsonObject(with: Data(json.output)) as? [[String: Any]])
    #expect(problems.first?["severity"] as? String == "error")
    #expect(!workspace.exists("Shop.sqlite"))
  }
}
