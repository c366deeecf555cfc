import ArgumentParser
import Foundation
import ImportPipeline

/// `seedbed schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Writes the JSON Schema of pipeline files, for editors.")

  func run() throws {
    Terminal.print(PipelineSchema.json().trimmingCharacters(in: .newlines))
  }
}
