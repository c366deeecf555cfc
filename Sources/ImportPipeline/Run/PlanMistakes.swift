import ObjectModel

/// The mistakes that keep a run from planning its steps, so that all of them are told at once, as the linter does.
struct PlanMistakes {
  private let pipeline: PipelineFile
  private let model: ManagedObjectModel
  private var refused: [(step: ImportStep, error: RunError)] = []

  init(_ pipeline: PipelineFile, _ model: ManagedObjectModel) {
    self.pipeline = pipeline
    self.model = model
  }

  /// Notes why a step cannot be planned.
  mutating func add(_ error: RunError, of step: ImportStep) {
    refused.append((step, error))
  }

  /// What to throw; nil when there is nothing to say.
  ///
  /// Planning ends with the first mistake of a step, so the linter finds the others. It is not asked about imports that
  /// could be planned, because it does not know the columns of their sources, nor about anything that only may go wrong.
  var error: RunError? {
    let problems = PipelineLinter.lint(pipeline, model: model).filter { problem in
      problem.severity == .error && isCertain(problem)
    }
    var texts = problems.map { (position: $0.position, text: $0.description) }
    var unknown: [RunError] = []
    for (step, error) in refused where !problems.contains(where: { owner(of: $0) == step.position }) {
      unknown.append(error)
      texts.append((step.position, error.description))
    }
    if texts.isEmpty { return nil }
    if texts.count == 1, let error = refused.first?.error { return error }
    let kinds = Set(unknown.map(\.kind))
    let kind = problems.isEmpty && kinds.count == 1 ? kinds.first : nil
    let told = texts.sorted { left, right in
      (left.position?.line ?? 0, left.position?.column ?? 0) < (right.position?.line ?? 0, right.position?.column ?? 0)
    }
    return RunError(kind ?? .badPipeline, code: "pipeline", told.map(\.text).joined(separator: "\n"))
  }

  private func isCertain(_ problem: PipelineProblem) -> Bool {
    guard let owner = owner(of: problem) else { return false }
    return pipeline.exports.contains { $0.position == owner } || refused.contains { $0.step.position == owner }
  }

  /// Where the step starts that a problem belongs to.
  private func owner(of problem: PipelineProblem) -> FilePosition? {
    guard let position = problem.position else { return nil }
    let starts = pipeline.imports.map(\.position) + pipeline.exports.map(\.position)
    return starts.filter { ($0.line, $0.column) <= (position.line, position.column) }
      .max { ($0.line, $0.column) < ($1.line, $1.column) }
  }
}
