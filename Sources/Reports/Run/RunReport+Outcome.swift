package import Pipelines

extension RunReport {
  /// The report of a run that begins.
  /// - Parameter warnings: the warnings about the model.
  package init(beginning pipeline: PipelineFile, warnings: [String], isDryRun: Bool) {
    self.init(result: isDryRun ? .dryRun : .built, pipeline: pipeline.path, storePath: pipeline.store.path)
    modelPath = pipeline.modelPath
    self.warnings = warnings
  }

  /// The store that is there is what the run would make.
  package mutating func adopt(
    upToDate storeIdentifier: String, storeBytes: Int, externalFiles: (count: Int, bytes: Int)
  ) {
    result = .upToDate
    self.storeIdentifier = storeIdentifier
    self.storeBytes = storeBytes
    self.externalFiles = externalFiles
  }

  /// The run ended with an error: nothing of its result is there.
  /// - Parameter begun: the import steps that have begun, for a report that has none yet.
  package mutating func adopt(failure: RunError, begun: [StepReport]) {
    result = .failed
    self.failure = failure
    storeIdentifier = ""
    storeBytes = 0
    externalFiles = (0, 0)
    exports = []
    if steps.isEmpty {
      steps = begun
      warnings += steps.flatMap(\.warnings)
    }
  }

  /// Takes over the facts about rejected records.
  package mutating func adopt(rejects: [Reject], groups: [RejectGroup], files: [String]) {
    self.rejects = rejects
    rejectGroups = groups
    rejectFiles = files
  }

  /// Takes over the cost of the whole run.
  package mutating func adopt(durationSeconds: Double, peakMemoryBytes: Int) {
    self.durationSeconds = durationSeconds
    self.peakMemoryBytes = peakMemoryBytes
  }
}
