public import ArgumentParser
import Foundation
public import ImportPipeline
import ModelFiles

/// `seedbed export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes the objects of an entity as CSV, TSV or NDJSON.")

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup var model: ModelOptions

  @Option(help: "The entity.")
  var entity: String

  @Option(
    help: ArgumentHelp(
      "Columns, separated by commas: attributes, or paths such as parent.identifier; title=path names a column.",
      valueName: "list"))
  var columns: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Sort by these, separated by commas; -name sorts descending.", valueName: "list"))
  var order: String?

  @Option(
    help: ArgumentHelp("Where to write, - for standard output; .gz compresses.", valueName: "path"), completion: .file()
  )
  var output = "-"

  @Option(
    help: "csv, tsv or ndjson; by the output's name (.csv, .tsv, .tab, .ndjson, .jsonl) when not given, else csv.")
  var format: ExportStep.Format?

  @Flag(help: "Guard cells that a spreadsheet would run as a formula.")
  var safeForSpreadsheets = false

  @Flag(help: "Replace a file at the output's path that is no earlier export of these columns.")
  var force = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func run() throws {
    do {
      let rows = try StoreExport(
        storePath: store, model: try model.read(store: store).model, modelPath: model.model, entity: entity,
        columns: list(columns),
        order: list(order),
        output: output, format: format, safeForSpreadsheets: safeForSpreadsheets,
        replacesForeign: force
      ).run()
      if !quiet { Terminal.say("exported \(Format.grouped(rows)) \(entity)" + (output == "-" ? "" : " to \(output)")) }
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }

  private func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

extension ExportStep.Format: ExpressibleByArgument {}
