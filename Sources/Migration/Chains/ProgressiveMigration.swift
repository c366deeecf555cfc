import CoreDataLayout
package import Diagnostics
public import Foundation
public import ObjectModel
public import SQLMigration
public import StoreInterface

/// Brings stores from any known version of a model to another, through the chain of steps that loses least, each
/// inferred or by a mapping model.
///
/// One inferred step of a SQLite store is done in place, in one transaction. Otherwise all steps are done on copies
/// beside the store, and the last one takes its place: after any error, the store is unchanged.
public struct ProgressiveMigration: StoreMigrating {
  /// Makes the manager of a step by a mapping model.
  public typealias ManagerMaker =
    @Sendable (_ source: ManagedObjectModel, _ destination: ManagedObjectModel) -> MigrationManager

  /// The versions and mapping models.
  public var library: ModelLibrary
  /// The policies that the mapping models name.
  public var policies: MigrationPolicies
  /// Makes the managers, for subclasses and for managers that are set up in a way of their own; nil: plain ones. They
  /// are given `policies` when they have none.
  public var makeManager: ManagerMaker?
  /// Told of each step before it begins.
  public var willBeginStep: (@Sendable (MigrationChain.Step) -> Void)?
  /// Whether the library's mapping models were chosen for this very migration: they are used whatever they leave out,
  /// and what they lose needs no more consent.
  package var takesMappingsAsTheyAre = false
  /// How steps in place are done: duplicates, times of new derived attributes, and what is told of their progress.
  package var inPlaceOptions = StoreMigration.Options()
  /// Called with what a step by statements did, and with the duplicates that were removed after a step by a mapping
  /// model.
  package var didEndStep: (@Sendable (MigrationChain.Step, MigrationReport) -> Void)?

  /// Told when it begins to wait for another process that is at the same steps.
  package var willWait: (@Sendable () -> Void)?

  /// Told what each step asked of its stores, after it.
  package var didWork: (@Sendable (StoreCounts) -> Void)?

  /// How objects in a SQLite store are treated that have the same values under a uniqueness constraint that is new in a
  /// step. In a step by a mapping model it is resolved after the objects are made: the manager then works with a model
  /// without constraints. Stores of other types are refused whatever it says.
  public var duplicates: StoreMigration.DuplicatePolicy {
    get { inPlaceOptions.duplicates }
    set { inPlaceOptions.duplicates = newValue }
  }

  /// Whether steps through versions in between may lose what the wanted model has, such as the values of an attribute
  /// that one version dropped and a later one has again with another type. Nothing can be inferred for that in one
  /// step; without consent it is an error of code `lossesOnTheWay`.
  public var acceptsLossesOnTheWay = false

  /// Whether a store of a newer version may be brought to the wanted one, which has no place for what is new.
  package var goesBack = false

  /// Migrations between the versions of a library.
  public init(
    library: ModelLibrary, policies: MigrationPolicies = MigrationPolicies(), makeManager: ManagerMaker? = nil
  ) {
    self.library = library
    self.policies = policies
    self.makeManager = makeManager
  }

  // MARK: - Plans

  /// The steps from the model that a store was made with to another.
  /// - Parameters:
  ///   - url: where the store lies.
  ///   - type: the type of the store.
  ///   - model: the wanted model.
  ///   - infersMappingModels: whether mappings may be inferred.
  /// - Throws: `MigrationError` of code `missingSourceModel` or `missingMappingModel` where there is no way.
  public func chain(
    forStoreAt url: URL, type: some PersistentStoreType, to model: ManagedObjectModel, infersMappingModels: Bool = true
  ) throws -> MigrationChain {
    let hashes = try type.metadata(at: url)[StoreMetadataKey.modelVersionHashes] as? [String: Data] ?? [:]
    var library = library
    library.insert(ModelLibrary.Version(name: "the wanted model", model: model))
    guard var end = library.index(of: model) else {
      throw MigrationError(.missingMappingModel, "the wanted model does not belong to the library")
    }
    let position = library.adopt(try type.sourceVersion(ofStoreAt: url, hashes), wanted: end)
    if position == nil {
      library.insertOldest(try cachedVersion(ofStoreAt: url, type, hashes))
      end += 1
    }
    let start = position ?? 0
    // Two versions may be the same for a store.
    let isThere =
      library.versions[start].model.entityVersionHashesByName == library.versions[end].model.entityVersionHashesByName
    if isThere { return MigrationChain(steps: []) }
    try requireNoMistaken(library.versions[start].model, library.versions[end].model, library)
    let rules = MigrationStepRules(
      infers: infersMappingModels, takesMappingsAsTheyAre: takesMappingsAsTheyAre, policies: policies)
    var search = ChainSearch(library, rules)
    guard var chain = search.chain(from: start, to: end) else {
      throw noWay(from: library.versions[start], to: library.versions[end], infersMappingModels)
    }
    try requireSoundMappings(of: chain)
    try noteDataLosses(&chain, MigrationStore(type: type, url: url))
    let losses = unapproved(chain.steps).flatMap(\.losses)
    // A store of a newer version would lose the properties that the newer model added.
    if position == nil || start > end && !goesBack, !losses.isEmpty {
      throw MigrationError(
        position == nil ? .missingMappingModel : .newerStore,
        "\(url.path) was made with a model that is \(position == nil ? "none of the known versions" : "newer than that"), and would lose data: "
          + losses.prefix(5).joined(separator: "; "),
        hint: "open it with the version of the program that made it, or a newer one")
    }
    if !losses.isEmpty, !library.unreadable.isEmpty {
      throw MigrationError(
        .mappingModel,
        library.unreadable.joined(separator: "; ") + "; without it data would go: "
          + losses.prefix(5).joined(separator: "; "),
        hint: "restore the mapping model from a whole copy, or move it away where what goes may go")
    }
    try requireNonePassedOver(by: chain, library)
    try requireConsent(to: chain)
    if type is SQLitePersistentStoreType, let first = chain.steps.first {
      try chain.note(ForeignObjects(storeAt: url.path, model: first.source.model, countsRows: true))
    }
    return chain
  }

