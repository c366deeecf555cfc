public import Foundation
import ModelFiles
import ObjectGraph
public import ObjectModel
public import StoreInterface

// Core Data's shapes of what migrations are made of. How the properties of the protocols below stand beside those of
// the types is said in `ObjectGraph/Spellings/OptionalSpellings.swift`.

extension MappingModel {
  /// `inferredMappingModel(to:)` of the source model.
  public static func inferredMappingModel(
    forSourceModel source: ManagedObjectModel, destinationModel destination: ManagedObjectModel
  ) throws -> MappingModel {
    try source.inferredMappingModel(to: destination)
  }

  /// The mapping model among the resources of bundles whose entities have the hashes of both models, the one that
  /// leaves the fewest entities out; nil when there is none. A file that cannot be read counts as none; `ModelLibrary`
  /// tells of such files.
  /// - Parameter bundles: nil for the main bundle.
  public init?(
    from bundles: [Bundle]?, forSourceModel source: ManagedObjectModel?, destinationModel: ManagedObjectModel?
  ) {
    guard let source, let destinationModel else { return nil }
    let paths = (bundles ?? [.main]).flatMap { bundle in
      ["cdm", "xcmappingmodel"].flatMap { bundle.paths(forResourcesOfType: $0, inDirectory: nil) }
    }
    let mappings = paths.sorted().compactMap { path in
      (try? MappingModelReader.read(path: path)).map { ModelLibrary.Mapping(name: path, mappingModel: $0.mappingModel) }
    }
    let versions = [("source", source), ("destination", destinationModel)].map {
      ModelLibrary.Version(name: $0, model: $1)
    }
    guard
      let found = ModelLibrary(versions: versions, mappings: mappings).mapping(from: source, to: destinationModel)
    else { return nil }
    self = found.mappingModel
  }
}

extension MigrationManager {
  /// `migrateStore(from:type:options:mapping:to:type:options:)`, with options as coordinators take them. Those that say
  /// how a store is opened change nothing here; those that change a store are refused, because the result keeps what
  /// the source keeps. An option of a store type of your own that is no value of an attribute stops the program.
  /// - Throws: `MigrationError`, also without a mapping model.
  public func migrateStore(
    from sourceURL: URL, sourceType: some PersistentStoreType, options sourceOptions: [AnyHashable: Any]? = nil,
    with mapping: MappingModel?, toDestinationURL destinationURL: URL, destinationType: some PersistentStoreType,
    destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    guard let mapping else {
      throw MigrationError(
        .missingMappingModel, "\(sourceURL.path): there is no mapping model to migrate it by", hint: "give one")
    }
    try migrateStore(
      from: sourceURL, type: sourceType, options: Self.values(sourceOptions, sourceType), mapping: mapping,
      to: destinationURL, type: destinationType, options: Self.values(destinationOptions, destinationType))
  }

  /// The entity that a mapping reads; nil where it reads none.
  public func sourceEntity(for mapping: EntityMapping) -> EntityDescription? {
    mapping.sourceEntityName.flatMap { sourceModel[$0]?.described }
  }

  /// The entity that a mapping makes objects of; nil where it makes none.
  public func destinationEntity(for mapping: EntityMapping) -> EntityDescription? {
    mapping.destinationEntityName.flatMap { destinationModel[$0]?.described }
  }

  private static func values(
    _ options: [AnyHashable: Any]?, _ type: some PersistentStoreType
  ) throws -> [String: Value] {
    let harmless: Set<AnyHashable> = [
      MigratePersistentStoresAutomaticallyOption, InferMappingModelAutomaticallyOption, ReadOnlyPersistentStoreOption,
      PersistentStoreTimeoutOption, PersistentStoreRemoteChangeNotificationPostOptionKey,
    ]
    let refused: Set<AnyHashable> = [
      PersistentHistoryTrackingKey, SQLitePragmasOption, SQLiteManualVacuumOption, SQLiteAnalyzeOption,
      PersistentStoreStagedMigrationManagerOptionKey,
    ]
    let description = PersistentStoreDescription(type: type)
    for (key, option) in options ?? [:] where !harmless.contains(key) {
      guard let name = key.base as? String, !refused.contains(key) else {
        throw MigrationError(
          .destinationStore, "a migration does not take the option \(key)", hint: "open the result with it")
      }
      description.setOption(option, forKey: name)
    }
    return description.typeOptions
  }
}

/// Members of `EntityMapping` with Core Data's optional types, for code that unwraps them.
public protocol EntityMappingSpelling {}

extension EntityMapping: EntityMappingSpelling {}

extension EntityMappingSpelling where Self == EntityMapping {
  /// The name, which is never nil.
  public var name: String? {
    let name: String = self.name
    return name
  }
  /// The mappings of attributes, never nil.
  public var attributeMappings: [PropertyMapping]? {
    let mappings: [PropertyMapping] = self.attributeMappings
    return mappings
  }
  /// The mappings of relationships, never nil.
  public var relationshipMappings: [PropertyMapping]? {
    let mappings: [PropertyMapping] = self.relationshipMappings
    return mappings
  }
}

/// Members of `PropertyMapping` with Core Data's optional types, for code that unwraps them.
public protocol PropertyMappingSpelling {}

extension PropertyMapping: PropertyMappingSpelling {}

extension PropertyMappingSpelling where Self == PropertyMapping {
  /// The name, which is never nil.
  public var name: String? {
    let name: String = self.name
    return name
  }
}

/// Members of `MigrationManager` with Core Data's optional types, for code that unwraps them.
public protocol MigrationManagerSpelling {}

extension MigrationManager: MigrationManagerSpelling {}

extension MigrationManagerSpelling where Self: MigrationManager {
  /// Entries of the program, never nil; setting nil removes all.
  public var userInfo: [AnyHashable: Any]? {
    get {
      let entries: [AnyHashable: Any] = self.userInfo
      return entries
    }
    set { self.userInfo = newValue ?? [:] as [AnyHashable: Any] }
  }
}
