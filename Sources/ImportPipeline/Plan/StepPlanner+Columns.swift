import ObjectModel
import SeedFormats

extension StepPlanner {
  /// Plans a step knowing the columns of its first file.
  static func plan(
    _ step: ImportStep, model: ManagedObjectModel, pipelinePath: String, files: [SourceFile]
  ) throws(RunError) -> StepPlan {
    let columns = try columns(of: step, files: files)
    var planner = StepPlanner(step: step, model: model, pipelinePath: pipelinePath, columns: columns)
    return try planner.plan()
  }

  /// The columns of a step's first file; none where the format has none.
  static func columns(of step: ImportStep, files: [SourceFile]) throws(RunError) -> Set<String> {
    var columns: Set<String> = []
    if step.source.format == .csv || step.source.format == .tsv, let file = files.first {
      do {
        let options = step.source.formatOptions
        let source = try SeedFile.open(path: file.path, options: options)
        columns = Set(try RecordReader(source: source, options: options, projection: [], file: file.name).columns)
      } catch {
        var error = error
        if error.file == file.path { error.file = file.name }
        throw RunError(error)
      }
    }
    return columns
  }
}
