import Foundation
import Seedbed
import TestSupport
import Testing

/// `seedbed migrate` where one inferred step does not do: several steps, and mapping models.
@Suite("seedbed migrate, step by step")
struct MigrateStepsTests {
  /// Items with a name and another attribute.
  private static func item(_ attribute: String, unique: String? = nil) -> String {
    VersionedShop.entity("Item", VersionedShop.attribute("name"), attribute, unique: unique)
  }

  /// The attribute that keeps a text under a new name.
  private static func renamed(_ name: String, from former: String) -> String {
    VersionedShop.attribute(name, "optional=\"YES\" elementID=\"\(former)\"")
  }

  /// A store of the first version, in which a code is text; in the second it is gone, in the third it is a number.
  private func workspace() async throws -> Workspace {
    try await VersionedShop.imported(
      [
        ("Shop", Self.item(VersionedShop.attribute("code"))), ("Shop 2", Self.item("")),
        ("Shop 3", Self.item(VersionedShop.attribute("code", type: "Integer 64", "defaultValueString=\"7\""))),
      ], "name,code\na,A\nb,B\n", "map: { name: name, code: code }")
  }

  private func migrate(_ workspace: Workspace, _ more: String...) async throws -> Tool.Outcome {
    try await Tool.run(
      ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop 3"] + more, in: workspace.folder)
  }

  @Test("what no single mapping can do is done through the version in between, and what goes is told")
  func chain() async throws {
    let workspace = try await workspace()
    let before = try workspace.bytes("Shop.sqlite")
    let plan = try await migrate(workspace, "--dry-run")
    #expect(plan.exitCode == 0, "\(plan.talk)")
    #expect(plan.text.contains("Shop → Shop 2: inferred\n") && plan.text.contains("Shop 2 → Shop 3: inferred"))
    #expect(plan.text.contains("lost: Item.code: removed, its values go"))
    #expect(plan.text.contains("  entity Item: changed, 2 objects\n"))
    #expect(try workspace.bytes("Shop.sqlite") == before)

    // Renames in place leave the list of entities as it was; the numbers count.
    try workspace.execute("Shop.sqlite", "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Former'")
    let names = try workspace.names()
    let result = try await migrate(workspace, "--json")
    #expect(result.exitCode == 0, "\(result.talk)")
    let object = try result.object()
    #expect(object["migrated"] as? Bool == true)
    let steps = try #require(object["steps"] as? [[String: Any]])
    #expect(steps.map { $0["to"] as? String } == ["Shop 2", "Shop 3"])
    let entities = try steps.map { try #require($0["entities"] as? [[String: Any]]) }
    #expect(entities.map { $0.map { $0["destination"] as? String } } == [["Item"], ["Item"]])
    // What is there is known before the first step alone.
    #expect(entities[0][0]["rows"] as? Int == 2 && entities[1][0]["rows"] is NSNull)
    #expect((object["warnings"] as? [String])?.isEmpty == true)
    #expect(
      try workspace.query("Shop.sqlite", "SELECT Z_PK, ZNAME, ZCODE FROM ZITEM ORDER BY Z_PK") == ["1|a|7", "2|b|7"])
    // One file it was, and one file it is.
    #expect(try workspace.names() == names)
    #expect(try workspace.query("Shop.sqlite", "PRAGMA journal_mode") == ["delete"])
    let check = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld/Shop 3")
    #expect(check.exitCode == 0, "\(check.text)")
    #expect(try await migrate(workspace).text.contains("already: nothing to do"))
  }

  @Test("the way back to a version that is named takes the steps that keep most, and says what goes")
  func backStepByStep() async throws {
    let workspace = try await VersionedShop.imported(
      [
        ("Shop", Self.item(VersionedShop.attribute("a"))), ("Shop 2", Self.item(Self.renamed("b", from: "a"))),
        (
          "Shop 3",
          VersionedShop.entity(
            "Item", VersionedShop.attribute("name"), Self.renamed("b", from: "a") + VersionedShop.attribute("new"))
        ),
      ], "name,a\nx,kept\n", "map: { name: name, a: a }")
    #expect(try await migrate(workspace).exitCode == 0)
    #expect(try workspace.query("Shop.sqlite", "SELECT ZB FROM ZITEM") == ["kept"])
    let result = try await Tool.run(
      ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop"], in: workspace.folder)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(result.text.contains("lost: Item.new: removed, its values go") && !result.text.contains("lost: Item.b"))
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME, ZA FROM ZITEM") == ["x|kept"])
  }

  @Test("the way back to another type goes through a version in between")
  func backByDetour() async throws {
    let workspace = try await workspace()
    #expect(try await migrate(workspace).exitCode == 0)
    let result = try await Tool.run(
      ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop"], in: workspace.folder)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(
      try workspace.query("Shop.sqlite", "SELECT Z_PK, ZNAME, ZCODE FROM ZITEM ORDER BY Z_PK") == ["1|a|∅", "2|b|∅"])
  }

  /// Versions between which a name is renamed twice, so that two steps are taken, and must be unique in the last one.
  private func duplicates() async throws -> Workspace {
    try await VersionedShop.imported(
      [
        ("Shop", Self.item(VersionedShop.attribute("a"))), ("Shop 2", Self.item(Self.renamed("b", from: "a"))),
        ("Shop 3", Self.item(Self.renamed("c", from: "b"), unique: "c")),
      ], "name,a\n,same\nsecond,same\nthird,same\nfourth,other\n", "map: { name: name, a: a }")
  }

  @Test("duplicates that a later step does not allow are named with it beforehand, and in the refusal")
  func duplicatesOfALaterStep() async throws {
    let workspace = try await duplicates()
    let before = try workspace.bytes("Shop.sqlite")
    let sentence = "Item: c must be unique now, and 1 value is there more than once: same"
    let plan = try await migrate(workspace, "--dry-run")
    #expect(plan.exitCode == 65, "\(plan.text)\(plan.talk)")
    #expect(
      plan.text.contains("Shop 2 → Shop 3: inferred\n  entity Item: changed\n  in the way: \(sentence)\n"),
      "\(plan.text)")
    #expect(plan.text.contains("Not possible: the data break rules of version Shop 3."))
    let allowed = try await migrate(workspace, "--dry-run", "--duplicates", "merge", "--json")
    #expect(allowed.exitCode == 0, "\(allowed.talk)")
    let object = try allowed.object()
    let steps = try #require(object["steps"] as? [[String: Any]])
    let conditions = steps.map { ($0["conditions"] as? [[String: Any]])?.map { $0["kind"] as? String } }
    #expect(conditions == [[], ["duplicateKeys"]])
    let refused = try await migrate(workspace)
    #expect(
      refused.exitCode == 65 && refused.talk.contains("Shop 2 → Shop 3: inferred: \(sentence)"), "\(refused.talk)")
    #expect(refused.talk.contains("error: Shop.sqlite: ") || refused.talk.contains("/Shop.sqlite: "), "\(refused.talk)")
    #expect(!refused.talk.contains(".partial"), "\(refused.talk)")
    #expect(try workspace.bytes("Shop.sqlite") == before)
  }

