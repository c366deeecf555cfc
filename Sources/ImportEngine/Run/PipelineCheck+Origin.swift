import CoreDataLayout
public import ObjectModel
public import Pipelines
import StoreInterface

extension PipelineCheck {
  /// Whether the store that a run would copy, or import into, is there and fits the model, as the run finds out when it
  /// opens it.
  public static func problemsOfOrigin(of file: PipelineFile, model: ManagedObjectModel) -> [PipelineProblem] {
    guard let origin = file.store.origin else { return [] }
    func problem(_ error: RunError) -> PipelineProblem {
      PipelineProblem(
        kind: PipelineProblem.Kind(error.kind), code: error.code, message: error.message, hint: error.hint,
        file: FilePath.shown(file.path),
        position: file.store.position)
    }
    guard file.store.existingOrigin != nil else { return [problem(.missingSeed(FilePath.shown(origin)))] }
    do {
      try StoreMetadata.read(path: origin).check(against: model)
      return []
    } catch {
      return [problem(RunError(any: error, store: FilePath.shown(origin)))]
    }
  }
}

extension RunError {
  static func missingSeed(_ path: String) -> RunError {
    RunError(
      .missingInput, code: "seed.missing", "the seed store \(path) does not exist",
      hint: "store.seed names it; the path is relative to the pipeline file")
  }
}
