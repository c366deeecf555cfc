import CoreDataLayout
import Migration
import ModelFiles
import ObjectModel
import Pipelines
import SQLMigration
import StoreModels

extension PipelineRun {
  /// Brings the copy of a store to the pipeline's model.
  /// - Returns: whether it was of another model, and what the report says of it.
  func migrate(_ copy: String, to target: ModelFile) throws -> (isDone: Bool, notes: [String]) {
    guard let origin = pipeline.store.existingOrigin else { return (false, []) }
    do {
      let models = try MigrationModels(storePath: copy, target: target, modelPath: pipeline.modelPath)
      // Errors name the original instead of the copy.
      let doubt = models.doubt.map { [$0.replacing(FilePath.shown(copy), with: FilePath.shown(origin))] } ?? []
      guard !models.isUpToDate else { return (false, doubt) }
      var options = try models.options()
      options.derivationTimestamp = pipeline.store.now
      options.worksOnCopy = true
      let steps = try MigrationSteps(
        models, store: copy, modelPath: pipeline.modelPath, mappings: pipeline.store.mappings,
        isNamed: pipeline.modelVersion != nil)
      let version = models.source.versionName.isEmpty ? "another version" : models.source.versionName
      var notes = ["\(FilePath.shown(origin)) was made with \(version) of the model, and its copy was migrated"]
      let losses: [String]
      if let chain = steps.chain {
        try carryOut(steps, options, at: copy, models.target.model)
        notes += chain.steps.map { "migrated \($0)" }
        losses = chain.steps.flatMap(\.lostTexts)
      } else {
        let plan = try StoreMigration.run(
          storeAt: copy, from: models.source.model, to: models.target.model, options: options
        ).plan
        losses =
          plan.losses.map(\.description)
          + plan.foreign.lostTexts
      }
      return (true, doubt + notes + losses.map { "in the migration \($0)" } + steps.warnings)
    } catch {
      // Here too, the original is named instead of the copy.
      var failure = RunError(any: error, store: origin)
      failure.message = failure.message.replacing(copy, with: FilePath.shown(origin))
      throw failure
    }
  }

  /// Migrates by mapping models, which make a store anew. It keeps its UUID all the same, as every copied store does.
  private func carryOut(
    _ steps: MigrationSteps, _ options: StoreMigration.Options, at copy: String, _ model: ManagedObjectModel
  ) throws {
    let uuid = try StoreMetadata.read(path: copy).uuid
    try steps.carryOut(options)
    guard try StoreMetadata.read(path: copy).uuid != uuid else { return }
    let store = try SQLiteStore.open(path: copy, model: model)
    defer { try? store.close() }
    try store.setMetadata([:], identifier: uuid)
    try store.close()
  }
}
