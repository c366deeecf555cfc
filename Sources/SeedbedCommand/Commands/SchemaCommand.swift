import ArgumentParser
import Foundation
import ImportEngine
import Pipelines
import Reports

/// `seedbed schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Writes the JSON Schema of pipeline files, for editors, or of reports."
  )

  /// The subject of the schema.
  enum Subject: String, EnumerableFlag {
    case report, export, migration

    static func help(for subject: Subject) -> ArgumentHelp? {
      switch subject {
      case .report: "Write the JSON Schema of the reports that run writes with --json and --report."
      case .export: "Write the JSON Schema of the reports that export and query write with --json."
      case .migration: "Write the JSON Schema of the reports that migrate writes with --json."
      }
    }
  }

  @Flag var subject: Subject?

  func run() throws {
    let schema =
      switch subject {
      case nil: PipelineSchema.json()
      case .report: ReportSchema.json()
      case .export: ReportSchema.exports()
      case .migration: ReportSchema.migrations()
      }
    Terminal.print(schema.trimmingCharacters(in: .newlines))
  }
}
