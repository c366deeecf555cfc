import Foundation
import Platform
import TestSupport
import Testing

/// `store.migrate`: a seed store of an older model version is brought to the pipeline's.
@Suite("Runs over seed stores of older versions")
struct SeedMigrationTests {
  private static func item(_ attributes: String) -> String {
    VersionedShop.entity("Item", VersionedShop.attribute("code", ""), attributes, unique: "code")
  }

  private static let amount = VersionedShop.attribute("amount", type: "Integer 32")
  private static let newer =
    "<attribute name=\"quantity\" optional=\"YES\" attributeType=\"Integer 32\" elementID=\"amount\"/>"
    + "<attribute name=\"state\" attributeType=\"Integer 16\" defaultValueString=\"3\"/>"

  /// A project with the store `Old.sqlite` of version 1, whose objects are a and b, and version 2 as the current one.
  private func project(newer: [String] = [Self.newer]) async throws -> Workspace {
    let versions = zip(["Shop", "Shop 2", "Shop 3"], [Self.amount] + newer).map { ($0, Self.item($1)) }
    let workspace = try await VersionedShop.imported(
      versions, "code,amount\na,1\nb,2\n", "match: code, map: { code: code, amount: amount }", into: "Old.sqlite")
    try workspace.write("new.csv", "code,quantity\nb,20\nc,30\n")
    return workspace
  }

  private func write(_ store: String, to workspace: Workspace) throws {
    try workspace.write(
      "new.yaml",
      """
      model: Shop.xcdatamodeld
      store: { \(store) }
      import: [{ from: new.csv, entity: Item, match: code, map: { code: code, quantity: quantity } }]
      """)
  }

  @Test("the copy of a seed store is migrated and imported into, and the seed store stays as it is")
  func seed() async throws {
    let workspace = try await project()
    let before = try workspace.bytes("Old.sqlite")
    try write("path: New.sqlite, seed: Old.sqlite, migrate: true", to: workspace)
    #expect(try await workspace.run("lint", "new.yaml").exitCode == 0)
    let run = try await workspace.run("run", "new.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect((run.text + run.talk).contains("Old.sqlite was made with Shop of the model, and its copy was migrated"))
    #expect(
      try workspace.query("New.sqlite", "SELECT Z_PK, ZCODE, ZQUANTITY, ZSTATE FROM ZITEM ORDER BY Z_PK")
        == ["1|a|1|3", "2|b|20|3", "3|c|30|3"])
    #expect(try workspace.bytes("Old.sqlite") == before)
    let check = try await workspace.run("check", "New.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(check.exitCode == 0, "\(check.text)")
    // A seed store of the current version has nothing to migrate.
    try write("path: Next.sqlite, seed: New.sqlite, migrate: true", to: workspace)
    let next = try await workspace.run("run", "new.yaml")
    #expect(next.exitCode == 0 && !(next.text + next.talk).contains("migrated"))
  }

  @Test("a seed store comes through a version in between where one step does not do, and says what goes")
  func chain() async throws {
    // Version 2 drops what version 3 has as text.
    let workspace = try await project(newer: ["", VersionedShop.attribute("amount")])
    try workspace.write("new.csv", "code,amount\nb,many\n")
    for store in [
      "path: New.sqlite, seed: Old.sqlite, migrate: true", "path: Old.sqlite, replace: never, migrate: true",
    ] {
      try workspace.write(
        "new.yaml",
        """
        model: { path: Shop.xcdatamodeld, version: Shop 3 }
        store: { \(store) }
        import: [{ from: new.csv, entity: Item, match: code, map: { code: code, amount: amount } }]
        """)
      let uuid = try workspace.query("Old.sqlite", "SELECT Z_UUID FROM Z_METADATA")
      let lint = try await workspace.run("lint", "new.yaml")
      #expect(lint.exitCode == 0, "\(lint.text)\(lint.talk)")
      let run = try await workspace.run("run", "new.yaml")
      #expect(run.exitCode == 0, "\(run.talk)")
      let said = run.text + run.talk
      #expect(said.contains("migrated Shop → Shop 2: inferred") && said.contains("migrated Shop 2 → Shop 3: inferred"))
      #expect(said.contains("in the migration Item.amount: removed, its values go"), "\(said)")
      let name = store.contains("New") ? "New.sqlite" : "Old.sqlite"
      #expect(
        try workspace.query(name, "SELECT Z_PK, ZCODE, ZAMOUNT FROM ZITEM ORDER BY Z_PK") == ["1|a|∅", "2|b|many"])
      #expect(try workspace.query(name, "SELECT Z_UUID FROM Z_METADATA") == uuid)
    }
  }

