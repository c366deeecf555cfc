import Foundation
import SQLite
import TestSupport
import Testing

/// Imports into stores that an app made and left empty.
@Suite("Templates", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct TemplateTests {
  /// Stores to make templates of: one that is empty, and others whose rows are taken out.
  private static let fixtures = [AppleStore.template] + AppleStore.all

  /// Empties every table that holds objects or joins them, as the app's own store was before its first save.
  private func empty(_ name: String, in workspace: Workspace) throws {
    let connection = try Connection(path: workspace.path(name))
    let list = try Statement(
      connection,
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND (name GLOB 'Z[A-Z]*' OR name GLOB 'Z_[0-9]*'
      OR name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))
      """)
    var names: [String] = []
    while try list.step() { names.append(list.string(at: 0) ?? "") }
    list.finalize()
    // Triggers call functions that only the framework has; nothing is left for them to keep.
    try connection.set(.triggers, false)
    for name in names { try connection.execute("DELETE FROM \(name)") }
    try connection.execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 0; CREATE TABLE APPNOTES (A); INSERT INTO APPNOTES VALUES (1)")
    try connection.close()
  }

  /// The fixture with seeds that need nothing to be there.
  private func standingAlone(_ fixture: AppleStore) -> AppleStore {
    var result = fixture
    switch fixture.path {
    case AppleStore.template.path: break
    case AppleStore.cart.path:
      result.seeds["items.ndjson"] = [
        #"{"id":"new","productId":"p","quantity":1,"unitPriceAmount":"2.50","modifiers":["m2","m1"]}"#
      ]
    case let path where path.contains("bookmarks"):
      let more = path.contains("V3") ? "" : #","isFavorite":false"#
      result.seeds["bookmarks.ndjson"] = [
        #"{"uuid":"n1","title":"New","isFolder":false\#(more),"parent":"root"}"#,
        #"{"uuid":"root","isFolder":true\#(more)}"#,
        #"{"uuid":"n2","isFolder":false\#(more),"parent":"root","favoriteFolder":"favorites"}"#,
        #"{"uuid":"favorites","isFolder":true\#(more)}"#,
      ]
      result.seeds["favorites.ndjson"] = [#"{"uuid":"favorites","favorites":["n2","n1"]}"#]
    default:
      for (name, records) in fixture.seeds { result.seeds[name] = records.filter { Self.standsAlone($0) } }
    }
    return result
  }

  /// Whether a record names no object of the fixture.
  private static func standsAlone(_ record: String) -> Bool {
    let strangers = [
      "Victoria", "\"170\"", "C4637490", "Andrea", "FBDCD372", "7b0bfdf8", "a7341f35", "Bells Beach",
    ]
    return !strangers.contains { record.contains($0) }
  }

  @Test("the import goes into the template, and gives the rows of a store built anew", arguments: fixtures)
  func importInto(_ fixture: AppleStore) async throws {
    let workspace = try Workspace()
    let fixture = standingAlone(fixture)
    try fixture.copy(to: "template.sqlite", in: workspace)
    try empty("template.sqlite", in: workspace)
    let model = fixture.modelPath(store: "template.sqlite")
    let before = try StoreContents(workspace, "template.sqlite")
    try fixture.write(
      "import.yaml", model: model, settings: ["path: store.sqlite", "seed: template.sqlite"], to: workspace)
    try fixture.write("fresh.yaml", model: model, settings: ["path: fresh.sqlite"], to: workspace)
    let report = try await workspace.report("import.yaml")
    #expect(report.total.inserted > 0 && report.total.rejected == 0)
    let fresh = try await workspace.report("fresh.yaml")
    #expect(fresh.total == report.total)
    #expect(fresh.steps.map(\.strategy) == report.steps.map(\.strategy))
    if Tool.picksStrategies {
      #expect(report.steps.contains { $0.strategy == "bulk" } || fixture.path.contains("SampleModel2"))
    }

    let after = try StoreContents(workspace, "store.sqlite")
    let anew = try StoreContents(workspace, "fresh.sqlite")
    #expect(after.schema == before.schema)
    #expect(after.uuid == before.uuid)
    var metadata = after.metadata
    #expect(metadata.removeValue(forKey: "SeedbedInputDigest") != nil)
    #expect(metadata == before.metadata)
    #expect(after.tables["Z_MODELCACHE"] == before.tables["Z_MODELCACHE"])
    #expect(after.tables["APPNOTES"] == before.tables["APPNOTES"])
    for (table, rows) in anew.tables where !["Z_PRIMARYKEY", "Z_MODELCACHE"].contains(table) {
      #expect(after.tables[table].map { Set($0.values) } == Set(rows.values), "\(table)")
    }
    let counters = "SELECT Z_ENT, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1"
    #expect(try workspace.query("store.sqlite", counters) == workspace.query("fresh.sqlite", counters))
    let arguments = ["check", "store.sqlite"] + (fixture.model == nil ? [] : ["--model", model])
    #expect(try await Tool.run(arguments, in: workspace.folder).exitCode == 0)
  }

  @Test("a template of another model is refused, and the entities that differ are named")
  func otherModel() async throws {
    let workspace = try Workspace()
    try AppleStore.sampleV1.copy(to: "template.sqlite", in: workspace)
    try AppleStore.sampleV2.copy(to: "model.sqlite", in: workspace)
    try AppleStore.sampleV2.write(
      "import.yaml", model: "model.sqlite", settings: ["path: store.sqlite", "seed: template.sqlite"], to: workspace)
    let outcome = try await workspace.run("run", "import.yaml")
    #expect(outcome.exitCode == 78)
    #expect(
      outcome.talk.contains(
        "was made with another model: Car, Person, SportCar differ; LuxuryCar is missing in the store; "
          + "ExpensiveSportCar is not in the model"), "\(outcome.talk)")
    #expect(outcome.talk.contains("template.sqlite was made"))
    #expect(!workspace.exists("store.sqlite"))
  }

  @Test("a counter that lags behind the rows gives no key out twice")
  func staleCounter() async throws {
    let workspace = try Workspace()
    try AppleStore.sampleV1.copy(to: "origin.sqlite", in: workspace)
    try workspace.execute("origin.sqlite", "UPDATE Z_PRIMARYKEY SET Z_MAX = 3")
    try AppleStore.sampleV1.write(
      "import.yaml", model: "origin.sqlite", settings: ["path: store.sqlite", "seed: origin.sqlite"], to: workspace)
    #expect(try await workspace.report("import.yaml").total.rejected == 0)
    #expect(
      try workspace.query(
        "store.sqlite", "SELECT max(Z_PK), (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1) FROM ZCAR")
        == ["128|128"])
  }
}
