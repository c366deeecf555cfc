/// A part of a staged migration: a `LightweightMigrationStage` or a `CustomMigrationStage`.
public protocol MigrationStage: Sendable {
  /// For messages.
  var label: String { get }
}

/// Versions that come from each other by inferred mappings.
public struct LightweightMigrationStage: MigrationStage {
  /// For messages.
  public var label: String
  /// The checksums of the versions, the oldest first.
  public let versionChecksums: [String]

  /// A stage for these versions.
  public init(_ versionChecksums: [String], label: String = "lightweight") {
    self.versionChecksums = versionChecksums
    self.label = label
  }
}

/// One version from another by an inferred mapping, with work of the program before and after.
public struct CustomMigrationStage: MigrationStage {
  /// What the program does. The manager's container has the store, open with the model of that moment.
  public typealias Handler = @Sendable (_ manager: StagedMigrationManager, _ stage: CustomMigrationStage) throws -> Void

  /// For messages.
  public var label: String
  /// The model before.
  public let currentModel: ManagedObjectModelReference
  /// The model afterwards.
  public let nextModel: ManagedObjectModelReference
  /// Called before the store is migrated, with the store of the current model.
  public var willMigrateHandler: Handler?
  /// Called when the store has been migrated, with the store of the next model.
  public var didMigrateHandler: Handler?

  /// A stage between two models.
  public init(
    migratingFrom currentModel: ManagedObjectModelReference, to nextModel: ManagedObjectModelReference,
    label: String = "custom", willMigrateHandler: Handler? = nil, didMigrateHandler: Handler? = nil
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
    self.label = label
    self.willMigrateHandler = willMigrateHandler
    self.didMigrateHandler = didMigrateHandler
  }
}
