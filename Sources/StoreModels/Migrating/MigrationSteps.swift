import CoreDataLayout
package import Diagnostics
import Foundation
package import Migration
import ModelFiles
import ObjectModel
package import Pipelines
import Platform
package import SQLMigration
import StoreInterface

/// How a store comes to another version of its model: by one inferred step in place, or by several and by mapping
/// models.
package struct MigrationSteps {
  /// The steps; nil where one inferred step does, and nothing else is asked for.
  package private(set) var chain: MigrationChain?
  /// Mapping models that cannot be used, and those that were passed over for what they leave out.
  package private(set) var warnings: [String] = []
  private var migration = ProgressiveMigration(library: ModelLibrary())
  /// Called after each of several steps with the work that it asked of its stores.
  package var didWork: (@Sendable (StoreCounts) -> Void)? {
    get { migration.didWork }
    set { migration.didWork = newValue }
  }
  let store: URL
  /// The store as errors of the migration call it: one step in place takes the path as it was given.
  var storeName: String { chain == nil ? path : store.path }
  private let path: String
  private let models: MigrationModels

  /// - Parameters:
  ///   - mappings: mapping models, or folders that have some; the model's folder is looked through when there are none.
  ///   - policies: those that mapping models may name.
  ///   - isNamed: whether the version was asked for by name, so that going back to it may lose what a newer one has.
  /// - Throws: `RunError` for a store that would lose something in going back, for mapping models that cannot be used,
  ///   `ModelError`.
  package init(
    _ models: MigrationModels, store path: String, modelPath: String, mappings: [String] = [],
    policies: MigrationPolicies = MigrationPolicies(), isNamed: Bool = false
  ) throws {
    self.path = path
    store = URL(fileURLWithPath: path)
    self.models = models
    let (older, newer) = (models.source.model, models.target.model)
    let isLossless =
      (try? older.inferredMappingModel(to: newer, mergesHierarchies: true)) != nil
      && older.lightweightMigration(to: newer).losses.isEmpty
    for mapping in mappings { try Self.requireMapping(mapping) }
    let folder = VersionSearch.folder(ofModelAt: modelPath)
    if isLossless, mappings.isEmpty, Self.mappingModels(besideModel: modelPath).isEmpty { return }
    let urls = mappings.isEmpty ? nil : mappings.map { URL(fileURLWithPath: $0) }
    let library = try ModelLibrary(modelURL: URL(fileURLWithPath: folder), mappingModelURLs: urls)
    migration = ProgressiveMigration(library: library, policies: policies)
    let mayLose = isNamed || folder != modelPath
    migration.acceptsLossesOnTheWay = mayLose
    migration.goesBack = mayLose
    migration.takesMappingsAsTheyAre = !mappings.isEmpty
    warnings = library.warnings
    let chain: MigrationChain
    do {
      chain = try migration.chain(forStoreAt: store, type: .sqlite, to: newer)
    } catch let error as MigrationError
      where error.code == .missingMappingModel && mappings.isEmpty && library.unreadable.isEmpty
    {
      // One inferred step may join hierarchies; otherwise the reasons against it say more.
      return
    } catch let error as MigrationError where error.code == .newerStore {
      throw RunError(
        .badPipeline, code: "migration.newer", error.message,
        hint:
          "give the newest version of the app's model; where what goes may go, name the older version \(Self.naming)")
    } catch let error as MigrationError where error.code == .lossesOnTheWay {
      throw RunError(
        .badPipeline, code: "migration.losses", "\(path): \(error.message)",
        hint:
          "a mapping model that is complete brings it along; where what goes may go, name the version \(Self.naming)")
    }
    try Self.requireUse(of: mappings, chain, library)
    try Self.requirePolicies(chain, policies)
    warnings += Self.passedOver(chain.steps, library)
    if !mappings.isEmpty || chain.steps.count != 1 || !chain.isLightweight { self.chain = chain }
  }

  /// How to name a version.
  private static let naming = "(--to VERSION, or model.version in a pipeline file)"

  // MARK: - Mapping models

  /// - Throws: where there is nothing at the path of a mapping model.
  package static func requireMapping(_ path: String) throws(RunError) {
    if !FileSystem.exists(path) {
      throw RunError(.missingInput, code: "migration.mapping", "\(path): there is no such mapping model")
    }
    if MappingModelReader.isMappingModel(path: path) { return }
    // The library reports a folder that cannot be read.
    let names = try? FileSystem.listing(of: path)
    if names == nil, PathContent(at: path) == .folder { return }
    if names?.contains(where: { MappingModelReader.isMappingModel(path: "/" + $0) }) == true { return }
    throw RunError(
      .badPipeline, code: "migration.mapping",
      "\(path) is \(names == nil ? "no mapping model" : "a folder without mapping models")",
      hint: "name a .xcmappingmodel or a .cdm, or a folder with some")
  }

  /// - Throws: for a mapping model that the user names and no step is done by.
  private static func requireUse(
    of mappings: [String], _ chain: MigrationChain, _ library: ModelLibrary
  ) throws(RunError) {
    let used = chain.steps.compactMap { if case .mapped(let mapping) = $0.way { mapping.name } else { nil } }
    for mapping in mappings where MappingModelReader.isMappingModel(path: mapping) {
      let path = URL(fileURLWithPath: mapping).path
      if used.contains(path) { continue }
      let reasons = library.warnings.filter { $0.contains(path) }
      throw RunError(
        .badPipeline, code: "migration.mapping",
        reasons.isEmpty ? "\(mapping) is for none of the steps: \(chain)" : reasons.joined(separator: "; "),
        hint: "seedbed inspect \(FilePath.argument(mapping)) shows the entities that it is for")
    }
  }

  /// - Throws: for policies that are missing; they are Swift code of the app's.
  private static func requirePolicies(_ chain: MigrationChain, _ policies: MigrationPolicies) throws(RunError) {
    for step in chain.steps {
      guard case .mapped(let mapping) = step.way else { continue }
      let missing = mapping.mappingModel.entityMappings.compactMap { entity in
        entity.entityMigrationPolicyClassName.flatMap { name in
          policies[name] == nil ? "\(name) of the entity mapping \(entity.name)" : nil
        }
      }
      if missing.isEmpty { continue }
      throw RunError(
        .badPipeline, code: "migration.policy",
        "\(mapping.name) needs migration policies, which are Swift code of the app's: \(missing.joined(separator: ", "))",
        hint:
          "migrate in a program that has them, as docs/MAPPING-MODELS.md shows; seedbed migrate leaves a policy out with "
          + "--policy NAME=none")
    }
  }

  /// Warnings about mapping models for two versions between which a step was inferred.
  static func passedOver(_ steps: [MigrationChain.Step], _ library: ModelLibrary) -> [String] {
    steps.flatMap { step -> [String] in
      guard case .inferred = step.way else { return [] }
      return library.mappings.filter { $0.fits(from: step.source.model, to: step.destination.model) }.map { mapping in
        let entities = mapping.uncovered(from: step.source.model, to: step.destination.model)
        return
          "the mapping model \(mapping.name) is not used from \(step.source.name) to \(step.destination.name): it leaves "
          + "out \(entities.joined(separator: ", ")), whose objects would go with it; to use it all the same, name it "
          + "(--mapping, or store.mapping in a pipeline file)"
      }
    }
  }

  // MARK: - Places

  /// The mapping models in the folder that the model lies in, sorted.
  package static func mappingModels(besideModel modelPath: String) -> [String] {
    mappingModels(at: URL(fileURLWithPath: VersionSearch.folder(ofModelAt: modelPath)).deletingLastPathComponent().path)
  }

  /// The mapping model at a path, or those in the folder there, sorted.
  package static func mappingModels(at path: String) -> [String] {
    if MappingModelReader.isMappingModel(path: path) { return [path] }
    let names = FileSystem.names(in: path)
    return names.sorted().map { path + "/" + $0 }.filter { MappingModelReader.isMappingModel(path: $0) }
  }

  /// The files of the mapping models that a pipeline's migration may be done by.
  package static func mappingFiles(of pipeline: PipelineFile) -> [String] {
    let given = pipeline.store.mappings.flatMap { mappingModels(at: $0) }
    let models = pipeline.store.mappings.isEmpty ? mappingModels(besideModel: pipeline.modelPath) : given
    return models.flatMap { path in
      guard let names = try? FileSystem.listing(of: path) else { return [path] }
      return names.sorted().map { path + "/" + $0 }
    }
  }

  // MARK: - Work

  /// The rules that the data break in each step, as far as that is known before the first.
  /// - Throws: `StoreError`, `MappingInferenceError`.
  package func outlook() throws -> ChainOutlook? {
    try chain.map { try ChainOutlook($0, storeAt: store.path) }
  }

  /// - Parameter plan: of one step in place, where it is known.
  /// - Throws: where the result could not take the store's place, as the migration itself does.
  package func requirePlace(for plan: MigrationPlan? = nil) throws {
    if chain == nil {
      try StoreMigration.requireWritable(storeName, for: plan)
    } else {
      try ProgressiveMigration.requireReplaceable(store)
    }
  }

  /// Carries the steps out.
  /// - Parameters:
  ///   - options: for the steps that are done in place, and for duplicates in all.
  ///   - willBegin: told of each step before it begins.
  ///   - didEnd: called with the report of a step that was done by statements.
  /// - Throws: `MigrationError`, `StoreMigrationError`, `StoreError`; the store is unchanged then.
  package func carryOut(
    _ options: StoreMigration.Options, willBegin: @escaping @Sendable (MigrationChain.Step) -> Void = { _ in },
    didEnd: @escaping @Sendable (MigrationChain.Step, MigrationReport) -> Void = { _, _ in }
  ) throws {
    var migration = migration
    migration.didEndStep = didEnd
    migration.inPlaceOptions = options
    migration.willBeginStep = willBegin
    try migration.migrateStore(at: store, type: .sqlite, to: models.target.model)
  }

  /// Migrates a copy of the store.
  /// - Returns: what one step in place did; nil for several.
  func carryOut(
    _ options: StoreMigration.Options, at copy: String, willBegin: @escaping @Sendable (MigrationChain.Step) -> Void,
    didEnd: @escaping @Sendable (MigrationChain.Step, MigrationReport) -> Void
  ) throws -> MigrationReport? {
    guard chain != nil else {
      return try StoreMigration.run(
        storeAt: copy, from: models.source.model, to: models.target.model, options: options)
    }
    var migration = migration
    migration.willBeginStep = willBegin
    migration.didEndStep = didEnd
    migration.inPlaceOptions = options
    migration.inPlaceOptions.worksOnCopy = false
    try migration.migrateStore(at: URL(fileURLWithPath: copy), type: .sqlite, to: models.target.model)
    return nil
  }
}

extension MigrationError: RunFailure {
  package func runError(store path: String) -> RunError {
    if let underlyingError, underlyingError is StoreError { return RunError(any: underlyingError, store: path) }
    let kind: RunError.Kind =
      switch code {
      case .mappingModel, .policy, .missingSourceModel, .missingMappingModel, .newerStore, .lossesOnTheWay:
        .badPipeline
      case .value, .validation: .badData
      case .sourceStore, .destinationStore: .inputOutput
      case .changedStore: .locked
      case .cancelled, .program: .internal
      }
    return RunError(kind, code: "migration.\(code.rawValue)", errorDescription ?? message, hint: hint)
  }
}
