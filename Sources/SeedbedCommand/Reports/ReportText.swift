import Foundation
import ImportEngine
import ObjectModel
import Pipelines
import Reports

/// The report of a run for people.
enum ReportText {
  /// - Parameter showsStages: also where the time went.
  static func text(_ report: RunReport, showsStages: Bool) -> String {
    var lines: [String] = []
    let path = FilePath.shown(report.storePath)
    switch report.result {
    case .built: lines.append(Terminal.bold("Built \(path)") + " · " + summary(report))
    case .updated: lines.append(Terminal.bold("Updated \(path)") + " · " + summary(report))
    case .unchanged: lines.append(Terminal.bold("Unchanged \(path)") + " · nothing was new · " + summary(report))
    case .failed: lines.append(Terminal.bold("Failed: \(path) was left as it was") + " · " + summary(report))
    case .dryRun: lines.append(Terminal.bold("Dry run: \(path) was left alone") + " · " + summary(report))
    case .upToDate: return upToDate(report)
    }
    lines += report.warnings.map { "warning: \(HarmlessText.of($0))" }
    lines.append("")
    lines += table(report)
    for step in report.steps where step.nestedInserted + step.nestedUpdated + step.nestedDeleted > 0 {
      lines.append(
        "\(step.name): nested objects \(step.nestedInserted.grouped) inserted, "
          + "\(step.nestedUpdated.grouped) updated"
          + (step.nestedDeleted > 0 ? ", \(step.nestedDeleted.grouped) deleted" : ""))
    }
    if report.ownersUpdated > 0 {
      lines.append(
        "owners updated: \(report.ownersUpdated.grouped) "
          + "(objects that no record changed, with other members than before)")
    }
    if showsStages { lines += [""] + stages(report) }
    lines.append("")
    for step in report.steps { lines.append("\(step.name): strategy \(step.strategy.rawValue), \(step.reason)") }
    for step in report.steps { lines += step.notes.map { "\(step.name): \($0.text)" } }
    lines += exports(report)
    if report.expectations > 0 {
      lines.append("met \(report.expectations.counted("expectation"))")
    }
    lines += rejects(report)
    if [.built, .updated, .unchanged].contains(report.result) {
      let model = report.modelPath.isEmpty ? "" : " --model " + FilePath.quoted(FilePath.shown(report.modelPath))
      lines += ["", "Look at it:", "  \(Terminal.commandName) inspect \(FilePath.quoted(path))\(model)"]
      if let entity = report.steps.first?.entity {
        lines.append("  \(Terminal.commandName) query \(FilePath.quoted(path)) \(entity) --limit 10\(model)")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func upToDate(_ report: RunReport) -> String {
    let path = FilePath.shown(report.storePath)
    let lines = [
      Terminal.bold("Unchanged \(path)")
        + " · it is up to date: neither the pipeline, the model nor a source has changed"
    ]
    return (lines + report.warnings.map { "warning: \(HarmlessText.of($0))" } + exports(report))
      .joined(separator: "\n")
  }

  private static func exports(_ report: RunReport) -> [String] {
    report.exports.map { export in
      let verb = report.result == .dryRun ? "would export" : "exported"
      return "\(verb) \(export.rows.grouped) \(export.entity) to \(FilePath.shown(export.path))"
    }
  }

  private static func summary(_ report: RunReport) -> String {
    let external = report.externalFiles.count
    return [
      report.storeBytes.byteCountText
        + (external > 0 ? " with \(external.counted("file")) of external data" : ""),
      ReadableText.seconds(report.durationSeconds),
      "peak memory \(report.peakMemoryBytes.byteCountText)",
    ].joined(separator: " · ")
  }

  private static func table(_ report: RunReport) -> [String] {
    let titles = ["step", "source", "read"] + Outcome.allCases.map(\.rawValue) + ["time"]
    var rows = report.steps.map { step in
      [step.name, (step.source as NSString).lastPathComponent, step.counts.total.grouped]
        + Outcome.allCases.map { step.counts[$0].grouped } + [ReadableText.seconds(step.durationSeconds)]
    }
    if rows.count != 1 {
      rows.append(
        ["total", "", report.counts.total.grouped]
          + Outcome.allCases.map { report.counts[$0].grouped } + [ReadableText.seconds(report.durationSeconds)])
    }
    return TextTable.lines(titles: titles, rows: rows, leftAligned: [0, 1])
  }

  /// The time of all workers of a stage together; the stage that is busy while the others wait is the one that matters.
  ///
  /// Allocations are shown where they are counted. A stage that has no rows of its own is set against the records read.
  private static func stages(_ report: RunReport) -> [String] {
    var titles = ["step", "stage", "workers", "busy", "waiting for input", "for output", "rows", "bytes"]
    if report.allocations != nil { titles += ["allocations", "per row"] }
    let all =
      report.steps.flatMap { step in step.stages.map { (step.name, $0, step.counts.total) } }
      + report.stages.map { ("", $0, report.counts.total) }
    let rows = all.map { name, stage, records in
      var row = [
        name, stage.stage.rawValue, stage.workers.grouped, ReadableText.seconds(stage.busySeconds),
        ReadableText.seconds(stage.inputWaitSeconds), ReadableText.seconds(stage.outputWaitSeconds),
        stage.rows > 0 ? stage.rows.grouped : "", stage.bytes > 0 ? stage.bytes.byteCountText : "",
      ]
      if report.allocations != nil {
        row += allocations(stage.allocations ?? 0, rows: stage.rows > 0 ? stage.rows : records)
      }
      return row
    }
    var lines = TextTable.lines(titles: titles, rows: rows, leftAligned: [0, 1])
    for step in report.steps where step.readings > 1 {
      lines.append("\(step.name): the source was read \(step.readings.counted("time"))")
    }
    if let count = report.allocations {
      let perRow = allocations(count, rows: report.counts.total)
      lines.append("allocations of all threads: \(perRow[0]), per record read: \(perRow[1])")
    }
    return lines
  }

  private static func allocations(_ count: Int, rows: Int) -> [String] {
    [count.grouped, rows > 0 ? ReadableText.fixed(Double(count) / Double(rows), 4) : ""]
  }

  private static func rejects(_ report: RunReport) -> [String] {
    guard report.counts.rejected > 0 else { return [] }
    var lines = ["", "Rejected \(report.counts.rejected.grouped):"]
    for group in report.rejectGroups {
      let count = group.count > 1 ? "\(group.count.grouped) × " : ""
      lines.append(
        "  \(count)\(group.code), \(HarmlessText.of(group.subject))" + (group.count > 1 ? ", the first:" : ":"))
      lines.append("    " + group.first.text.replacingOccurrences(of: "\n", with: "\n    "))
    }
    for file in report.rejectFiles { lines.append("  written to \(FilePath.shown(file))") }
    return lines
  }

  /// The message about rejects with `--quiet`.
  static func rejectLine(_ report: RunReport) -> String {
    let files = report.rejectFiles.map { FilePath.shown($0) }.joined(separator: ", ")
    return "rejected \(report.counts.rejected.grouped) of "
      + report.counts.total.counted("record") + (files.isEmpty ? "" : ": \(files)")
  }
}