  @Test(
    "duplicates are resolved in the step that does not allow them",
    arguments: [
      ("keep-first", ["1|∅|same", "4|fourth|other"]), ("keep-last", ["3|third|same", "4|fourth|other"]),
      ("merge", ["1|second|same", "4|fourth|other"]),
    ])
  func resolvedDuplicates(policy: (name: String, rows: [String])) async throws {
    let workspace = try await duplicates()
    let result = try await migrate(workspace, "--duplicates", policy.name)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(
      result.text.contains("Shop 2 → Shop 3: inferred\n  entity Item: changed\n  duplicates: 2 Item removed\n"),
      "\(result.text)")
    #expect(try workspace.query("Shop.sqlite", "SELECT Z_PK, ZNAME, ZC FROM ZITEM ORDER BY 1") == policy.rows)
    let check = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld/Shop 3")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("triggers that no model explains go in the first step, and it names them")
  func triggers() async throws {
    let workspace = try await duplicates()
    try workspace.execute("Shop.sqlite", "CREATE TRIGGER audit AFTER DELETE ON ZITEM BEGIN SELECT 1; END")
    let lines =
      "Shop → Shop 2: inferred\n  entity Item: changed, 4 objects\n  lost: the trigger audit on ZITEM, which does not belong to the model\n"
    let plan = try await migrate(workspace, "--dry-run", "--duplicates", "merge")
    #expect(plan.text.contains(lines), "\(plan.text)")
    let result = try await migrate(workspace, "--duplicates", "merge", "--json")
    #expect(result.exitCode == 0, "\(result.talk)")
    let object = try result.object()
    let steps = try #require(object["steps"] as? [[String: Any]])
    #expect(steps.map { $0["droppedTriggers"] as? [String] } == [["audit on ZITEM"], []])
    #expect((steps[1]["removedDuplicates"] as? [String: Int]) == ["Item": 2])
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == ["0"])
  }

