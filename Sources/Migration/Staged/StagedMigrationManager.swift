import CoreDataLayout
import Foundation
public import ObjectGraph
public import ObjectModel
public import SQLMigration
public import StoreInterface
import Synchronization

/// Brings stores to newer models in stages that the program describes, each by an inferred mapping, with handlers of
/// the program in between.
///
/// A store begins at the stage that has its model; stages before are passed over. Everything is done on a copy beside
/// the store, which takes its place when the last stage is done: a handler that throws leaves the store as it was.
public final class StagedMigrationManager: StoreMigrating {
  /// The stages in the order in which they are carried out.
  public let stages: [any MigrationStage]
  /// Has the versions that lightweight stages name by their checksums.
  public let library: ModelLibrary
  /// What becomes of objects in a SQLite store that are not unique any more; see `ProgressiveMigration.duplicates`.
  public let duplicates: StoreMigration.DuplicatePolicy
  private let present = Mutex<PersistentContainer?>(nil)

  /// A manager of stages.
  /// - Parameters:
  ///   - stages: the stages, the oldest first.
  ///   - library: has the versions that lightweight stages name; custom stages bring their own.
  ///   - duplicates: what becomes of objects that a new uniqueness constraint forbids.
  public init(
    _ stages: [any MigrationStage], library: ModelLibrary = ModelLibrary(),
    duplicates: StoreMigration.DuplicatePolicy = .refuse
  ) {
    self.stages = stages
    self.library = library
    self.duplicates = duplicates
  }

  /// The store that is being migrated, with the model of the moment: for handlers. Nil otherwise.
  public var container: PersistentContainer? { present.withLock { $0 } }

  /// Brings the store of the description to the model.
  /// - Throws: `MigrationError` when the stages do not lead there from the store's model, and with what a handler threw
  ///   underneath; `StoreMigrationError` and `StoreError` of inferred steps.
  public func migrateStore(_ description: PersistentStoreDescription, to model: ManagedObjectModel) throws {
    guard let url = description.url else { return }
    let hashes = try description.type.metadata(at: url)[StoreMetadataKey.modelVersionHashes] as? [String: Data] ?? [:]
    let origin = try description.type.sourceVersion(ofStoreAt: url, hashes)
    let work = try remaining(from: origin, to: model, path: url.path)
    let store = MigrationStore(type: description.type, url: url, options: description.typeOptions)
    try store.replacing { partial in
      try store.copy(to: partial)
      for step in work {
        do {
          try carryOut(step, partial, description)
        } catch StoreMigrationError.conditions(_, let conditions) {
          throw StoreMigrationError.conditions(path: url.path, conditions.map { $0.inStep(step.stage.label) })
        }
      }
    }
  }

  // MARK: - Steps

  /// A step from one version to the next, and the stage that it belongs to.
  private struct Step {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    let stage: any MigrationStage
  }

  private func steps(to target: ManagedObjectModel) throws -> [Step] {
    var known: [String: ManagedObjectModel] = [target.versionChecksum: target]
    for version in library.versions { known[version.model.versionChecksum] = version.model }
    for case let stage as CustomMigrationStage in stages {
      for reference in [stage.currentModel, stage.nextModel] where known[reference.versionChecksum] == nil {
        known[reference.versionChecksum] = try reference.resolvedModel()
      }
    }
    var steps: [Step] = []
    func find(_ checksum: String, _ stage: any MigrationStage) throws(MigrationError) -> ManagedObjectModel {
      if let model = known[checksum] { return model }
      throw MigrationError(
        .missingSourceModel,
        "the stage \"\(stage.label)\" names a model with the checksum \(checksum), which is not known",
        hint: "add the version to the library")
    }
    for stage in stages {
      switch stage {
      case let stage as CustomMigrationStage:
        let models = (
          try find(stage.currentModel.versionChecksum, stage), try find(stage.nextModel.versionChecksum, stage)
        )
        try connect(models.0, &steps, stage)
        steps.append(Step(source: models.0, destination: models.1, stage: stage))
      case let stage as LightweightMigrationStage:
        let models = try stage.versionChecksums.map { checksum throws(MigrationError) in try find(checksum, stage) }
        if let first = models.first { try connect(first, &steps, stage) }
        for (model, next) in zip(models, models.dropFirst()) {
          steps.append(Step(source: model, destination: next, stage: stage))
        }
      default: throw MigrationError(.program, "the stage \"\(stage.label)\" is of no known kind")
      }
    }
    return steps
  }

