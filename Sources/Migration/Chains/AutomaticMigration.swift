public import Foundation
public import ObjectModel
public import SQLMigration
public import StoreInterface

/// The migration that containers run by themselves, with the versions of a model and the mapping models beside it.
/// These are read only when a store needs them.
public struct AutomaticMigration: StoreMigrating {
  /// The model with its versions; nil where there is only the container's model; the model that a store carries is then
  /// the older one.
  public var modelURL: URL?
  /// Mapping models, or folders that have some; nil for the model's folder.
  public var mappingModelURLs: [URL]?
  /// The policies that the mapping models name.
  public var policies: MigrationPolicies
  /// How objects in a SQLite store are treated that are no longer unique; see `ProgressiveMigration.duplicates`.
  public var duplicates = StoreMigration.DuplicatePolicy.refuse
  /// Whether steps through versions in between may lose what the wanted model has; see
  /// `ProgressiveMigration.acceptsLossesOnTheWay`.
  public var acceptsLossesOnTheWay = false

  /// Migrations for a model and those beside it.
  public init(modelURL: URL?, mappingModelURLs: [URL]? = nil, policies: MigrationPolicies = MigrationPolicies()) {
    self.modelURL = modelURL
    self.mappingModelURLs = mappingModelURLs
    self.policies = policies
  }

  /// Brings the store of the description to the model; see `ProgressiveMigration`.
  /// - Throws: as `ProgressiveMigration` does, and `ModelError` when a version of the model has mistakes.
  public func migrateStore(_ description: PersistentStoreDescription, to model: ManagedObjectModel) throws {
    let library = try modelURL.map { url throws(ModelError) in
      // The URL of one version stands for the folder with all versions.
      let parent = url.deletingLastPathComponent()
      let isVersion = ["xcdatamodeld", "momd"].contains(parent.pathExtension)
      return try ModelLibrary(modelURL: isVersion ? parent : url, mappingModelURLs: mappingModelURLs)
    }
    var migration = ProgressiveMigration(library: library ?? ModelLibrary(), policies: policies)
    migration.duplicates = duplicates
    migration.acceptsLossesOnTheWay = acceptsLossesOnTheWay
    try migration.migrateStore(description, to: model)
  }
}
