import CoreDataLayout
import Migration
public import ModelFiles
public import Pipelines
import SQLMigration
import StoreModels

extension PipelineCheck {
  /// Whether the store that a run would copy, or import into, is there and fits the model, as the run finds out when it
  /// opens it; or, where it is to be migrated, whether it can be.
  public static func problemsOfOrigin(of file: PipelineFile, model: ModelFile) -> [PipelineProblem] {
    guard let origin = file.store.origin else { return [] }
    func problem(_ error: RunError) -> PipelineProblem {
      PipelineProblem(error, file: FilePath.shown(file.path), position: file.store.position)
    }
    guard file.store.existingOrigin != nil else { return [problem(.missingSeed(FilePath.shown(origin)))] }
    do {
      if file.store.migratesOrigin {
        try requireMigration(of: origin, to: model, file)
      } else {
        try StoreMetadata.read(path: origin).check(against: model.model)
      }
      return []
    } catch {
      return [problem(RunError(any: error, store: FilePath.shown(origin)))]
    }
  }

  /// - Throws: what would end the migration before it begins.
  private static func requireMigration(of origin: String, to target: ModelFile, _ file: PipelineFile) throws {
    let models = try MigrationModels(storePath: origin, target: target, modelPath: file.modelPath)
    guard !models.isUpToDate else { return }
    let steps = try MigrationSteps(
      models, store: origin, modelPath: file.modelPath, mappings: file.store.mappings,
      isNamed: file.modelVersion != nil)
    if let chain = steps.chain {
      let conditions = try steps.outlook().map { zip(chain.steps, $0.conditions) }?.flatMap { step, conditions in
        conditions.map { $0.inStep(step.description) }
      }
      guard conditions?.isEmpty ?? true else { throw StoreMigrationError.conditions(path: origin, conditions ?? []) }
      return
    }
    // Only to see whether it throws, as it would in a migration.
    _ = try models.options()
    let plan = try StoreMigration.plan(storeAt: origin, from: models.source.model, to: models.target.model)
    guard plan.conditions.isEmpty else { throw StoreMigrationError.conditions(path: origin, plan.conditions) }
  }
}

extension RunError {
  static func missingSeed(_ path: String) -> RunError {
    RunError(
      .missingInput, code: "seed.missing", "the seed store \(path) does not exist",
      hint: "store.seed names it; the path is relative to the pipeline file")
  }
}
