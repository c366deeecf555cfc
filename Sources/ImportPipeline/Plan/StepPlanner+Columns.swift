import ObjectModel
import SeedFormats

extension StepPlanner {
  /// Plans a step knowing the columns of its first file.
  static func plan(
    _ step: ImportStep, model: ManagedObjectModel, pipelinePath: String, files: [SourceFile],
    resources: RecordExpressionResources = RecordExpressionResources()
  ) throws(RunError) -> StepPlan {
    let columns = try columns(of: step.source, files: files)
    var planner = StepPlanner(
      step: step, model: model, pipelinePath: pipelinePath, columns: columns, resources: resources)
    return try planner.plan()
  }

  /// The columns of a source's first file; none where the format has none.
  static func columns(of source: SourceSettings, files: [SourceFile]) throws(RunError) -> Set<String> {
    var columns: Set<String> = []
    if source.format == .csv || source.format == .tsv, let file = files.first {
      do {
        let options = source.formatOptions
        let bytes = try SeedFile.open(path: file.path, options: options)
        columns = Set(try RecordReader(source: bytes, options: options, projection: [], file: file.name).columns)
      } catch {
        var error = error
        if error.file == file.path { error.file = file.name }
        throw RunError(error)
      }
    }
    return columns
  }
}

extension StepPlan {
  /// The most records in a batch: where records name files, so few that their contents fit into memory together.
  var recordsPerBatch: Int {
    let files = step.filesPerRecord
    return files == 0 ? Int.max : max(1, 16 / files)
  }
}

extension MapEntry {
  /// Whether a source need not have the columns of the value.
  var isOptional: Bool {
    switch mapping {
    case .attribute(let mapping): mapping.isOptional
    case .reference(let mapping): mapping.isOptional
    case .nested(let mapping): mapping.isOptional
    }
  }
}
