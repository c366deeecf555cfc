import Foundation
import ImportEngine
import Logging
import Pipelines
import Reports
import ResultFiles

/// Where the report of a run goes: to standard output or standard error, and into a file.
struct ReportOutput {
  /// When the run began.
  var begin: Date
  var isJSON: Bool
  var isQuiet: Bool
  var showsStages: Bool
  /// The file of `--report`; nil where none is asked for, or its place is refused.
  var path: String?
  var logFormat: LogFormat

  /// Tells what the run did, and puts the report in its place.
  /// - Parameter failure: the run's own, which is reported where standard output cannot be written to.
  /// - Throws: `CommandFailure` where the report could not be written.
  func finish(_ report: RunReport, exitCode: Int32, failure: CommandFailure?) throws {
    let document =
      isJSON || path != nil
      ? ReportJSON.text(report, run: RunIdentity.text, exitCode: exitCode, begin: begin, end: Date()) : ""
    // Where an export goes to standard output, nothing else does.
    let writesData = report.exports.contains { $0.path == "-" }
    // The JSON report is data, which --quiet does not keep back.
    if isJSON {
      if writesData { Terminal.say(document) } else { Terminal.print(document, of: failure) }
    } else if report.failure == nil {
      if isQuiet {
        if report.counts.rejected > 0 { printRejects(report) }
      } else {
        let text = ReportText.text(report, showsStages: showsStages)
        if writesData { Terminal.say(text) } else { Terminal.print(text) }
      }
    } else if !isQuiet, logFormat == .text {
      // A warning may name the reason of the failure.
      for warning in report.warnings { LogLine.say(warning, .warning, event: "run.warning") }
    }
    guard let path else { return }
    do {
      try TextResults.write([(path: path, text: document + "\n")])
    } catch {
      var failure = CommandFailure(error, store: path, format: logFormat)
      failure.message = "the report could not be written: " + failure.message
      // The run's own failure is reported last, and gives the exit code.
      if report.failure != nil { return failure.report() }
      failure.hint = "the run's results are as they should be"
      throw failure
    }
  }

  /// The message about rejects with `--quiet`.
  private func printRejects(_ report: RunReport) {
    switch logFormat {
    case .text: Terminal.say(ReportText.rejectLine(report))
    case .json:
      Terminal.say(
        LogLine.json(
          .notice,
          [
            ("event", .string("rejects.total")), ("message", .string(ReportText.rejectLine(report))),
            ("count", .integer(report.counts.rejected)), ("read", .integer(report.counts.total)),
            ("files", .strings(report.rejectFiles)),
          ]))
    }
  }
}
