import Foundation
import Seedbed
import TestSupport
import Testing

@Suite("Idioms: migrations")
struct MigrationIdioms {
  private static func model(_ names: [String]) throws -> ManagedObjectModel {
    var note = EntityDefinition("Note")
    note.attributes = names.map { AttributeDefinition($0, .string) }
    return try ManagedObjectModel(entities: [note])
  }

  private static func write(_ url: URL, _ model: ManagedObjectModel) throws {
    let container = PersistentContainer(
      name: "Notes", managedObjectModel: model, persistentStoreDescriptions: [PersistentStoreDescription(url: url)])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for number in 1...3 {
        EntityDescription.insertNewObject(forEntityName: "Note", into: context)
          .setValue("Note \(number), red", forKey: "text")
      }
      try context.save()
    }
  }

  private static func texts(_ url: URL, _ model: ManagedObjectModel, _ key: String) throws -> [String] {
    let container = PersistentContainer(
      name: "Notes", managedObjectModel: model, persistentStoreDescriptions: [PersistentStoreDescription(url: url)])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
        .map { $0.value(forKey: key) as? String ?? "" }.sorted()
    }
  }

  /// Takes a text apart, as policies do.
  private final class SplitPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
      forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
      let new = EntityDescription.insertNewObject(forEntityName: "Note", into: manager.destinationContext)
      guard let attributeMappings = mapping.attributeMappings else { throw KitchenError.poison }
      for propertyMapping in attributeMappings {
        guard let name = propertyMapping.name else { continue }
        let parts = (sInstance.value(forKey: "text") as? String ?? "").components(separatedBy: ", ")
        new.setValue(name == "text" ? parts.first : parts.last, forKey: name)
      }
      var count = manager.userInfo?["count"] as? Int ?? 0
      count += 1
      manager.userInfo?["count"] = count
      manager.associate(sourceInstance: sInstance, withDestinationInstance: new, for: mapping)
    }
  }

  /// A manager of one's own, which looks at both contexts.
  private final class CountingManager: MigrationManager {
    var counts: [Int] = []

    override func reset() {
      super.reset()
      userInfo = nil
    }

    func count() throws {
      counts = try [sourceContext, destinationContext].map { context in
        try context.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
      }
    }
  }

  /// Counts when the first object is there.
  private final class CountingPolicy: EntityMigrationPolicy {
    override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
      try super.end(mapping, manager: manager)
      try (manager as? CountingManager)?.count()
    }
  }

  @Test("migrations: a manager of one's own, and options of coordinators")
  func ownManager() throws {
    let folder = try TemporaryFolder()
    let (storeURL, destinationURL) = (folder.file("Notes.sqlite"), folder.file("Notes 2.sqlite"))
    let (sourceModel, destinationModel) = (try Self.model(["text"]), try Self.model(["color", "text"]))
    try Self.write(storeURL, sourceModel)
    var mapping = try MappingModel.inferredMappingModel(
      forSourceModel: sourceModel, destinationModel: destinationModel)
    mapping.entityMappings[0].entityMigrationPolicyClassName = "CountingPolicy"
    let manager = CountingManager(sourceModel: sourceModel, destinationModel: destinationModel)
    manager.migrationPolicies = ["CountingPolicy": CountingPolicy.self]
    manager.userInfo?["key"] = 1
    #expect(manager.userInfo?["key"] as? Int == 1)
    #expect {
      try manager.migrateStore(
        from: storeURL, sourceType: SQLiteStoreType, with: mapping, toDestinationURL: destinationURL,
        destinationType: SQLiteStoreType, destinationOptions: [SQLitePragmasOption: ["journal_mode": "DELETE"]])
    } throws: { "\($0)".contains("NSSQLitePragmasOption") }
    #expect(!FileManager.default.fileExists(atPath: destinationURL.path))
    try manager.migrateStore(
      from: storeURL, sourceType: SQLiteStoreType, options: [ReadOnlyPersistentStoreOption: true], with: mapping,
      toDestinationURL: destinationURL, destinationType: SQLiteStoreType,
      destinationOptions: [MigratePersistentStoresAutomaticallyOption: true])
    #expect(manager.counts == [3, 3])
    manager.reset()
    #expect(manager.userInfo?.isEmpty == true)
  }

  @Test("migrations: a manager, a mapping model and a policy", .serialized, arguments: [true, false])
  func manager(hasMapping: Bool) throws {
    let folder = try TemporaryFolder()
    let storeURL = folder.file("Notes.sqlite")
    let destinationURL = folder.file("Notes 2.sqlite")
    let (sourceModel, destinationModel) = (try Self.model(["text"]), try Self.model(["color", "text"]))
    try Self.write(storeURL, sourceModel)
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(
      ofType: SQLiteStoreType, at: storeURL, options: nil)
    #expect(sourceModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(!destinationModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(MappingModel(from: nil, forSourceModel: sourceModel, destinationModel: destinationModel) == nil)
    var mappingModel = try MappingModel.inferredMappingModel(
      forSourceModel: sourceModel, destinationModel: destinationModel)
    mappingModel.entityMappings[0].entityMigrationPolicyClassName = "SplitPolicy"
    mappingModel.entityMappings[0].mappingType = .custom
    let manager = MigrationManager(sourceModel: sourceModel, destinationModel: destinationModel)
    manager.migrationPolicies = ["SplitPolicy": SplitPolicy.self]
    let migrate = {
      try manager.migrateStore(
        from: storeURL, sourceType: SQLiteStoreType, options: nil, with: hasMapping ? mappingModel : nil,
        toDestinationURL: destinationURL, destinationType: SQLiteStoreType, destinationOptions: nil)
    }
    if hasMapping {
      try migrate()
      #expect(manager.userInfo?["count"] as? Int == 3)
      #expect(try Self.texts(destinationURL, destinationModel, "color") == ["red", "red", "red"])
      #expect(try Self.texts(destinationURL, destinationModel, "text") == ["Note 1", "Note 2", "Note 3"])
    } else {
      #expect { try migrate() } throws: { ($0 as? MigrationError)?.code == .missingMappingModel }
      #expect(!FileManager.default.fileExists(atPath: destinationURL.path))
    }
  }

  @Test("migrations: a stage of one's own gets its handlers when it is there")
  func stages() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    let models = [try Self.model(["text"]), try Self.model(["color", "text"])]
    try Self.write(url, models[0])
    let references = models.map { ManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum) }
    let customStage = CustomMigrationStage(migratingFrom: references[0], to: references[1])
    customStage.label = "colors"
    customStage.didMigrateHandler = { migrationManager, currentStage in
      guard let container = migrationManager.container else { return }
      #expect(currentStage.label == "colors")
      let context = container.newBackgroundContext()
      try context.performAndWait {
        for note in try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")) {
          note.setValue("blue", forKey: "color")
        }
        try context.save()
      }
    }
    let lightweight = LightweightMigrationStage([models[1].versionChecksum])
    lightweight.label = "nothing"
    #expect(lightweight.label == "nothing" && customStage.willMigrateHandler == nil)
    let manager = StagedMigrationManager([customStage, lightweight])
    let description = PersistentStoreDescription(url: url)
    description.setOption(manager, forKey: PersistentStoreStagedMigrationManagerOptionKey)
    let container = PersistentContainer(
      name: "Notes", managedObjectModel: models[1], persistentStoreDescriptions: [description])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    let colors = try context.performAndWait {
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).map { $0.value(forKey: "color") as? String }
    }
    #expect(colors == ["blue", "blue", "blue"])
  }
}
