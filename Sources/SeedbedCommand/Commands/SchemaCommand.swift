import ArgumentParser
import Foundation
import ImportEngine
import Pipelines
import Reports

/// `seedbed schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Writes the JSON Schema of pipeline files, for editors, or of the reports of runs."
  )

  @Flag(help: "Write the JSON Schema of the reports that run writes with --json and --report.")
  var report = false

  func run() throws {
    Terminal.print((report ? ReportSchema.json() : PipelineSchema.json()).trimmingCharacters(in: .newlines))
  }
}
