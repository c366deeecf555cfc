import Testing

/// Stores that Apple's framework made with several versions of a model.
@Suite(
  "seedbed migrate of stores that Apple's framework made",
  .enabled(if: SharedFixtures.areAvailable, "\(SharedFixtures.reason)"))
struct AppleStoreMigrationTests {
  /// A store, what it is migrated to, and the store of that version that Apple's framework made.
  struct Case: Sendable, CustomTestStringConvertible {
    var store: String
    var model: String
    var version: String
    var made: String
    var testDescription: String { "\(store) to \(version)" }
  }

  private static let bookmarks = "models/bookmarks/BookmarksModel.xcdatamodeld"
  private static let cases = [
    Case(
      store: "stores/bookmarks/Bookmarks_V1.sqlite", model: bookmarks, version: "BookmarksModel 3",
      made: "stores/bookmarks/Bookmarks_V3.sqlite"),
    Case(
      store: "stores/bookmarks/Bookmarks_V2.sqlite", model: bookmarks, version: "BookmarksModel 3",
      made: "stores/bookmarks/Bookmarks_V3.sqlite"),
    Case(
      store: "stores/coredataplus/SampleModel_V1.sqlite", model: "models/coredataplus/SampleModel.xcdatamodeld",
      version: "SampleModel2", made: "stores/coredataplus/SampleModel_V2.sqlite"),
  ]

  @Test(
    "the migrated store has the very schema of the one that Apple's framework made, and all its rows", arguments: cases)
  func schema(_ migration: Case) async throws {
    let workspace = try Workspace()
    let store = try workspace.copyStore(migration.store)
    let made = try workspace.copyStore(migration.made)
    let model = SharedFixtures.path(migration.model)
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    let roots = try workspace.query(store, tables).filter { $0.hasPrefix("Z") && !$0.hasPrefix("Z_") }
    let before = try roots.map { try workspace.query(store, "SELECT Z_PK FROM \($0) ORDER BY Z_PK") }
    let outcome = try await workspace.run("migrate", store, "--model", model, "--to", migration.version)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    #expect(try workspace.query(store, schema) == workspace.query(made, schema))
    #expect(try roots.map { try workspace.query(store, "SELECT Z_PK FROM \($0) ORDER BY Z_PK") } == before)
    let check = try await workspace.run("check", store, model + "/" + migration.version)
    #expect(check.exitCode == 0, "\(check.text)")
  }
}
