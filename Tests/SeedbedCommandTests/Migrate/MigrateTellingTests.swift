import Foundation
import TestSupport
import Testing

/// What `migrate` and `check` say beforehand is what happens.
@Suite("seedbed migrate says what it does")
struct MigrateTellingTests {
  private static func attribute(_ name: String, _ more: String = " optional=\"YES\"") -> String {
    "<attribute name=\"\(name)\" attributeType=\"String\"\(more)/>"
  }

  private static func entity(_ name: String, _ content: String, _ more: String = "") -> String {
    "<entity name=\"\(name)\"\(more)>\(content)</entity>"
  }

  /// Versions by name, the last one of which is current, and a store of the first with these rows, by entity.
  private func workspace(
    _ versions: [(name: String, entities: String)], rows: [(entity: String, csv: String)] = [], history: Bool = false
  ) async throws -> Workspace {
    let workspace = try Workspace()
    try VersionedShop.write(versions, to: workspace)
    var pipeline =
      "model: { path: Shop.xcdatamodeld, version: \"\(versions[0].name)\" }\nstore: { path: Shop.sqlite, history: \(history) }\n"
    if !rows.isEmpty { pipeline += "import:\n" }
    for row in rows {
      try workspace.write("\(row.entity).csv", row.csv)
      let names = row.csv.prefix { $0 != "\n" }.split(separator: ",")
      let map = names.map { "\($0): \($0)" }.joined(separator: ", ")
      pipeline += "  - { from: \(row.entity).csv, entity: \(row.entity), map: { \(map) } }\n"
    }
    try workspace.write("shop.yaml", pipeline)
    let run = try await workspace.run("run", "--quiet", "shop.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    return workspace
  }

  private func check(_ workspace: Workspace, _ more: String...) async throws -> Tool.Outcome {
    try await Tool.run(["check", "Shop.sqlite", "Shop.xcdatamodeld"] + more, in: workspace.folder)
  }

  // MARK: - Ways

  @Test("of versions that differ in a default alone each is a step of its own")
  func sameHashes() async throws {
    let workspace = try await workspace(
      [
        ("Shop", Self.entity("Item", Self.attribute("a"))),
        ("Shop 2", Self.entity("Item", Self.attribute("a", " defaultValueString=\"made up\""))),
        ("Shop 3", Self.entity("Item", Self.attribute("a", ""))),
      ], rows: [("Item", "a\ngiven\n")])
    try workspace.execute(
      "Shop.sqlite", "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (7, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 7")
    let verdict = try await check(workspace)
    #expect(verdict.text.contains("  Shop → Shop 2: inferred\n  Shop 2 → Shop 3: inferred\n"), "\(verdict.text)")
    let plan = try await VersionedShop.migrate(workspace, ["--dry-run"])
    #expect(plan.exitCode == 0 && !plan.text.contains("in the way"), "\(plan.text)\(plan.talk)")
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZA FROM ZITEM ORDER BY Z_PK") == ["given", "made up"])
    #expect(try await check(workspace).exitCode == 0)
    #expect(try await VersionedShop.migrate(workspace).text.contains("nothing to do"))
  }

  @Test("an older version is told by the order in which Xcode shows names, in capitals or not")
  func order() async throws {
    let workspace = try await workspace(
      [
        ("Zebra", Self.entity("Item", Self.attribute("a") + Self.attribute("z"))),
        ("alpha", Self.entity("Item", Self.attribute("a"))),
      ], rows: [("Item", "a,z\none,kept\n")])
    let before = try workspace.bytes("Shop.sqlite")
    let refused = try await VersionedShop.migrate(workspace)
    #expect(refused.exitCode == 78 && refused.talk.contains("newer"), "\(refused.talk)")
    #expect(refused.talk.contains("Item.z: removed, its values go") && refused.talk.contains("--to VERSION"))
    #expect(try workspace.bytes("Shop.sqlite") == before)
    #expect(try await check(workspace).text.contains("seedbed migrate would refuse it"))
    #expect(try await VersionedShop.migrate(workspace, ["--to", "alpha"]).exitCode == 0)
  }

  // MARK: - Losses

  @Test("an abstract parent that goes takes nothing with it")
  func abstractParent() async throws {
    let versions = [
      (
        "Shop",
        Self.entity("Base", Self.attribute("id"), " isAbstract=\"YES\"")
          + Self.entity("Item", Self.attribute("a"), " parentEntity=\"Base\"")
      ), ("Shop 2", Self.entity("Item", Self.attribute("id") + Self.attribute("a"))),
    ]
    let workspace = try await workspace(versions, rows: [("Item", "id,a\n1,x\n")])
    try workspace.write("Other.xcmappingmodel/xcmapping.xml", "damaged")
    let verdict = try await check(workspace)
    #expect(
      !verdict.text.contains("drops") && verdict.text.contains("Item.id: moved down from Base\n"), "\(verdict.text)")
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0 && !(result.text + result.talk).contains("lost"), "\(result.text)\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZID, ZA FROM ZITEM") == ["1|x"])
    // One that has objects of its own does.
    let concrete = try await self.workspace(
      [("Shop", versions[0].1.replacingOccurrences(of: " isAbstract=\"YES\"", with: "")), versions[1]])
    #expect(try await VersionedShop.migrate(concrete).text.contains("lost: Base: removed, its objects go\n"))
  }

  @Test("what moves up or down a hierarchy is not called removed, and a merge of hierarchies not impossible")
  func hierarchies() async throws {
    let workspace = try await workspace(
      [
        ("Shop", Self.entity("Cat", Self.attribute("name")) + Self.entity("Dog", Self.attribute("name"))),
        (
          "Shop 2",
          Self.entity("Animal", Self.attribute("name"), " isAbstract=\"YES\"")
            + Self.entity("Cat", "", " parentEntity=\"Animal\"") + Self.entity("Dog", "", " parentEntity=\"Animal\"")
        ),
      ], rows: [("Cat", "name\ntom\n"), ("Dog", "name\nrex\n")])
    let verdict = try await check(workspace)
    for text in [
      "  Cat.name: moved up to Animal\n", "  Dog.name: moved up to Animal\n",
      "Core Data's lightweight migration would not do; seedbed merges the hierarchies, with other primary keys:\n",
      "To migrate it: seedbed migrate Shop.sqlite --model Shop.xcdatamodeld\n",
    ] { #expect(verdict.text.contains(text), "\(text)\n\(verdict.text)") }
    for text in ["removed", "cannot be merged", "drops"] { #expect(!verdict.text.contains(text), "\(verdict.text)") }
    let models = try await workspace.run("check", "Shop.xcdatamodeld/Shop 2", "Shop.xcdatamodeld/Shop")
    #expect(models.text.contains("  Cat.name: moved down from Animal\n"), "\(models.text)")
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0 && !result.text.contains("lost"), "\(result.text)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZANIMAL ORDER BY 1") == ["rex", "tom"])
  }

  @Test(
    "objects of a mapping model's entity are counted before its filter, and said to be",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func filter() async throws {
    let workspace = try await Notes.workspace(
      version: "v2", mapping: Notes.mapping("v2_to_v3"),
      records: "[{\"title\": \"one\", \"image\": \"AQID\"}, {\"title\": \"two\"}]",
      map: "body: title, image: image")
    let line = ["migrate", "Notes.sqlite", "--model", Notes.model, "--to", "UnCloudNotesDataModel v3", "--dry-run"]
    let plan = try await Tool.run(line, in: workspace.folder)
    #expect(
      plan.text.contains("entity Note → Attachment: changed, those of 2 objects that the mapping's filter takes\n"),
      "\(plan.text)\(plan.talk)")
    let steps = try #require(
      try await Tool.run(line + ["--json"], in: workspace.folder).object()["steps"] as? [[String: Any]])
    let entities = try #require(steps.first?["entities"] as? [[String: Any]])
    #expect(entities.map { $0["filtered"] as? Bool } == entities.map { $0["destination"] as? String == "Attachment" })
  }

  // MARK: - What is no part of the model

  @Test("a store that carries no model gets one")
  func modelCache() async throws {
    let workspace = try await workspace([
      ("Shop", Self.entity("Item", Self.attribute("a"))),
      ("Shop 2", Self.entity("Item", Self.attribute("a") + Self.attribute("b"))),
    ])
    try workspace.execute("Shop.sqlite", "DROP TABLE Z_MODELCACHE")
    #expect(try await VersionedShop.migrate(workspace).exitCode == 0)
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM Z_MODELCACHE") == ["1"])
    #expect(try await workspace.run("inspect", "Shop.sqlite").exitCode == 0)
    #expect(try await workspace.run("check", "Shop.sqlite").exitCode == 0)
  }

  private static let objects = """
    CREATE INDEX onLost ON ZITEM (ZB); CREATE INDEX onKept ON ZITEM (ZA, Z_PK);
    CREATE INDEX partial ON ZITEM (ZA) WHERE ZB IS NULL; CREATE UNIQUE INDEX lowered ON ZITEM (lower(ZA));
    CREATE INDEX onOther ON ZOTHER (ZA); CREATE TABLE mine (text); INSERT INTO mine VALUES ('kept');
    CREATE VIEW reads AS SELECT ZB FROM ZITEM; CREATE VIEW second AS SELECT * FROM reads;
    CREATE VIEW fine AS SELECT ZA FROM ZITEM; CREATE VIEW broken AS SELECT none FROM ZITEM;
    CREATE TRIGGER writes AFTER INSERT ON mine BEGIN UPDATE ZITEM SET ZB = NEW.text; END;
    CREATE TRIGGER harmless AFTER DELETE ON mine BEGIN UPDATE ZITEM SET ZA = OLD.text; END;
    CREATE TRIGGER audit AFTER UPDATE ON ZITEM BEGIN SELECT 1; END;
    """

  private static let told = [
    "the trigger audit on ZITEM, which does not belong to the model",
    "the index onLost on ZITEM, which does not belong to the model",
    "the index partial on ZITEM, which does not belong to the model",
    "the view reads, which stays and does not work any more: no such column: ZB",
    "the view second, which stays and does not work any more: no such column: ZB",
    "the trigger writes, which stays and does not work any more: no such column: ZB",
  ]

  private static let versions = [
    (
      "Shop",
      entity("Item", attribute("a") + attribute("b")) + entity("Other", attribute("a"))
    ),
    ("Shop 2", entity("Item", attribute("a") + attribute("c")) + entity("Other", attribute("a") + attribute("z"))),
  ]

  @Test("indexes stay where their columns do, and what goes or works no more is told beforehand")
  func foreignObjects() async throws {
    let workspace = try await workspace(Self.versions, rows: [("Item", "a,b\none,1\n")])
    try workspace.execute("Shop.sqlite", Self.objects)
    let verdict = try await check(workspace)
    let plan = try await VersionedShop.migrate(workspace, ["--dry-run"])
    let json = try await VersionedShop.migrate(workspace, ["--dry-run", "--json"]).object()
    #expect(json["droppedIndexes"] as? [String] == ["onLost on ZITEM", "partial on ZITEM"])
    #expect((json["brokenViews"] as? [String])?.count == 3)
    let answer = try await check(workspace, "--json").object()
    #expect((answer["migration"] as? [String: Any])?["foreignLosses"] as? [String] == Self.told)
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    for text in Self.told {
      #expect(verdict.text.contains("lost: \(text)\n"), "\(text)\n\(verdict.text)")
      #expect(plan.text.contains("lost: \(text)\n"), "\(text)\n\(plan.text)")
      #expect(result.talk.contains("will be lost: \(text)\n"), "\(text)\n\(result.talk)")
    }
    for name in ["onKept", "lowered", "onOther", "fine", "broken", "harmless", "mine"] {
      #expect(!plan.text.contains(name), "\(plan.text)")
    }
    let names = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'Z%' ORDER BY name"
    #expect(
      try workspace.query("Shop.sqlite", names) == [
        "broken", "fine", "harmless", "lowered", "mine", "onKept", "onOther", "reads", "second", "writes",
      ])
    #expect(try workspace.query("Shop.sqlite", "PRAGMA integrity_check") == ["ok"])
    #expect(try workspace.query("Shop.sqlite", "SELECT ZA FROM ZITEM INDEXED BY onKept WHERE ZA = 'one'") == ["one"])
    #expect(try await check(workspace).exitCode == 0)
  }

  @Test("of several steps each tells what goes in it")
  func foreignObjectsInSteps() async throws {
    let workspace = try await workspace(
      Self.versions.dropLast() + [
        (
          "Shop 2",
          Self.entity("Item", Self.attribute("a2", " optional=\"YES\" elementID=\"a\"") + Self.attribute("b"))
            + Self.entity("Other", Self.attribute("a"))
        ),
        (
          "Shop 3",
          Self.entity("Item", Self.attribute("a3", " optional=\"YES\" elementID=\"a2\"") + Self.attribute("c"))
            + Self.entity("Other", Self.attribute("a"))
        ),
      ], rows: [("Item", "a,b\none,1\n")])
    try workspace.execute("Shop.sqlite", Self.objects)
    let result = try await VersionedShop.migrate(workspace, ["--json"])
    #expect(result.exitCode == 0, "\(result.talk)")
    let steps = try #require(try result.object()["steps"] as? [[String: Any]])
    #expect(
      steps.map { $0["droppedIndexes"] as? [String] } == [
        ["lowered on ZITEM", "onKept on ZITEM", "partial on ZITEM"], ["onLost on ZITEM"],
      ])
    #expect(steps.map { ($0["brokenViews"] as? [String])?.count } == [2, 3], "\(result.text)")
    #expect(
      try workspace.query("Shop.sqlite", "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'on%'")
        == ["onOther"])
  }

  @Test("columns that do not belong to the model go with tables that are written anew, and that is told")
  func foreignColumns() async throws {
    let workspace = try await workspace(Self.versions, rows: [("Item", "a,b\none,1\n")])
    try workspace.execute(
      "Shop.sqlite",
      "ALTER TABLE ZITEM ADD COLUMN mine TEXT; ALTER TABLE ZOTHER ADD COLUMN mine TEXT; CREATE INDEX own ON ZOTHER (mine)"
    )
    let plan = try await VersionedShop.migrate(workspace, ["--dry-run"])
    #expect(plan.text.contains("lost: the column ZITEM.MINE, which does not belong to the model\n"), "\(plan.text)")
    #expect(!plan.text.contains("ZOTHER.MINE") && !plan.text.contains("own on"), "\(plan.text)")
    #expect(try await VersionedShop.migrate(workspace).exitCode == 0)
    #expect(
      try workspace.query("Shop.sqlite", "SELECT count(*) FROM pragma_table_info('ZOTHER') WHERE name = 'mine'") == [
        "1"
      ])
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM sqlite_master WHERE name = 'own'") == ["1"])
  }

  // MARK: - Commands and hints

  @Test("the suggested command works where names begin like options")
  func dashes() async throws {
    let workspace = try await workspace([
      ("-one", Self.entity("Item", Self.attribute("a"))),
      ("-two", Self.entity("Item", Self.attribute("a") + Self.attribute("b"))),
    ])
    for name in ["-x.sqlite", "- x.sqlite"] {
      try FileManager.default.copyItem(at: workspace.url("Shop.sqlite"), to: workspace.url(name))
      let verdict = try await Tool.run(
        ["check", "--model", "Shop.xcdatamodeld", "--model-version=-two", "--", name], in: workspace.folder)
      let line = try #require(verdict.text.split(separator: "\n").first { $0.hasPrefix("To migrate it: ") })
      let command = String(line.dropFirst("To migrate it: seedbed ".count))
      let isPlain = !name.contains(" ")
      #expect(
        command == "migrate \(isPlain ? "./-x.sqlite" : "'./- x.sqlite'") --model Shop.xcdatamodeld --to=-two",
        "\(line)")
      // What a shell makes of it.
      let words =
        isPlain
        ? command.split(separator: " ").map(String.init)
        : ["migrate", "./- x.sqlite"] + command.split(separator: " ").suffix(3).map(String.init)
      let result = try await Tool.run(words, in: workspace.folder)
      #expect(result.exitCode == 0 && result.text.contains("is of version -two now"), "\(result.text)\(result.talk)")
    }
  }

  @Test("the hint names duplicates where there are some, and nothing else then")
  func hints() async throws {
    let box = { (constraint: String) in
      Self.entity("Item", Self.attribute("a") + constraint)
        + Self.entity("Thing", Self.attribute("b"), constraint.isEmpty ? "" : " isAbstract=\"YES\"")
    }
    let versions = [("Shop", box("")), ("Shop 2", box(ModelXML.unique("a")))]
    let both = try await workspace(versions, rows: [("Item", "a\nx\nx\n"), ("Thing", "b\n1\n")])
    let refused = try await VersionedShop.migrate(both)
    #expect(refused.exitCode == 65)
    #expect(refused.talk.contains("--duplicates") && refused.talk.contains("mend the data"), "\(refused.talk)")
    let other = try await workspace(versions, rows: [("Thing", "b\n1\n")])
    let abstract = try await VersionedShop.migrate(other)
    #expect(abstract.exitCode == 65)
    #expect(!abstract.talk.contains("--duplicates") && abstract.talk.contains("mend the data"), "\(abstract.talk)")
    let duplicates = try await workspace(versions, rows: [("Item", "a\nx\nx\n")])
    let doubled = try await VersionedShop.migrate(duplicates)
    #expect(doubled.exitCode == 65)
    #expect(doubled.talk.contains("--duplicates") && !doubled.talk.contains("mend the data"), "\(doubled.talk)")
  }

  @Test(
    "a store that may not be written gives a hint",
    .enabled(if: Tool.unprivilegedCommand != nil, "the superuser may, and cannot be another user here"))
  func readOnly() async throws {
    let workspace = try await workspace(Self.versions)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: workspace.folder.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workspace.folder.path) }
    let result = try await Tool.withoutPrivileges(in: workspace.folder) { try await VersionedShop.migrate(workspace) }
    #expect(result.exitCode == 74 && result.talk.contains("must be writable"), "\(result.talk)")
  }

  @Test("duplicates that went are deletions in the history", arguments: ["keep-first", "keep-last", "merge"])
  func history(policy: String) async throws {
    let attributes = Self.attribute("a") + Self.attribute("n", " optional=\"YES\" preserveAfterDeletion=\"YES\"")
    let workspace = try await workspace(
      [
        ("Shop", Self.entity("Item", attributes)),
        ("Shop 2", Self.entity("Item", attributes + ModelXML.unique("a"))),
      ],
      rows: [("Item", "a,n\nx,\nx,2\ny,3\n")], history: true)
    #expect(try await VersionedShop.migrate(workspace, ["--duplicates", policy]).exitCode == 0)
    let lines = try await workspace.run("history", "Shop.sqlite", "--json").text.split(separator: "\n")
    let line = try #require(lines.last)
    let last = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(last["transaction"] as? Int == 2 && last["context"] as? String == "seedbed.migration")
    let changes = try #require(last["changes"] as? [[String: Any]])
    let deletion = try #require(changes.first { $0["type"] as? String == "delete" })
    #expect(deletion["primaryKey"] as? Int == (policy == "keep-last" ? 1 : 2))
    let tombstone = deletion["tombstone"] as? [String: Any]
    #expect(tombstone?["n"] as? String == (policy == "keep-last" ? nil : "2"), "\(deletion)")
    let updates = changes.filter { $0["type"] as? String == "update" }
    #expect(updates.map { $0["properties"] as? [String] } == (policy == "merge" ? [["n"]] : []))
  }
}