  private func requireConsent(to chain: MigrationChain) throws(MigrationError) {
    guard !acceptsLossesOnTheWay, let first = chain.steps.first, let last = chain.steps.last else { return }
    let losses = chain.lossesOnTheWay(policies, allowsMappings: takesMappingsAsTheyAre)
    guard !losses.isEmpty else { return }
    if chain.steps.count == 1, let step = MappedMigrationStep(first, policies) {
      throw MigrationError(
        .lossesOnTheWay,
        "the mapping model \(step.mapping.name) leaves out what the version \(last.destination.name) has: "
          + losses.prefix(10).joined(separator: ", "),
        hint: "complete the mapping model, or accept the losses (acceptsLossesOnTheWay)")
    }
    let obstacles = first.source.model.lightweightMigration(to: last.destination.model).obstacles
    throw MigrationError(
      .lossesOnTheWay,
      "no one step leads from \(first.source.name) to \(last.destination.name)"
        + (obstacles.isEmpty ? "" : " (\(obstacles.prefix(5).map(\.description).joined(separator: "; ")))")
        + ", and the steps by way of \(chain.steps.dropLast().map(\.destination.name).joined(separator: ", ")) would lose "
        + "what the last version has: \(losses.prefix(10).joined(separator: ", "))",
      hint: "write a mapping model that brings it along, or accept the losses (acceptsLossesOnTheWay)")
  }

  /// The model that a store carries itself.
  private func cachedVersion(
    ofStoreAt url: URL, _ type: some PersistentStoreType, _ hashes: [String: Data]
  ) throws -> ModelLibrary.Version {
    if type is SQLitePersistentStoreType, let model = SourceVersion.carriedModel(ofStoreAt: url.path, hashes) {
      return ModelLibrary.Version(name: "the store's own model", model: model)
    }
    let names = library.versions.map(\.name).joined(separator: ", ")
    throw MigrationError(
      .missingSourceModel,
      "\(url.path) was made with none of the known versions (\(names)), and carries no model that fits its version hashes",
      hint: "a newer version of the program may have made it; or add the version it was made with to the model")
  }

  private func noWay(
    from source: ModelLibrary.Version, to target: ModelLibrary.Version, _ infers: Bool
  ) -> MigrationError {
    var reasons = library.warnings
    if infers { reasons += source.model.lightweightMigration(to: target.model).obstacles.map(\.description) }
    return MigrationError(
      .missingMappingModel,
      "there is no way from \(source.name) to \(target.name)"
        + (reasons.isEmpty ? "" : ": " + reasons.prefix(10).joined(separator: "; ")),
      hint: infers
        ? "write a mapping model between the two, or to a version in between" : "allow mappings to be inferred")
  }

  // MARK: - Work

