package import ObjectModel

extension StepPlanner {
  /// Plans a step with the columns of its first file.
  package static func plan(
    _ step: ImportStep, model: ManagedObjectModel, pipelinePath: String, files: [SourceFile],
    resources: RecordExpressionResources
  ) throws(RunError) -> StepPlan {
    let columns = try step.source.columns(in: files)
    var planner = StepPlanner(
      step: step, model: model, pipelinePath: pipelinePath, columns: columns, resources: resources)
    return try planner.plan()
  }
}

extension StepPlan {
  /// The most records in a batch: where records name files, so few that their contents fit into memory together.
  package var recordsPerBatch: Int {
    let files = step.filesPerRecord
    return files == 0 ? Int.max : max(1, 16 / files)
  }
}
