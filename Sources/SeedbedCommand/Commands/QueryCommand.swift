import ArgumentParser
import Exports
import Foundation
import ImportEngine
import ModelFiles
import ObjectModel
import Pipelines

/// `seedbed query`
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Shows objects of a store: as a table, CSV, TSV or NDJSON.",
    discussion: """
      The query is an entity, or an entity with a predicate in the format language of NSPredicate:

        seedbed query Shop.sqlite "Item WHERE price > 10 AND category.name == 'Tea'" --columns name,price --limit 20

      A table is for people: it shows NULL where there is no value, and cuts values after 60 characters. The other \
      formats have everything, as export writes it. Nothing is changed.
      """)

  /// How objects are shown.
  enum Form: String, CaseIterable, ExpressibleByArgument {
    case table, csv, tsv, ndjson

    var export: ExportStep.Format? { ExportStep.Format(rawValue: rawValue) }
  }

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("ENTITY, or ENTITY WHERE predicate.", valueName: "query"))
  var query: String

  @OptionGroup var model: ModelOptions

  @OptionGroup var shape: ColumnOptions

  @Option(help: ArgumentHelp("The most objects: the first ones in the order.", valueName: "count"))
  var limit: Int?

  @Option(help: "table, csv, tsv or ndjson.")
  var format = Form.table

  @Flag(
    help: "Show the statement, its plan and indexes that would help, instead of objects; with --format ndjson as JSON.")
  var explain = false

  @Flag(help: "Do not say how many objects there are.")
  var quiet = false

  @Flag(
    help: """
      Say on standard error how many objects there are as JSON, with what was asked of the store; `seedbed schema \
      --export` has its JSON Schema. The objects are JSON with --format ndjson.
      """)
  var json = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try LimitOption.check(limit)
    _ = try ObjectQuery(query)
  }

  func run() throws {
    let query = try ObjectQuery(query)
    do {
      let report = ObjectsReport(store: store, entity: query.entity, output: "-")
      let export = report.following(
        StoreExport(
          storePath: store, model: try model.read(store: store).model, modelPath: model.model, entity: query.entity,
          columns: ExportCommand.list(shape.columns), order: ExportCommand.list(shape.order), output: "-",
          format: format.export,
          safeForSpreadsheets: false, predicate: query.predicate, limit: limit))
      if explain {
        let explanation = try export.explanation()
        return Terminal.print(format == .ndjson ? explanation.json.text(isIndented: false) : explanation.text)
      }
      let rows = try format == .table ? export.table { Terminal.print($0) } : export.run()
      if json {
        report.write(rows: rows)
      } else if !quiet {
        LogLine.say("\(rows.grouped) \(query.entity)", event: "query.ended")
      }
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }
}

/// `ENTITY` or `ENTITY WHERE predicate`.
struct ObjectQuery {
  var entity: String
  var predicate: String?

  /// - Throws: `ValidationError` when the text is neither.
  init(_ text: String) throws {
    let words = text.split(maxSplits: 2, whereSeparator: \.isWhitespace)
    let form = "a query is ENTITY, or ENTITY WHERE predicate, as in \"Item WHERE price > 10\""
    guard let first = words.first else { throw ValidationError("the query is empty: \(form)") }
    entity = String(first)
    guard words.count > 1 else { return }
    // An entity may be called Select, but no SQL goes on with WHERE.
    if entity.lowercased() == "select", words[1].lowercased() != "where" {
      throw ValidationError("SQL is not understood: \(form)")
    }
    if let clause = Self.clause(in: words.dropFirst().joined(separator: " ")) { throw ValidationError(clause) }
    guard words[1].lowercased() == "where" else {
      throw ValidationError("\"\(words[1])\" stands where WHERE belongs: \(form)")
    }
    guard words.count > 2 else { throw ValidationError("nothing stands after WHERE: \(form)") }
    predicate = String(words[2])
  }

  /// The option for a clause that SQL writes after a query; nil where there is none.
  private static func clause(in text: String) -> String? {
    if let match = text.firstMatch(of: /(?i)(?:^|\s)ORDER\s+BY\s+([\w.]+)(\s+DESC)?\s*[^'"]*$/) {
      return "ORDER BY is no part of a query: use --order \(match.output.2 == nil ? "" : "-")\(match.output.1)"
    }
    if let match = text.firstMatch(of: /(?i)(?:^|\s)LIMIT\s+(\d+)\s*$/) {
      return "LIMIT is no part of a query: use --limit \(match.output.1)"
    }
    return nil
  }
}