  /// Brings the store of a description to a model. Where another process does so meanwhile, nothing is left to do.
  /// - Throws: `MigrationError`; `StoreMigrationError` and `StoreError` of a step that was inferred.
  public func migrateStore(_ description: PersistentStoreDescription, to model: ManagedObjectModel) throws {
    guard let url = description.url else { return }
    let chain = try chain(
      forStoreAt: url, type: description.type, to: model,
      infersMappingModels: description.shouldInferMappingModelAutomatically)
    let store = MigrationStore(type: description.type, url: url, options: description.typeOptions)
    do {
      try run(chain, store, busyTimeout: description.timeout)
    } catch  where Self.isOfAnother(error) || Self.isBesideAnother(error) {
      // Another process that migrates the store gets as much time as a lock is waited for.
      let end = Date() + (Self.isBesideAnother(error) ? description.timeout : 0)
      willWait?()
      while !store.isOf(model) {
        if Date() >= end { throw error }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  /// Whether an error says that another process makes its copies where these were to be.
  private static func isBesideAnother(_ error: any Error) -> Bool {
    if case StoreError.busy? = (error as? MigrationError)?.underlyingError { return true }
    return false
  }

  /// Whether an error says that the store was not, or was no longer, what it was found to be.
  package static func isOfAnother(_ error: any Error) -> Bool {
    if case StoreMigrationError.sourceModel = error { return true }
    return (error as? MigrationError)?.code == .changedStore
  }

  /// Brings a store to a model, and says by which steps.
  /// - Throws: as `migrateStore(_:to:)`.
  @discardableResult
  public func migrateStore(
    at url: URL, type: some PersistentStoreType, to model: ManagedObjectModel
  ) throws -> MigrationChain {
    let chain = try chain(forStoreAt: url, type: type, to: model)
    try run(chain, MigrationStore(type: type, url: url), busyTimeout: 5)
    return chain
  }

  private func run(_ chain: MigrationChain, _ store: MigrationStore, busyTimeout: TimeInterval) throws {
    guard let first = chain.steps.first else { return }
    if chain.steps.count == 1, case .inferred(let mapping) = first.way, store.type is SQLitePersistentStoreType {
      willBeginStep?(first)
      return try runInPlace(first, mapping, at: store, isCopy: false, busyTimeout: busyTimeout)
    }
    try store.replacing { partial in
      var present = store
      for (index, step) in chain.steps.enumerated() {
        willBeginStep?(step)
        let isLast = index == chain.steps.count - 1
        let next = isLast ? partial : partial.numbered(index)
        do {
          try runStep(step, from: present, into: next, busyTimeout: busyTimeout)
        } catch StoreMigrationError.conditions(_, let conditions) {
          throw StoreMigrationError.conditions(path: store.url.path, conditions.map { $0.inStep(step.description) })
        } catch let error as StoreError {
          // Errors name the store itself, because the caller does not know the copies.
          throw [next, present].reduce(error) { $0.naming(store.url.path, insteadOf: $1.url.path) }
        }
        // Of the stores in between only the last is needed.
        if index > 0 { try? FileManager.default.removeItem(at: present.url.deletingLastPathComponent()) }
        present = next
      }
    }
  }

  /// Makes the store of the next version.
  func runStep(
    _ step: MigrationChain.Step, from source: MigrationStore, into destination: MigrationStore,
    busyTimeout: TimeInterval
  ) throws {
    switch step.way {
    case .inferred(let mapping) where source.type is SQLitePersistentStoreType:
      try source.copy(to: destination)
      try runInPlace(step, mapping, at: destination, busyTimeout: busyTimeout)
    case .inferred(let mapping):
      let work = try manager(from: step.source.model, to: step.destination.model)
        .migrate(mapping, from: source, into: destination)
      didWork?(work)
    case .mapped(let mapping):
      let target = step.destination.model
      guard duplicates != .refuse, destination.type is SQLitePersistentStoreType,
        let loose = try target.withoutConstraints()
      else { return try runMapped(mapping, mapping.mappingModel, step, to: target, source, destination) }
      try runMapped(mapping, mapping.mappingModel.withoutDestinationHashes, step, to: loose, source, destination)
      let constrained = MigrationChain.Step(
        source: ModelLibrary.Version(name: step.destination.name, model: loose), destination: step.destination,
        way: step.way, losses: [])
      try runInPlace(
        constrained, loose.inferredMappingModel(to: target), at: destination, as: step, busyTimeout: busyTimeout)
    }
  }

  private func runMapped(
    _ mapping: ModelLibrary.Mapping, _ mappingModel: MappingModel, _ step: MigrationChain.Step,
    to model: ManagedObjectModel, _ source: MigrationStore, _ destination: MigrationStore
  ) throws {
    do {
      let work = try manager(from: step.source.model, to: model)
        .migrate(mappingModel, from: source, into: destination)
      didWork?(work)
    } catch let error as MigrationError where error.mapping != nil {
      throw error.about(mappingModel: mapping.name)
    }
  }

  /// Does an inferred step in the store's own file.
  /// - Parameter told: the step to report, where this one is a part of another.
  private func runInPlace(
    _ step: MigrationChain.Step, _ mapping: MappingModel, at store: MigrationStore, as told: MigrationChain.Step? = nil,
    isCopy: Bool = true, busyTimeout: TimeInterval
  ) throws {
    var options = inPlaceOptions
    if isCopy { options.worksOnCopy = true }
    let report = try InPlaceMigrationStep(step, mapping, options).run(at: store.url.path, busyTimeout: busyTimeout)
    didEndStep?(told ?? step, report)
    didWork?(report.work)
  }

  private func manager(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> MigrationManager {
    let manager =
      makeManager?(source, destination) ?? MigrationManager(sourceModel: source, destinationModel: destination)
    if manager.migrationPolicies.names.isEmpty { manager.migrationPolicies = policies }
    return manager
  }
}
