import Foundation
import ImportEngine
import ObjectModel
import Pipelines
import Reports

/// The report of a `run` whose command line is wrong, as far as the command line says where it goes.
struct UsageReport {
  private let arguments: [String]

  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - names: of all commands.
  /// - Returns: nil where the command is another.
  init?(arguments: [String], commands names: [String]) {
    guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
    guard word == "run" || (!names.contains(word) && Suggestion.nearest(to: word, among: names) == "run") else {
      return nil
    }
    self.arguments = Array(arguments.dropFirst().prefix { $0 != "--" })
  }

  /// Writes the report where one is asked for.
  /// - Parameters:
  ///   - message: what is wrong.
  ///   - begin: when the process began.
  func write(_ message: String, hint: String?, exitCode: Int32, begin: Date) {
    let isJSON = arguments.contains("--json")
    let path = value(of: "--report")
    guard isJSON || path != nil else { return }
    let pipeline = arguments.first { !$0.hasPrefix("-") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) } ?? ""
    let format = LogFormat.ofCommandLine
    let failure = RunError(.badPipeline, code: "usage", message, hint: hint)
    var output = ReportOutput(
      begin: begin, isJSON: isJSON, isQuiet: true, showsStages: false, path: nil, logFormat: format)
    do {
      if let path, path != "-", !path.isEmpty, !path.hasSuffix("/") {
        try ReportPlace.check(
          path, pipelinePath: pipeline, pipeline: nil, replacesForeign: arguments.contains("--force"))
        output.path = path
      }
    } catch {
      // The mistake in the command line is still reported, and first.
      CommandFailure(error, store: path ?? "", format: format).report()
    }
    // The run has failed, so that finishing only reports.
    try? output.finish(RunReport(failure: failure, pipeline: pipeline), exitCode: exitCode, failure: nil)
  }

  private func value(of option: String) -> String? {
    if let joined = arguments.last(where: { $0.hasPrefix(option + "=") }) {
      return String(joined.dropFirst(option.count + 1))
    }
    guard let index = arguments.lastIndex(of: option), index + 1 < arguments.count,
      !arguments[index + 1].hasPrefix("-")
    else { return nil }
    return arguments[index + 1]
  }
}
