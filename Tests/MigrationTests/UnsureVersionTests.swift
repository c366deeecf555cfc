import CoreDataLayout
import Foundation
import Migration
import ObjectModel
import SQLite
import StoreInterface
import Synchronization
import TestSupport
import Testing

@Suite("The version of a store whose hashes rest on unconfirmed rules")
struct UnsureVersionTests {
  private static func model(_ more: String...) throws -> ManagedObjectModel {
    var entity = EntityDefinition("Item")
    var derived = AttributeDefinition("upper", .string)
    derived.derivation = .init(expression: "uppercase:(name)")
    entity.attributes = [AttributeDefinition("name", .string), derived]
    entity.attributes += more.map { AttributeDefinition($0, .string) }
    return try ManagedObjectModel(entities: [entity])
  }

  @Test("it is that of the model which the store carries, when the hash is one of Apple's", arguments: [0, 1, 2])
  func version(index: Int) throws {
    let models = try [Self.model(), Self.model("note"), Self.model("note", "place")]
    let library = ModelLibrary(
      versions: models.enumerated().map { .init(name: "Shop \($0 + 1)", model: $1) }, mappings: [])
    let folder = try TemporaryFolder()
    let stored = ["Item": Data(repeating: 7, count: 32)]
    let path = folder.path("Shop.sqlite")
    try SQLiteStore.create(path: path, model: models[index].takingUnconfirmedHashes(from: stored)).close()
    let migration = ProgressiveMigration(library: library)
    let chain = try migration.chain(forStoreAt: URL(fileURLWithPath: path), type: .sqlite, to: models[2])
    #expect(chain.steps.map(\.source.name) == (index == 2 ? [] : ["Shop \(index + 1)"]))
    if index == 2 { return }
    try migration.migrateStore(at: URL(fileURLWithPath: path), type: .sqlite, to: models[2])
    #expect(try StoreChecker.check(path: path, model: models[2]).isCompatible)
  }

  @Test(
    "a stage begins at the version that the store carries, or else has the columns of", arguments: [0, 1],
    [false, true])
  func stage(index: Int, carriesModel: Bool) throws {
    let models = try [Self.model(), Self.model("note"), Self.model("note", "place")]
    let folder = try TemporaryFolder()
    let path = folder.path("Shop.sqlite")
    let stored = ["Item": Data(repeating: 7, count: 32)]
    try SQLiteStore.create(path: path, model: models[index].takingUnconfirmedHashes(from: stored)).close()
    if !carriesModel {
      let connection = try Connection(path: path)
      try connection.execute("DELETE FROM Z_MODELCACHE")
      try connection.close()
    }
    let begun = Mutex<[String]>([])
    let stages = zip(models, models.dropFirst()).enumerated().map { number, pair in
      func reference(_ model: ManagedObjectModel) -> ManagedObjectModelReference {
        ManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
      }
      return CustomMigrationStage(
        migratingFrom: reference(pair.0), to: reference(pair.1), label: "stage \(number)",
        willMigrateHandler: { _, stage in begun.withLock { $0.append(stage.label) } })
    }
    let manager = StagedMigrationManager(stages)
    try manager.migrateStore(
      PersistentStoreDescription(type: .sqlite, url: URL(fileURLWithPath: path)), to: models[2])
    #expect(begun.withLock { $0 } == ["stage 0", "stage 1"].suffix(2 - index))
    #expect(try StoreChecker.check(path: path, model: models[2]).isCompatible)
  }

  @Test("it is the one that the columns of the store say where it carries no model", arguments: [0, 1, 2])
  func columns(index: Int) throws {
    let models = try [Self.model(), Self.model("note"), Self.model("note", "place")]
    let library = ModelLibrary(
      versions: models.enumerated().map { .init(name: "Shop \($0 + 1)", model: $1) }, mappings: [])
    let folder = try TemporaryFolder()
    let path = folder.path("Shop.sqlite")
    let stored = ["Item": Data(repeating: 7, count: 32)]
    try SQLiteStore.create(path: path, model: models[index].takingUnconfirmedHashes(from: stored)).close()
    let connection = try Connection(path: path)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try connection.close()
    let migration = ProgressiveMigration(library: library)
    let chain = try migration.chain(forStoreAt: URL(fileURLWithPath: path), type: .sqlite, to: models[2])
    #expect(chain.steps.map(\.source.name) == (index == 2 ? [] : ["Shop \(index + 1)"]))
  }
}