  /// A lightweight stage goes to where the next one begins.
  private func connect(_ model: ManagedObjectModel, _ steps: inout [Step], _ stage: any MigrationStage) throws {
    guard let last = steps.last, last.destination.versionChecksum != model.versionChecksum else { return }
    steps.append(
      Step(source: last.destination, destination: model, stage: LightweightMigrationStage([], label: stage.label)))
  }

  private func remaining(
    from origin: SourceVersion, to target: ManagedObjectModel, path: String
  ) throws -> [Step] {
    var all = try steps(to: target)
    guard let end = all.lastIndex(where: { $0.destination.versionChecksum == target.versionChecksum }) else {
      throw MigrationError(
        .missingMappingModel, "the stages do not lead to the wanted model", hint: "add a stage that ends at it")
    }
    guard let (start, model) = origin.find(among: all[...end].map(\.source)) else {
      throw MigrationError(
        .missingSourceModel, "no stage begins at the model that \(path) was made with",
        hint: "a newer version of the program may have made it; or add a stage for its model")
    }
    all[start] = Step(source: model, destination: all[start].destination, stage: all[start].stage)
    return Array(all[start...end])
  }

  private func carryOut(
    _ step: Step, _ store: MigrationStore, _ description: PersistentStoreDescription
  ) throws {
    let custom = step.stage as? CustomMigrationStage
    if let handler = custom?.willMigrateHandler { try run(handler, custom, step.source, store) }
    let chain = MigrationChain.Step(
      source: ModelLibrary.Version(name: step.stage.label, model: step.source),
      destination: ModelLibrary.Version(name: step.stage.label, model: step.destination),
      way: .inferred(try step.source.inferredMappingModel(to: step.destination)), losses: [])
    guard case .inferred(let mapping) = chain.way else { return }
    if store.type is SQLitePersistentStoreType {
      var options = StoreMigration.Options()
      options.duplicates = duplicates
      options.worksOnCopy = true
      try InPlaceMigrationStep(chain, mapping, options).run(at: store.url.path, busyTimeout: description.timeout)
    } else {
      try store.replacing { partial in
        let manager = MigrationManager(sourceModel: step.source, destinationModel: step.destination)
        try manager.migrate(mapping, from: store, into: partial)
      }
    }
    if let handler = custom?.didMigrateHandler { try run(handler, custom, step.destination, store) }
  }

  private func run(
    _ handler: CustomMigrationStage.Handler, _ stage: CustomMigrationStage?, _ model: ManagedObjectModel,
    _ store: MigrationStore
  ) throws {
    guard let stage else { return }
    let description = PersistentStoreDescription(type: AnyStoreType(store.type), url: store.url)
    description.typeOptions = store.options
    description.shouldMigrateStoreAutomatically = false
    let container = PersistentContainer(
      name: "migration", managedObjectModel: model, persistentStoreDescriptions: [description])
    try container.loadPersistentStores()
    present.withLock { $0 = container }
    defer { present.withLock { $0 = nil } }
    do {
      try handler(self, stage)
    } catch {
      try? container.persistentStoreCoordinator.closeStores()
      throw MigrationError(.program, "a handler of the stage \"\(stage.label)\" failed: \(error)", underlying: error)
    }
    try container.persistentStoreCoordinator.closeStores()
  }
}
