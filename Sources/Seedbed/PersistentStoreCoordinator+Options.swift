public import Foundation
import Migration
public import ObjectGraph
public import StoreInterface

extension PersistentStoreCoordinator {
  /// As `addPersistentStore(with:)`, with options as `PersistentStoreDescription.setOption(_:forKey:)` takes them.
  /// Where they ask for a migration with an inferred mapping, a store that carries the older model that it was made
  /// with is brought to this one, also without a `storeMigrator`.
  @discardableResult
  public func addPersistentStore(
    ofType type: some PersistentStoreType, configurationName configuration: String?, at url: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> any PersistentStore {
    let description = PersistentStoreDescription(type: type, url: url, configuration: configuration)
    description.setOptions(options)
    let isAsked = [MigratePersistentStoresAutomaticallyOption, InferMappingModelAutomaticallyOption].allSatisfy {
      options?[$0] != nil
    }
    if isAsked, description.shouldInferMappingModelAutomatically, storeMigrator == nil {
      description.migrator = AutomaticMigration(modelURL: managedObjectModel.presentSourceURL)
    }
    return try addPersistentStore(with: description)
  }

  /// As `addPersistentStore(with:)`, with options as `PersistentStoreDescription.setOption(_:forKey:)` takes them.
  @discardableResult
  public func addPersistentStore(
    type: some PersistentStoreType, configuration: String? = nil, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> any PersistentStore {
    try addPersistentStore(ofType: type, configurationName: configuration, at: url, options: options)
  }
}
