import Foundation
public import ObjectModel
import SeedFormats

/// Looks at the beginning of every source of a pipeline: is it there, does it have the columns that `map` names?
public enum SourceCheck {
  /// - Returns: one problem per source that cannot be read as the pipeline says.
  public static func problems(of file: PipelineFile, model: ManagedObjectModel) -> [PipelineProblem] {
    file.imports.compactMap { step -> PipelineProblem? in
      do {
        // What can be read only once is left to the run.
        let paths = step.source.paths.filter { !SourceKind($0).isStream }
        let plan = try StepPlanner.plan(
          step, model: model, pipelinePath: FilePath.shown(file.path),
          files: paths.map { SourceFile(path: $0, name: FilePath.shown($0)) })
        for path in paths {
          let options = step.source.formatOptions
          let source = try SeedFile.open(path: path, options: options)
          let reader = try RecordReader(
            source: source, options: options, projection: plan.projection, file: FilePath.shown(path))
          _ = try reader.next(RecordBatch(fieldCount: plan.projection.count), maximumRecords: 1)
        }
        return nil
      } catch {
        let failure = RunError(any: error, store: file.store.path)
        return PipelineProblem(
          severity: .error, kind: failure.kind == .missingInput ? .missing : .configuration, code: failure.code,
          message: failure.place?.message ?? failure.message, hint: failure.hint, file: FilePath.shown(file.path),
          position: failure.place?.position ?? step.source.position)
      }
    }
  }
}
