import Synchronization

/// A part of a staged migration: a `LightweightMigrationStage` or a `CustomMigrationStage`.
public protocol MigrationStage: AnyObject, Sendable {
  /// The name of the stage in messages.
  var label: String { get set }
}

/// Versions that come from each other by inferred mappings.
public final class LightweightMigrationStage: MigrationStage {
  /// The name of the stage in messages.
  public var label: String {
    get { currentLabel.withLock { $0 } }
    set { currentLabel.withLock { $0 = newValue } }
  }
  /// The checksums of the versions, the oldest first.
  public let versionChecksums: [String]
  private let currentLabel: Mutex<String>

  /// A stage for these versions.
  public init(_ versionChecksums: [String], label: String = "lightweight") {
    self.versionChecksums = versionChecksums
    currentLabel = Mutex(label)
  }
}

/// One version from another by an inferred mapping, with work of the program before and after.
public final class CustomMigrationStage: MigrationStage {
  /// What the program does. The manager's container has the store, open with the model of that moment.
  public typealias Handler = @Sendable (_ manager: StagedMigrationManager, _ stage: CustomMigrationStage) throws -> Void

  private struct Settings {
    var label: String
    var willMigrateHandler: Handler?
    var didMigrateHandler: Handler?
  }

  private let settings: Mutex<Settings>
  /// The name of the stage in messages.
  public var label: String {
    get { settings.withLock { $0.label } }
    set { settings.withLock { $0.label = newValue } }
  }
  /// The model of the store before the stage.
  public let currentModel: ManagedObjectModelReference
  /// The model of the store after the stage.
  public let nextModel: ManagedObjectModelReference
  /// Called before the store is migrated, with the store of the current model.
  public var willMigrateHandler: Handler? {
    get { settings.withLock { $0.willMigrateHandler } }
    set { settings.withLock { $0.willMigrateHandler = newValue } }
  }
  /// Called when the store has been migrated, with the store of the next model.
  public var didMigrateHandler: Handler? {
    get { settings.withLock { $0.didMigrateHandler } }
    set { settings.withLock { $0.didMigrateHandler = newValue } }
  }

  /// A stage between two models.
  public init(
    migratingFrom currentModel: ManagedObjectModelReference, to nextModel: ManagedObjectModelReference,
    label: String = "custom", willMigrateHandler: Handler? = nil, didMigrateHandler: Handler? = nil
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
    settings = Mutex(
      Settings(label: label, willMigrateHandler: willMigrateHandler, didMigrateHandler: didMigrateHandler))
  }
}
