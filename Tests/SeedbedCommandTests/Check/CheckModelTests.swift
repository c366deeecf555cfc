import Foundation
import TestSupport
import Testing

/// `check` with models of our own and with the stores and models that Apple's tools made.
@Suite("Check against models")
struct CheckModelTests {
  @Test("a store that carries no model says so, and cannot be checked without one")
  func noModel() async throws {
    let workspace = try DepotStore.workspace()
    let outcome = try await workspace.run("check", DepotStore.store)
    #expect(outcome.exitCode == 78 && outcome.talk.contains("--model"))
    try workspace.write(
      "Other.xcdatamodel/contents",
      DepotStore.xml.replacingOccurrences(of: "name=\"weight\" optional=\"YES\"", with: "name=\"weight\""))
    let report = try await workspace.check(DepotStore.store, "--model", "Other.xcdatamodel")
    #expect(!report.fit && !report.compatible && report.sound && !report.rowsWereChecked)
    #expect(report.differences == nil && report.lightweightMigration == nil)
    #expect(report.notes.map(\.code) == ["rows"])
    #expect(report.entities.filter { !$0.matches }.map(\.name) == ["Crate"])
    #expect(report.answer == "Not fit: its version hashes differ from the model's for 1 entity.")
  }

  @Test("a store whose model has no archived form carries none: the run warns, and check notes it")
  func unarchivedModel() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="A">
        <attribute name="k" optional="YES" attributeType="String"/>
        <attribute name="d" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="TERNARY(k == nil, 1, 2)"/>
      </entity>
      <entity name="B"><attribute name="n" optional="YES" attributeType="String"/></entity>
      """)
    try workspace.write("b.csv", "n\nx\n")
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: S.sqlite }\nimport: [{ from: b.csv, entity: B, map: { n: n } }]\n")
    let reason = "the store carries no model (Z_MODELCACHE is empty), and commands need it by --model: A.d"
    let run = try await workspace.succeed("run", "p.yaml")
    #expect((run.text + run.talk).contains(reason), "\(run)")
    let report = try await workspace.check("S.sqlite", "--model", "M.xcdatamodel")
    #expect(report.notes.contains { $0.code == "cachedModel" && $0.message.hasPrefix(reason) }, "\(report.notes)")
  }

  @Test("an entity whose hash rests on an unconfirmed rule is marked")
  func unconfirmed() async throws {
    let workspace = try DepotStore.workspace()
    try workspace.write(
      "Other.xcdatamodel/contents",
      DepotStore.xml.replacingOccurrences(
        of: "<attribute name=\"text\" attributeType=\"String\"/>",
        with: "<attribute name=\"text\" attributeType=\"String\"/><attribute name=\"größe\" optional=\"YES\" "
          + "attributeType=\"String\"/>"))
    let report = try await workspace.check(DepotStore.store, "--model", "Other.xcdatamodel")
    #expect(report.entities.filter(\.unconfirmed).map(\.name) == ["Label"])
    #expect(report.notes.contains { $0.code == "unconfirmedHash" && $0.message.contains("Label") })
  }

  @Test(
    "Apple's stores are fit with their model and with the one they carry, and not a byte changes",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"),
    arguments: FixtureFolder.expected.storePaths)
  func fixtures(path: String) async throws {
    let workspace = try Workspace()
    let name = "read-only/" + (path as NSString).lastPathComponent
    try FileManager.default.createDirectory(at: workspace.url("read-only"), withIntermediateDirectories: false)
    try FixtureFolder.copyStore(path, to: workspace.url("read-only"))
    let suffixes = ["", "-wal", "-shm"].filter { workspace.exists(name + $0) }
    let before = try suffixes.map { try workspace.bytes(name + $0) }
    let folder = workspace.path("read-only")
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    let carriesModel = !path.contains("surf-journal")
    let models = try #require(FixtureFolder.expected.stores[path]).models
    #expect(carriesModel || !models.isEmpty)
    if carriesModel {
      let report = try await workspace.check(name)
      #expect(report.fit && report.rowsWereChecked && report.comparedWith == "cachedModel", "\(report.problems)")
      #expect(report.warnings.isEmpty, "\(report.warnings)")
      #expect(report.answer == "Fit: the store is sound and agrees with the model that it carries itself.")
    }
    for model in models {
      let report = try await workspace.check(
        name, "--model", FixtureFolder.path(model))
      #expect(report.fit && report.rowsWereChecked && report.comparedWith == "model", "\(report.problems)")
      #expect(report.digestMatches != false)
    }
    #expect(try suffixes.map { try workspace.bytes(name + $0) } == before)
    #expect(try workspace.names(in: "read-only").count == suffixes.count)
  }

  @Test(
    "against another version of its model, a store says what differs and whether a lightweight migration would do",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func versions() async throws {
    let workspace = try Workspace()
    let store = FixtureFolder.path("stores/bookmarks/Bookmarks_V1.sqlite")
    let model = FixtureFolder.path("models/bookmarks/BookmarksModel.xcdatamodeld")
    let report = try await workspace.check(store, "--model", model, "--model-version", "BookmarksModel 3")
    #expect(!report.fit && !report.compatible && report.rowsWereChecked && report.problems.isEmpty)
    let differences = try #require(report.differences)
    #expect(differences.contains { $0.affectsVersionHash && $0.kind == "attribute" })
    #expect(report.lightweightMigration?.possible == true)
    #expect(report.modelVersion == "BookmarksModel 3" && report.madeWith == ["BookmarksModel"])
    let text = try await workspace.run(
      "check", "--verbose", store, "--model", model, "--model-version", "BookmarksModel 3"
    ).text
    #expect(text.contains("The store was made with version BookmarksModel, and the given one is BookmarksModel 3."))
    #expect(text.contains("A lightweight migration would do"))
    for difference in differences { #expect(text.contains(difference.message)) }
  }

  @Test(
    "a cached model that is damaged does not keep the given one from being compared",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func damagedCache() async throws {
    let workspace = try Workspace()
    try FixtureFolder.copyStore("stores/coredataplus/SampleModel_V2.sqlite", to: workspace.folder, as: "a.sqlite")
    try workspace.execute("a.sqlite", "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00FF00FF'")
    let outcome = try await workspace.run("check", "a.sqlite")
    #expect(outcome.exitCode == 65 && outcome.talk.contains("cannot be inflated"))
    let model = FixtureFolder.path("models/coredataplus/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel")
    let report = try await workspace.check("a.sqlite", "--model", model)
    #expect(report.fit && report.rowsWereChecked)
    #expect(report.notes.map(\.code).contains("cachedModel"))
  }
}
