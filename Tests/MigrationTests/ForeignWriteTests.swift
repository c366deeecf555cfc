import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import SQLMigration
import StoreInterface
import Synchronization
import TestSupport
import Testing

/// What another program writes to a store while it is migrated on copies is never lost.
@Suite("Writes of other programs during a migration")
struct ForeignWriteTests {
  /// How the second step of two is done.
  enum Way: CaseIterable { case inferred, mapped }

  private static func model(_ name: String, before: String?) throws -> ManagedObjectModel {
    var attribute = AttributeDefinition(name, .string)
    attribute.renamingIdentifier = before
    var entity = EntityDefinition("Thing")
    entity.attributes = [attribute]
    return try ManagedObjectModel(entities: [entity])
  }

  /// Two steps, of which none can be left out.
  private static func library(_ way: Way) throws -> ModelLibrary {
    // That a text becomes another attribute only a mapping model can say.
    let models = [
      try model("a", before: nil), try model("b", before: "a"), try model("c", before: way == .mapped ? nil : "b"),
    ]
    let versions = models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) }
    guard way == .mapped else { return ModelLibrary(versions: versions) }
    var mapping = EntityMapping("ThingToThing", .transform, from: "Thing", to: "Thing")
    mapping.sourceEntityVersionHash = models[1]["Thing"]?.versionHash
    mapping.destinationEntityVersionHash = models[2]["Thing"]?.versionHash
    mapping.sourceExpression = Journal.fetch("Thing")
    mapping.attributeMappings = [PropertyMapping("c", "$source.b")]
    return ModelLibrary(
      versions: versions,
      mappings: [ModelLibrary.Mapping(name: "bridge", mappingModel: MappingModel(entityMappings: [mapping]))])
  }

  private func values(_ url: URL, _ model: ManagedObjectModel, _ name: String) throws -> [String] {
    try Stores.open(url, model) { context in
      try context.all("Thing").map { "\($0[name] ?? .null)" }.sorted()
    }
  }

  @Test("end it, and the next one brings all along", arguments: Way.allCases)
  func changed(way: Way) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let library = try Self.library(way)
    let models = library.versions.map(\.model)
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["a": "first"]) }
    var migration = ProgressiveMigration(library: library)
    let chain = try migration.chain(forStoreAt: url, type: .sqlite, to: models[2])
    #expect(chain.steps.count == 2 && chain.isLightweight == (way == .inferred))
    let stepCount = Mutex(0)
    let failure = Mutex<(any Error)?>(nil)
    migration.willBeginStep = { _ in
      let number = stepCount.withLock { count in
        count += 1
        return count
      }
      // The first step has read the store already.
      guard number == 2 else { return }
      do {
        try Stores.write(url, models[0]) { try $0.insert("Thing", ["a": "meanwhile"]) }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    let error = #expect(throws: MigrationError.self) {
      try migration.migrateStore(at: url, type: .sqlite, to: models[2])
    }
    #expect(error?.code == .changedStore, "\(String(describing: error))")
    #expect(failure.withLock { $0 } == nil && stepCount.withLock { $0 } == 2)
    let before = try values(url, models[0], "a")
    #expect(before.count == 2 && before.contains { $0.contains("meanwhile") })
    #expect(!FileManager.default.fileExists(atPath: WorkFolder.path(for: url.path)))
    migration.willBeginStep = nil
    try migration.migrateStore(at: url, type: .sqlite, to: models[2])
    #expect(try values(url, models[2], "c") == before)
  }

  @Test("are no failure of one step where the other program brought the store to the same version")
  func sameVersion() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let library = try Self.library(.inferred)
    let models = library.versions.map(\.model)
    try Stores.write(url, models[1]) { try $0.insert("Thing", ["b": "first"]) }
    var migration = ProgressiveMigration(library: library)
    migration.willBeginStep = { [migration] _ in
      _ = try? migration.migrateStore(at: url, type: .sqlite, to: models[2])
    }
    try migration.migrateStore(PersistentStoreDescription(type: .sqlite, url: url), to: models[2])
    #expect(try values(url, models[2], "c").count == 1)
    // What the other one brought elsewhere is not what was wanted.
    let other = folder.file("other.sqlite")
    try Stores.write(other, models[0]) { try $0.insert("Thing", ["a": "first"]) }
    migration.willBeginStep = { [migration] _ in
      var inner = migration
      inner.willBeginStep = nil
      _ = try? inner.migrateStore(at: other, type: .sqlite, to: models[2])
    }
    #expect(throws: StoreMigrationError.self) {
      try migration.migrateStore(PersistentStoreDescription(type: .sqlite, url: other), to: models[1])
    }
  }

  @Test("are waited for where another process is at the same steps")
  func sameSteps() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let library = try Self.library(.inferred)
    let models = library.versions.map(\.model)
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["a": "first"]) }
    var migration = ProgressiveMigration(library: library)
    let isWaiting = DispatchSemaphore(value: 0)
    migration.willWait = { isWaiting.signal() }
    let description = PersistentStoreDescription(type: .sqlite, url: url)
    description.timeout = 0
    // Where the other one makes its copies.
    let place = try WorkFolder(for: url.path)
    #expect(throws: MigrationError.self) { try migration.migrateStore(description, to: models[2]) }
    isWaiting.wait()
    place.remove()
    description.timeout = 300
    let isThere = DispatchSemaphore(value: 0)
    let other = Thread { [migration] in
      let place = try? WorkFolder(for: url.path)
      isThere.signal()
      isWaiting.wait()
      place?.remove()
      _ = try? migration.migrateStore(at: url, type: .sqlite, to: models[2])
    }
    other.start()
    isThere.wait()
    try migration.migrateStore(description, to: models[2])
    #expect(try values(url, models[2], "c").count == 1)
  }
}
