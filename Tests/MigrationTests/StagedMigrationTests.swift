import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import StoreInterface
import Synchronization
import TestSupport
import Testing

@Suite("Staged migrations")
struct StagedMigrationTests {
  /// A flat with more and more rooms; the second version splits the address.
  private static func models() throws -> [ManagedObjectModel] {
    func model(_ names: [String]) throws -> ManagedObjectModel {
      var entity = EntityDefinition("Flat")
      entity.attributes = names.map { AttributeDefinition($0, .string) }
      return try ManagedObjectModel(entities: [entity])
    }
    return [
      try model(["address"]), try model(["address", "city", "street"]), try model(["city", "street"]),
      try model(["city", "rooms", "street"]),
    ]
  }

  private static func reference(_ model: ManagedObjectModel) -> ManagedObjectModelReference {
    ManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  private static func stages(
    _ models: [ManagedObjectModel], fails: Bool = false
  ) -> [any MigrationStage] {
    let split = CustomMigrationStage(
      migratingFrom: reference(models[0]), to: reference(models[1]), label: "split",
      willMigrateHandler: { manager, stage in
        let container = try #require(manager.container)
        #expect(stage.label == "split" && container.managedObjectModel["Flat"]?.attribute("city") == nil)
      },
      didMigrateHandler: { manager, _ in
        let context = try #require(manager.container).newBackgroundContext()
        try context.performAndWait {
          for flat in try context.all("Flat") {
            let parts = ((flat["address"] as String?) ?? "").components(separatedBy: ", ")
            flat["street"] = parts[0]
            flat["city"] = parts.last
          }
          try context.save()
        }
        if fails { throw CancellationError() }
      })
    return [
      split, LightweightMigrationStage([models[1], models[2]].map(\.versionChecksum)),
      LightweightMigrationStage([models[3].versionChecksum]),
    ]
  }

  private static func store(_ url: URL, _ models: [ManagedObjectModel], _ version: Int) throws {
    try Stores.write(url, models[version]) { context in
      for number in 0..<3 {
        try context.insert(
          "Flat",
          version == 0 ? ["address": "Road \(number), Town"] : ["street": "Road \(number)", "city": "Town"])
      }
    }
  }

  @Test("a store begins at the stage of its version", arguments: 0..<4)
  func stages(version: Int) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("flats.sqlite")
    let models = try Self.models()
    try Self.store(url, models, version)
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let description = PersistentStoreDescription(type: .sqlite, url: url)
    description.migrator = StagedMigrationManager(Self.stages(models), library: library)
    let container = PersistentContainer(
      name: "flats", managedObjectModel: models[3], persistentStoreDescriptions: [description])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let flats = try context.all("Flat")
      #expect(flats.compactMap { $0["street"] as String? } == (0..<3).map { "Road \($0)" })
      #expect(flats.allSatisfy { $0["city"] == "Town" })
    }
  }

  @Test("a handler that throws leaves the store as it was")
  func failure() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("flats.sqlite")
    let models = try Self.models()
    try Self.store(url, models, 0)
    let before = try Data(contentsOf: url)
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let manager = StagedMigrationManager(Self.stages(models, fails: true), library: library)
    let error = try #require(throws: MigrationError.self) {
      try manager.migrateStore(PersistentStoreDescription(type: .sqlite, url: url), to: models[3])
    }
    #expect(error.code == .program && error.underlyingError is CancellationError && error.message.contains("split"))
    #expect(try Data(contentsOf: url) == before && manager.container == nil)
    #expect(try Stores.open(url, models[0]) { try $0.all("Flat").count } == 3)
  }

  @Test("stages that do not lead to the model, or do not know the store's, say so")
  func gaps() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("flats.sqlite")
    let models = try Self.models()
    try Self.store(url, models, 3)
    let description = PersistentStoreDescription(type: .sqlite, url: url)
    let short = StagedMigrationManager(Array(Self.stages(models).prefix(1)))
    let error = try #require(throws: MigrationError.self) { try short.migrateStore(description, to: models[2]) }
    #expect(error.code == .missingMappingModel)
    let unknown = try #require(throws: MigrationError.self) { try short.migrateStore(description, to: models[1]) }
    #expect(unknown.code == .missingSourceModel)
    let wrong = ManagedObjectModelReference(model: models[0], versionChecksum: "x")
    #expect(throws: MigrationError.self) { try wrong.resolvedModel() }
  }
}
