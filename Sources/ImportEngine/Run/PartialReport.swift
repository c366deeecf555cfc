import ObjectModel
public import Pipelines
import Platform
public import Reports

/// What a run has done so far, so that a run that fails can report it. Used by the run's thread.
final class PartialReport {
  /// The report as far as it is filled in.
  var report: RunReport?
  /// The import steps that have begun.
  var steps: [StepRun] = []
  var rejects: RejectCollector?
}

extension PipelineRun {
  /// Runs the pipeline, and reports also where that fails.
  /// - Returns: what was done; `failure` says why the run ended without its result, and counts are those up to then.
  public func reportingRun() -> RunReport {
    let start = ContinuousClock.now
    do {
      return try run()
    } catch {
      var report =
        partialReport.report ?? RunReport(failure: error, pipeline: pipeline.path, storePath: pipeline.store.path)
      report.adopt(failure: error, begun: partialReport.steps.map(\.report))
      logWarnings(report)
      if let rejects = partialReport.rejects { report.addRejects(of: rejects) }
      report.adopt(durationSeconds: (ContinuousClock.now - start) / .seconds(1), peakMemoryBytes: PeakMemory.bytes)
      return report
    }
  }

  /// A step without match keys makes new objects of records that an earlier import has brought.
  func repetitionWarning(_ plan: StepPlan, _ session: ImportSession) -> String? {
    guard pipeline.store.replace == .never, plan.step.match.isEmpty, plan.step.strategy != .restore,
      !session.wasEmpty(plan.root.entity.root)
    else { return nil }
    return
      "step \(plan.step.name) has no match keys, and the store has objects of \(plan.root.entity.root.name) already: every "
      + "record becomes a new object, each time the pipeline runs; name the properties that identify one in match:"
  }
}

extension RunReport {
  /// The report of a run that could not begin.
  public init(failure: RunError, pipeline: String, storePath: String = "") {
    self.init(result: .failed, pipeline: pipeline, storePath: storePath)
    adopt(failure: failure, begun: [])
    adopt(durationSeconds: 0, peakMemoryBytes: PeakMemory.bytes)
  }

  /// Takes over what is known of rejected records.
  mutating func addRejects(of collector: RejectCollector) {
    adopt(rejects: collector.shown, groups: collector.groups, files: collector.paths)
  }
}