  @Test(
    "a seed store is migrated by a mapping model, named or beside the model, and gives the same bytes each time",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"), arguments: [true, false])
  func mapping(isNamed: Bool) async throws {
    let mapping = Notes.mapping("v2_to_v3")
    let workspace = try await Notes.workspace(
      version: "v2", mapping: mapping, at: isNamed ? "mappings/" + mapping : mapping,
      records: "[{\"title\": \"one\", \"body\": \"b\", \"image\": \"AQID\"}]", map: "body: body, image: image")
    try workspace.write("notes.json", "[{\"title\": \"two\", \"body\": \"c\"}]")
    let named = isNamed ? ", mapping: mappings" : ""
    var stores: [[UInt8]] = []
    for _ in 0..<2 {
      try workspace.write(
        "new.yaml",
        Notes.pipeline(
          "path: New.sqlite, seed: Notes.sqlite, migrate: true\(named)", version: "v3", map: "body: body"))
      let lint = try await workspace.run("lint", "new.yaml")
      #expect(lint.exitCode == 0, "\(lint.text)\(lint.talk)")
      let run = try await workspace.run("run", "new.yaml")
      #expect(run.exitCode == 0, "\(run.talk)")
      #expect((run.text + run.talk).contains(mapping))
      stores.append(try workspace.bytes("New.sqlite"))
    }
    #expect(stores[0] == stores[1])
    #expect(try workspace.query("New.sqlite", "SELECT ZTITLE FROM ZNOTE ORDER BY ZTITLE") == ["one", "two"])
    #expect(try workspace.query("New.sqlite", "SELECT hex(ZIMAGE) FROM ZATTACHMENT") == ["010203"])
    let uuids = try ["Notes.sqlite", "New.sqlite"].map { try workspace.query($0, "SELECT Z_UUID FROM Z_METADATA") }
    #expect(uuids[0] == uuids[1])
    let check = try await workspace.run("check", "New.sqlite", Notes.model + "/UnCloudNotesDataModel v3")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("a mapping without a migration, or that is not there, is a mistake")
  func wrongMapping() async throws {
    let workspace = try await project()
    try write("path: New.sqlite, seed: Old.sqlite, mapping: None.cdm", to: workspace)
    let useless = try await workspace.run("lint", "new.yaml")
    #expect(useless.exitCode == 78)
    #expect((useless.text + useless.talk).contains("mapping is about a store that is migrated, and none is"))
    try write("path: New.sqlite, seed: Old.sqlite, migrate: true, mapping: None.cdm", to: workspace)
    for command in ["lint", "run"] {
      let missing = try await workspace.run(command, "new.yaml")
      #expect(missing.exitCode == 66, "\(missing.text)\(missing.talk)")
      #expect((missing.text + missing.talk).contains("None.cdm: there is no such mapping model"))
    }
    #expect(!workspace.exists("New.sqlite"))
  }

  @Test("a store in which the records change nothing is migrated all the same", arguments: ["delete", "wal"])
  func nothingNew(journal: String) async throws {
    let workspace = try await project()
    try workspace.write("new.csv", "code,quantity\nb,2\n")
    try write("path: Old.sqlite, replace: never, migrate: true, journal: \(journal)", to: workspace)
    let report = try await workspace.report("new.yaml")
    #expect(report.total.unchanged == 1 && report.total.updated == 0)
    let check = try await workspace.run("check", "Old.sqlite", "--model", "Shop.xcdatamodeld")
    #expect(check.exitCode == 0, "\(check.text)")
    let before = try workspace.bytes("Old.sqlite")
    let again = try await workspace.run("run", "new.yaml")
    #expect(again.text.hasPrefix("Unchanged"), "\(again.text)\(again.talk)")
    #expect(try workspace.bytes("Old.sqlite") == before)
  }

  @Test("the store that is there is migrated too, when it is imported into")
  func target() async throws {
    let workspace = try await project()
    try write("path: Old.sqlite, replace: never, migrate: true", to: workspace)
    #expect(try await workspace.run("run", "--quiet", "new.yaml").exitCode == 0)
    #expect(
      try workspace.query("Old.sqlite", "SELECT ZCODE, ZQUANTITY FROM ZITEM ORDER BY Z_PK") == ["a|1", "b|20", "c|30"])
  }

  @Test("without it a seed store of another version ends the run, as before")
  func off() async throws {
    let workspace = try await project()
    try write("path: New.sqlite, seed: Old.sqlite", to: workspace)
    let run = try await workspace.run("run", "new.yaml")
    #expect(run.exitCode == 78 && run.talk.contains("was made with another model"))
    #expect(!workspace.exists("New.sqlite"))
  }

  @Test("what cannot be inferred ends the run with the reasons, and lint says so too")
  func impossible() async throws {
    let workspace = try await project(newer: [VersionedShop.attribute("must", "")])
    let before = try workspace.bytes("Old.sqlite")
    for store in [
      "path: New.sqlite, seed: Old.sqlite, migrate: true", "path: Old.sqlite, replace: never, migrate: true",
    ] {
      try write(store, to: workspace)
      try workspace.write(
        "new.yaml", try workspace.text("new.yaml").replacing("quantity: quantity", with: "must: quantity"))
      for command in ["lint", "run"] {
        let outcome = try await workspace.run(command, "new.yaml")
        #expect(outcome.exitCode == 78, "\(outcome.text)\(outcome.talk)")
        #expect((outcome.text + outcome.talk).contains("Item.must: new and mandatory, without a default value"))
      }
      #expect(try workspace.bytes("Old.sqlite") == before && !workspace.exists("New.sqlite"))
    }
  }

  @Test("what the data break in one of several steps is told by lint as by the run")
  func conditions() async throws {
    func item(_ name: String, was: String?, unique: String) -> String {
      VersionedShop.entity(
        "Item", VersionedShop.attribute("code", ""),
        VersionedShop.attribute(name, "optional=\"YES\"" + (was.map { " elementID=\"\($0)\"" } ?? "")), unique: unique)
    }
    let versions = [
      ("Shop", item("amount", was: nil, unique: "code")), ("Shop 2", item("count", was: "amount", unique: "code")),
      ("Shop 3", item("total", was: "count", unique: "total")),
    ]
    let workspace = try await VersionedShop.imported(
      versions, "code,amount\na,1\nb,1\n", "match: code, map: { code: code, amount: amount }", into: "Old.sqlite")
    try workspace.write(
      "new.yaml", "model: Shop.xcdatamodeld\nstore: { path: New.sqlite, seed: Old.sqlite, migrate: true }\n")
    for command in ["lint", "run"] {
      let outcome = try await workspace.run(command, "new.yaml")
      #expect(outcome.exitCode == 65, "\(outcome.text)\(outcome.talk)")
      let sentence = "Shop 2 → Shop 3: inferred: Item: total must be unique now, and 1 value is there more than once: 1"
      #expect((outcome.text + outcome.talk).contains(sentence), "\(outcome.text)\(outcome.talk)")
    }
    #expect(!workspace.exists("New.sqlite"))
  }

  @Test("a seed store or a mapping model that is a FIFO is refused, and nothing waits for it", .timeLimit(.minutes(20)))
  func fifo() async throws {
    let workspace = try await project()
    #expect(unsafe mkfifo(workspace.path("Pipe.sqlite"), 0o600) == 0)
    for more in ["", "replace: when-changed, "] {
      try write("path: New.sqlite, seed: Pipe.sqlite, \(more)migrate: true", to: workspace)
      for command in ["lint", "run"] {
        let outcome = try await workspace.run(command, "new.yaml")
        #expect(outcome.exitCode == 65, "\(outcome.text)\(outcome.talk)")
        #expect((outcome.text + outcome.talk).contains("Pipe.sqlite is not a Core Data store: it is a FIFO"))
      }
    }
    // What need not be used is a warning.
    #expect(unsafe mkfifo(workspace.path("Map.cdm"), 0o600) == 0)
    try write("path: New.sqlite, seed: Old.sqlite, migrate: true", to: workspace)
    let run = try await workspace.run("run", "new.yaml")
    #expect(run.exitCode == 0 && (run.text + run.talk).contains("Map.cdm"), "\(run.text)\(run.talk)")
  }

  @Test("a model or a pipeline that is a FIFO is refused, and nothing waits for it", .timeLimit(.minutes(20)))
  func otherFIFOs() async throws {
    let workspace = try await project()
    #expect(unsafe mkfifo(workspace.path("Pipe"), 0o600) == 0)
    for arguments in [["check", "Old.sqlite", "--model", "Pipe"], ["query", "Old.sqlite", "Item", "--model", "Pipe"]] {
      let outcome = try await Tool.run(arguments, in: workspace.folder)
      #expect(outcome.exitCode == 78, "\(outcome.talk)")
    }
    for command in ["lint", "run"] {
      let outcome = try await workspace.run(command, "Pipe")
      #expect(outcome.exitCode == 66, "\(outcome.text)\(outcome.talk)")
      #expect((outcome.text + outcome.talk).contains("a pipeline is read from a file"))
    }
  }

  @Test("migrate without a store to copy is a mistake in the pipeline")
  func useless() async throws {
    let workspace = try await project()
    try write("path: New.sqlite, migrate: true", to: workspace)
    let lint = try await workspace.run("lint", "new.yaml")
    #expect(lint.exitCode == 78)
    #expect((lint.text + lint.talk).contains("migrate is about a store that is copied first, and none is"))
    try write("path: Old.sqlite, write: in-place, migrate: true", to: workspace)
    #expect(try await workspace.run("lint", "new.yaml").exitCode == 78)
  }
}
