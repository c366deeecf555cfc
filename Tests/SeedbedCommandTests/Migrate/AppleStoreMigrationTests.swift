import CoreDataLayout
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// Stores that Apple's framework made with several versions of a model.
@Suite(
  "seedbed migrate of stores that Apple's framework made",
  .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
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
    let model = FixtureFolder.path(migration.model)
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
    // The cached model says what the one that Apple's framework wrote says, in every field that the engine reads.
    let (ours, apples) = (try cachedModel(workspace.path(store)), try cachedModel(workspace.path(made)))
    for (mine, theirs) in zip(ours.definitions, apples.definitions) {
      #expect(Self.sorted(mine, like: theirs) == Self.sorted(theirs, like: theirs))
    }
    #expect(ours.definitions.count == apples.definitions.count)
    #expect(ours.entityVersionHashesByName == apples.entityVersionHashesByName)
  }

  /// Properties in the order of their names, as both have them in an order of their own. A program that made its model
  /// in code gave its entities no classes.
  private static func sorted(_ entity: EntityDefinition, like other: EntityDefinition) -> EntityDefinition {
    var entity = entity
    entity.attributes.sort { $0.name < $1.name }
    entity.relationships.sort { $0.name < $1.name }
    if other.managedObjectClassName == nil { entity.managedObjectClassName = nil }
    return entity
  }

  private func cachedModel(_ path: String) throws -> ManagedObjectModel {
    let cache = try #require(try ModelCache.read(path: path))
    return try CachedModelReader.read(
      deflated: cache.content, origin: path, storedHashes: cache.versionHashes
    ).model
  }

  /// Stores, the model of each with its newest version, and mapping model and policies where nothing can be inferred.
  private static let stores: [(store: String, model: String, options: [String])] = [
    ("stores/bookmarks/Bookmarks_V1.sqlite", bookmarks, []), ("stores/bookmarks/Bookmarks_V2.sqlite", bookmarks, []),
    ("stores/bookmarks/Bookmarks_V3.sqlite", bookmarks, []),
    (
      "stores/coredataplus/SampleModel_V2.sqlite", "models/coredataplus/SampleModel.xcdatamodeld",
      ["--to", "SampleModel3", "--policy", "REPLACE_AT_RUNTIME.V2to3MakerPolicy=none"]
    ),
  ]

  @Test("stores come to the newest version of their model, with the schema of a new store", arguments: stores)
  func newest(store: String, model: String, options: [String]) async throws {
    let workspace = try Workspace()
    let store = try workspace.copyStore(store)
    let model = FixtureFolder.path(model)
    let outcome = try await Tool.run(["migrate", store, "--model", model] + options, in: workspace.folder)
    #expect(outcome.exitCode == 0, "\(outcome.text)\(outcome.talk)")
    let version = options.isEmpty ? [] : ["--model-version", options[1]]
    let check = try await Tool.run(["check", store, "--model", model] + version, in: workspace.folder)
    #expect(check.exitCode == 0, "\(check.text)")
    let fresh = try SQLiteStore.create(
      path: workspace.path("fresh.sqlite"),
      model: ModelReader.read(path: model, version: options.isEmpty ? nil : options[1]))
    try fresh.close()
    // The history's tables are not in every store; columns that were appended stand last.
    let names = "SELECT type, name, tbl_name FROM sqlite_master WHERE tbl_name NOT LIKE 'A%' ORDER BY type, name"
    #expect(try workspace.query(store, names) == workspace.query("fresh.sqlite", names))
    let columns =
      "SELECT m.name, c.name, c.type FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' "
      + "AND m.name NOT LIKE 'A%' ORDER BY 1, 2"
    #expect(try workspace.query(store, columns) == workspace.query("fresh.sqlite", columns))
  }
}
