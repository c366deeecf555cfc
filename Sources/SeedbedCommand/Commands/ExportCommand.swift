public import ArgumentParser
import Exports
import Foundation
import ImportEngine
import Logging
import ModelFiles
import ObjectModel
import Pipelines
import ResultFiles

/// `seedbed export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes the objects of an entity as CSV, TSV or NDJSON.")

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup var model: ModelOptions

  @Option(help: "The entity.")
  var entity: String

  @OptionGroup var shape: ColumnOptions

  @Option(
    help: ArgumentHelp("Where to write, - for standard output; .gz compresses.", valueName: "path"), completion: .file()
  )
  var output = "-"

  @Option(
    help: "csv, tsv or ndjson; by the output's name (.csv, .tsv, .tab, .ndjson, .jsonl) when not given, else csv.")
  var format: ExportStep.Format?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only objects for which this holds, in the format language of NSPredicate: \"price > 10 AND name CONTAINS[c] 'tea'\".",
      valueName: "predicate"))
  var predicate: String?

  @Option(help: ArgumentHelp("The most objects: the first ones in the order.", valueName: "count"))
  var limit: Int?

  @Option(
    help: ArgumentHelp("CSV: one ASCII character between the fields, or tab.", valueName: "character"),
    transform: DelimiterOption.init(reading:))
  var delimiter: DelimiterOption?

  @Flag(help: "CSV: begin with a byte order mark, by which Excel knows that the text is UTF-8.")
  var bom = false

  @Flag(help: "Guard cells that a spreadsheet would run as a formula.")
  var safeForSpreadsheets = false

  @Option(
    help: ArgumentHelp(
      "Only objects that were inserted or updated since a token, a transaction or a date, as the store's history tells.",
      valueName: "place"))
  var changedSince: HistoryStart?

  @Option(
    help: ArgumentHelp(
      "With --changed-since: where to write the objects that were deleted, as NDJSON.", valueName: "path"),
    completion: .file())
  var deleted: String?

  @Flag(help: "Replace a file at the output's path that is no earlier export of these columns.")
  var force = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @Flag(
    help: """
      Say what was done as JSON, also with --quiet: on standard output, or on standard error where standard output has the \
      objects; `seedbed schema --export` has its JSON Schema.
      """)
  var json = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try LimitOption.check(limit)
    try ResultName.check(output, "--output")
    try ResultName.check(deleted, "--deleted")
    if deleted != nil, changedSince == nil { throw ValidationError("--deleted is for --changed-since") }
    if deleted == "-" { throw ValidationError("--deleted takes the path of a file") }
    let format = format ?? FilePath.ending(output).flatMap { ExportStep.Format.byEnding[$0] }
    if format == .ndjson, delimiter != nil || bom || safeForSpreadsheets {
      throw ValidationError("--delimiter, --bom and --safe-for-spreadsheets are for CSV, not for ndjson")
    }
    if format == .tsv, let delimiter, delimiter.byte != UInt8(ascii: "\t") {
      throw ValidationError("tsv has tabs between the fields: use --format csv with another --delimiter")
    }
  }

  func run() throws {
    do {
      let report = ObjectsReport(store: store, entity: entity, output: output)
      var export = report.following(
        StoreExport(
          storePath: store, model: try model.read(store: store).model, modelPath: model.model, entity: entity,
          columns: Self.list(shape.columns),
          order: Self.list(shape.order),
          output: output, format: format, safeForSpreadsheets: safeForSpreadsheets,
          replacesForeign: force, predicate: predicate, limit: limit, delimiter: delimiter?.byte, hasByteOrderMark: bom,
          deletionsPath: deleted
        ))
      let place = output == "-" ? "" : " to \(output)"
      guard let changedSince else {
        let rows = try export.run()
        if json {
          report.write(rows: rows)
        } else if !quiet {
          LogLine.say("exported \(rows.grouped) \(entity)\(place)", event: "export.ended")
        }
        return
      }
      export.deletionsText = { deletions in
        deletions.map { HistoryText.json($0).text(isIndented: false) + "\n" }.joined()
      }
      let changed = try export.run(changedSince: changedSince)
      if let gap = changed.gap, !quiet { LogLine.say(gap, .warning, event: "history.gap") }
      if json {
        report.write(rows: changed.rows, changes: changed)
      } else if !quiet {
        LogLine.say(
          "exported \(changed.rows.grouped) \(entity) that changed\(place); "
            + "\(changed.deletions.count.grouped) deleted; what comes later: --changed-since \(changed.token)",
          event: "export.ended")
      }
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }

  /// The parts of a list with commas.
  static func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

extension ExportStep.Format: ExpressibleByArgument {}

/// What stands between the fields of CSV, as an argument: `;`, `tab`, `\t`. No sign that numbers and booleans have.
struct DelimiterOption {
  var byte: UInt8

  /// - Throws: why the argument cannot be a delimiter.
  init(reading argument: String) throws {
    if argument == "tab" || argument == "\\t" {
      byte = UInt8(ascii: "\t")
      return
    }
    guard let byte = argument.utf8.first, argument.utf8.count == 1, ExportStep.canDelimit(byte) else {
      throw ValidationError(
        "give one ASCII sign that no number has, such as ';', or tab: no letter, no digit, no quote, none of . + -")
    }
    self.byte = byte
  }
}
