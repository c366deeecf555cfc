import ArgumentParser
import Foundation
import ImportEngine
import Logging
import Pipelines
import Platform
import Reports
import SeedFormats

/// The arguments of `seedbed run`.
struct RunInvocation {
  var pipeline: String
  var isDryRun = false
  var isJSON = false
  var isQuiet = false
  var showsStages = false
  var replacesForeign = false
  var allowsOutside = false
  /// The file for the JSON report; nil: none.
  var report: String?
  var jobs = Workers.processorCount
  var memory = ByteSize(bytes: MemoryBudget.standard.total)
  var strategy: StrategyOption?
  var maximumInput: ByteSize?
  var inflation = InflationOption(limit: .standard)
  var logFormat = LogFormat.text
  /// nil: errors, as JSON warnings too.
  var logLevel: Logger.Level?

  init(pipeline: String) { self.pipeline = pipeline }

  /// Reads a command line of `run` with a pipeline file and flags alone. The parser takes as long to make its tables of
  /// all options as a small run takes to write its store.
  /// - Parameter words: the words after `run`.
  /// - Returns: nil for any other line, right or wrong: the parser reads it.
  init?(plain words: ArraySlice<String>) {
    self.init(pipeline: "")
    for word in words {
      switch word {
      case "--dry-run": isDryRun = true
      case "--json": isJSON = true
      case "--quiet": isQuiet = true
      case "--verbose": showsStages = true
      case "--force": replacesForeign = true
      case "--allow-outside": allowsOutside = true
      default:
        guard pipeline.isEmpty, !word.hasPrefix("-") else { return nil }
        pipeline = word
      }
    }
    if pipeline.isEmpty { return nil }
  }

  func run() throws {
    MemoryTuning.prepareRun()
    var output = ReportOutput(
      begin: Date(), isJSON: isJSON, isQuiet: isQuiet, showsStages: showsStages, path: nil, logFormat: logFormat)
    let done = outcome(&output)
    let exitCode = done.failure?.kind.exitCode ?? (done.counts.rejected > 0 ? 1 : 0)
    let failure = done.failure.map { CommandFailure($0, store: pipeline, format: logFormat) }
    try output.finish(done, exitCode: exitCode, failure: failure)
    if let failure { throw failure }
    if exitCode != 0 { throw ExitCode(exitCode) }
  }

  /// Reads the pipeline and runs it.
  /// - Parameter output: gets the path of the report once nothing else is at it.
  private func outcome(_ output: inout ReportOutput) -> RunReport {
    do {
      try checkReportPlace(nil)
      output.path = report
      let file = try PipelineCheck.read(pipeline, allowsOutside: allowsOutside)
      // Until here a signal ends the process: it may wait for a pipeline file that is a FIFO, and has written nothing.
      let cancellation = Cancellation()
      let signals = Signals(cancelling: cancellation)
      defer { withExtendedLifetime(signals) {} }
      output.path = nil
      try checkReportPlace(file)
      output.path = report
      let progress = RunProgress()
      let line =
        !isQuiet && ProgressLine.isWanted(logFormat)
          && (logLevel ?? .error) >= .warning
        ? ProgressLine(progress, stepNames: file.imports.map(\.name)) : nil
      defer { line?.finish() }
      return PipelineRun(
        file, options: options, progress: progress, cancellation: cancellation,
        logger: EventLogHandler.logger(logFormat, level: logLevel ?? (logFormat == .json ? .warning : .error))
      ).reportingRun()
    } catch {
      return RunReport(failure: RunError(any: error, store: pipeline), pipeline: pipeline)
    }
  }

  private func checkReportPlace(_ file: PipelineFile?) throws(RunError) {
    guard let report else { return }
    try ReportPlace.check(report, pipelinePath: pipeline, pipeline: file, replacesForeign: replacesForeign)
  }

  private var options: PipelineRun.Options {
    var options = PipelineRun.Options()
    options.jobs = jobs
    options.isDryRun = isDryRun
    options.strategy = strategy?.step
    options.replacesForeign = replacesForeign
    options.memory = MemoryBudget(total: memory.bytes)
    options.maximumInputBytes = maximumInput?.bytes
    options.inflation = inflation.limit
    return options
  }
}