  @Test("a rename of a rename takes both steps, although one would do that loses the value")
  func lossless() async throws {
    let workspace = try await VersionedShop.imported(
      [
        ("Shop", Self.item(VersionedShop.attribute("a"))), ("Shop 2", Self.item(Self.renamed("b", from: "a"))),
        ("Shop 3", Self.item(Self.renamed("c", from: "b"))),
      ], "name,a\none,kept\n", "map: { name: name, a: a }")
    let result = try await migrate(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(result.text.contains("Shop → Shop 2: inferred") && !result.text.contains("lost:"), "\(result.text)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME, ZC FROM ZITEM") == ["one|kept"])
    // And back there is one step, which says what it drops.
    let back = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop")
    #expect(
      back.exitCode == 0 && back.text.contains("lost: Item.c: removed, its values go"), "\(back.text)\(back.talk)")
  }

  @Test("a damaged mapping model beside the model is in the way of steps that lose something, and of no others")
  func damagedMapping() async throws {
    let lossy = try await workspace()
    let lossless = try await duplicates()
    for workspace in [lossy, lossless] { try workspace.write("Broken.xcmappingmodel/xcmapping.xml", "no XML") }
    let before = try lossy.bytes("Shop.sqlite")
    for more in [[], ["--dry-run"]] {
      let refused = try await Tool.run(
        ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop 3"] + more, in: lossy.folder)
      #expect(refused.exitCode == 78, "\(refused.text)")
      #expect(
        refused.talk.contains("Broken.xcmappingmodel cannot be read") && refused.talk.contains("Item.code: removed"),
        "\(refused.talk)")
    }
    #expect(try lossy.bytes("Shop.sqlite") == before)
    let done = try await lossless.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop 2")
    #expect(done.exitCode == 0 && done.text.contains("warning: the mapping model"), "\(done.text)\(done.talk)")
  }

  @Test("policies that are none, or none of the migration's, are mistakes in the command line")
  func wrongPolicies() async throws {
    let workspace = try await workspace()
    let before = try workspace.bytes("Shop.sqlite")
    for word in ["NotePolicy", "NotePolicy=some", "=none"] {
      #expect(try await migrate(workspace, "--policy", word).exitCode == 64)
    }
    let unused = try await migrate(workspace, "--policy", "NotePolicy=none")
    #expect(
      unused.exitCode == 64 && unused.talk.contains("no mapping model of this migration names the policy NotePolicy"))
    #expect(try workspace.bytes("Shop.sqlite") == before)
  }

  @Test(
    "a mapping model with a policy is refused with its names, and done without where that is asked for",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func policies() async throws {
    let mapping = Notes.mapping("v3_to_v4")
    let workspace = try await Notes.workspace(
      version: "v3", mapping: mapping, records: "[{\"title\": \"one\", \"body\": \"b\"}]", map: "body: body")
    let before = try workspace.bytes("Notes.sqlite")
    let line = [
      "migrate", "Notes.sqlite", "--model", Notes.model, "--to", "UnCloudNotesDataModel v4", "--mapping", mapping,
    ]
    for more in [[], ["--dry-run"]] {
      let refused = try await Tool.run(line + more, in: workspace.folder)
      #expect(refused.exitCode == 78, "\(refused.text)")
      #expect(
        refused.talk.contains("needs migration policies, which are Swift code of the app's")
          && refused.talk.contains(
            "AttachmentToImageAttachmentMigrationPolicyV3toV4")
          && refused.talk.contains("--policy NAME=none"),
        "\(refused.talk)")
    }
    #expect(try workspace.bytes("Notes.sqlite") == before)
    let done = try await Tool.run(
      line + ["--policy", "AttachmentToImageAttachmentMigrationPolicyV3toV4=none"], in: workspace.folder)
    #expect(done.exitCode == 0, "\(done.talk)")
    #expect(try workspace.query("Notes.sqlite", "SELECT ZTITLE, ZBODY FROM ZNOTE") == ["one|b"])
    let check = try await workspace.run("check", "Notes.sqlite", Notes.model + "/UnCloudNotesDataModel v4")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("mapping models that are missing, or are for other models, are mistakes, and the store is left alone")
  func mistakes() async throws {
    let workspace = try await workspace()
    let before = try workspace.bytes("Shop.sqlite")
    let missing = try await migrate(workspace, "--mapping", "None.xcmappingmodel")
    #expect(missing.exitCode == 66 && missing.talk.contains("None.xcmappingmodel: there is no such mapping model"))
    try workspace.write("Bad.cdm", "no archive")
    let damaged = try await migrate(workspace, "--mapping", "Bad.cdm")
    #expect(damaged.exitCode == 78 && damaged.talk.contains("Bad.cdm cannot be read"), "\(damaged.talk)")
    #expect(try workspace.bytes("Shop.sqlite") == before)
  }

  @Test(
    "a mapping model of a real app is carried out: images become attachments",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"), arguments: [true, false])
  func mapping(isNamed: Bool) async throws {
    let mapping = Notes.mapping("v2_to_v3")
    let place = isNamed ? "mappings/" + mapping : mapping
    let workspace = try await Notes.workspace(
      version: "v2", mapping: mapping, at: place,
      records: "[{\"title\": \"one\", \"body\": \"b\", \"image\": \"AQID\"}, {\"title\": \"two\", \"body\": \"c\"}]",
      map: "body: body, image: image")
    let store = workspace.url("Notes.sqlite")
    try PersistentStoreCoordinator.setMetadata(["AppKey": "kept"], type: .sqlite, at: store)
    let line = ["migrate", "Notes.sqlite", "--model", Notes.model, "--to", "UnCloudNotesDataModel v3"]
    let result = try await Tool.run(line + (isNamed ? ["--mapping", place] : []), in: workspace.folder)
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(result.text.contains("UnCloudNotesDataModel v2 → UnCloudNotesDataModel v3: by "))
    #expect(result.text.contains(mapping))
    #expect(try workspace.query("Notes.sqlite", "SELECT ZTITLE FROM ZNOTE ORDER BY ZTITLE") == ["one", "two"])
    #expect(
      try workspace.query(
        "Notes.sqlite", "SELECT n.ZTITLE, hex(a.ZIMAGE) FROM ZATTACHMENT AS a JOIN ZNOTE AS n ON n.Z_PK = a.ZNOTE")
        == ["one|010203"])
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store)
    #expect(metadata["AppKey"] as? String == "kept")
    let check = try await workspace.run("check", "Notes.sqlite", Notes.model + "/UnCloudNotesDataModel v3")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  /// Versions by name, in the order of development, each with the attribute that keeps the text under a new name; a
  /// store of the first, and the last as the current one.
  private func renames(_ names: [String]) async throws -> Workspace {
    let versions = names.enumerated().map { index, name in
      (name, Self.item(index == 0 ? VersionedShop.attribute("a0") : Self.renamed("a\(index)", from: "a\(index - 1)")))
    }
    return try await VersionedShop.imported(
      versions, "name,code\na,A\nb,B\n", "map: { name: name, a0: code }")
  }

  @Test(
    "renames in a row lose nothing, whatever the versions are called",
    arguments: [["M 1.8.0", "M 1.9.0", "M 1.10.0", "M 1.11.0"], ["Start", "Begin", "Middle"], ["z", "y", "x", "w"]])
  func renamed(names: [String]) async throws {
    let workspace = try await renames(names)
    let result = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(result.exitCode == 0 && !result.text.contains("lost"), "\(result.text)\(result.talk)")
    let column = "ZA\(names.count - 1)"
    #expect(try workspace.query("Shop.sqlite", "SELECT \(column) FROM ZITEM ORDER BY Z_PK") == ["A", "B"])
  }

  @Test(
    "the path of a version finds the others of its folder",
    arguments: [
      "Shop.xcdatamodeld/Shop 3.xcdatamodel", "Shop.xcdatamodeld/Shop 3.xcdatamodel/", "Shop.xcdatamodeld/Shop 3",
      "./Shop.xcdatamodeld/../Shop.xcdatamodeld/Shop 3.xcdatamodel/contents", "Link.xcdatamodel",
    ])
  func versionPaths(path: String) async throws {
    let workspace = try await renames(["Shop", "Shop 2", "Shop 3"])
    try FileManager.default.createSymbolicLink(
      atPath: workspace.url("Link.xcdatamodel").path, withDestinationPath: "Shop.xcdatamodeld/Shop 3.xcdatamodel")
    let result = try await workspace.run("migrate", "Shop.sqlite", "--model", path)
    #expect(result.exitCode == 0 && !result.text.contains("lost"), "\(result.text)\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZA2 FROM ZITEM ORDER BY Z_PK") == ["A", "B"])
  }

  @Test("a store goes back to an older version only when that is named")
  func back() async throws {
    let workspace = try await renames(["Shop", "Shop 2"])
    let text = try workspace.text("Shop.xcdatamodeld/Shop.xcdatamodel/contents")
    let more = "<attribute name=\"more\" optional=\"YES\" attributeType=\"String\"/></entity>"
    try workspace.write(
      "Shop.xcdatamodeld/Shop 3.xcdatamodel/contents", text.replacingOccurrences(of: "</entity>", with: more))
    let up = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop 3")
    #expect(up.exitCode == 0, "\(up.talk)")
    let before = try workspace.bytes("Shop.sqlite")
    let refused = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(
      refused.exitCode == 78 && refused.talk.contains("newer") && refused.talk.contains("--to"), "\(refused.talk)")
    #expect(try workspace.bytes("Shop.sqlite") == before)
    let named = try await workspace.run("migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--to", "Shop 2")
    #expect(named.exitCode == 0, "\(named.talk)")
  }
}
