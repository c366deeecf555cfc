import CoreDataLayout
public import Pipelines
import Platform
import ResultFiles
import SeedFormats
import StoreModels

/// The place of a run's own report.
public enum ReportPlace {
  /// How a report begins, by which an earlier one is told from any other file.
  public static let beginning = "{\n  \"seedbedReport\":"

  /// Looks at the path of a report before anything is written there.
  /// - Parameters:
  ///   - pipelinePath: the pipeline file, which it must not be.
  ///   - pipeline: the pipeline, where the file could be read: the report must not be one of its inputs and results.
  /// - Throws: `RunError` when there is something at the path that is not an earlier report.
  public static func check(
    _ path: String, pipelinePath: String, pipeline: PipelineFile?, replacesForeign: Bool
  ) throws(RunError) {
    let start = beginning
    let result = OutputCheck.Result(
      field: "--report", path: path, kind: .text(.beginning { $0.hasPrefix(start) }, .csv))
    var inputs = RunInputs()
    inputs.add(file: pipelinePath)
    if let pipeline { try OutputCheck.check(result, beside: pipeline, &inputs) }
    try OutputCheck.check(result, inputs: inputs, replacesForeign: replacesForeign)
    // The report is made there at the end, when the results are in place already.
    do { try WorkFolder.requirePlace(for: ResultPath.followed(path)) } catch { throw RunError(any: error, store: path) }
  }
}

extension OutputCheck {
  /// Checks that a further result is not one of a run's inputs and other results.
  fileprivate static func check(
    _ result: Result, beside pipeline: PipelineFile, _ inputs: inout RunInputs
  ) throws(RunError) {
    for step in pipeline.imports { for path in step.source.paths where path != "-" { inputs.add(file: path) } }
    if let seed = pipeline.store.seed { inputs.add(store: seed) }
    inputs.add(model: pipeline.modelPath)
    for path in pipeline.store.mappings.flatMap(MigrationSteps.mappingModels(at:)) { inputs.add(model: path) }
    try checkPlaces([result], inputs, store: pipeline.store.path)
    for path in results(of: pipeline) {
      let identity = FileIdentity(path)
      guard
        ResultPath.resolved(path) == ResultPath.resolved(result.path)
          || (identity != nil && identity == FileIdentity(result.path))
      else { continue }
      throw RunError(
        .cannotCreate, code: "output.twice", "the pipeline and \(result.field) both name \(result.path)",
        hint: "give every result a name of its own")
    }
  }

  /// The paths of everything that a run may put in place.
  private static func results(of pipeline: PipelineFile) -> [String] {
    let rejects = RejectCollector(settings: pipeline.rejects, stepCount: pipeline.imports.count)
    return [pipeline.store.path] + pipeline.exports.filter { !$0.isDirect }.map(\.to)
      + pipeline.imports.enumerated().compactMap { index, step in
        rejects.path(step: index, name: step.name, source: step.source)
      }
  }
}
