import CoreDataLayout
import Exports
import ModelFiles
import Pipelines
import StoreInterface

extension PipelineRun {
  /// Brings the copy of a store to the pipeline's model.
  /// - Returns: what the report says of it.
  func migrate(_ copy: String, to target: ModelFile) throws -> [String] {
    guard let origin = pipeline.store.existingOrigin else { return [] }
    do {
      let models = try MigrationModels(storePath: copy, target: target, modelPath: pipeline.modelPath)
      guard !models.isUpToDate else { return [] }
      var options = try models.options()
      options.derivationTimestamp = pipeline.store.now
      let report = try StoreMigration.run(
        storeAt: copy, from: models.source.model, to: models.target.model, options: options)
      let version = models.source.versionName.isEmpty ? "another version" : models.source.versionName
      let migrated = "\(FilePath.shown(origin)) was made with \(version) of the model, and its copy was migrated"
      return [migrated] + report.plan.losses.map { "in the migration \($0)" }
    } catch {
      // No other program knows of the copy.
      var failure = RunError(any: error, store: origin)
      failure.message = failure.message.replacing(copy, with: FilePath.shown(origin))
      throw failure
    }
  }
}
