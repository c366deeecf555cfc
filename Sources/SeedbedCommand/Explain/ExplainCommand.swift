import ArgumentParser
import Foundation
import ImportEngine
import Pipelines

/// `seedbed explain`
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Shows what a run of a pipeline would look up in its store, how, and which indexes would help.",
    discussion: """
      Every lookup of a key, every fetch of objects, of members and of exports, with its SQL and SQLite's plan, in which an \
      arrow marks what looks at every row of a table or sorts in a temporary b-tree. Where the sqlite3 shell is installed, \
      indexes that would help are tried in a copy of the store, and shown as the model has them.

      The store that is there is asked, or the seed store; where there is none, an empty one of the model, in a temporary \
      folder. Nothing is imported, and nothing is changed.
      """)

  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Flag(help: "Write the explanation as JSON.")
  var json = false

  @Flag(help: "Let the pipeline name files outside its project.")
  var allowOutside = false

  @OptionGroup var log: LogOptions

  func run() throws {
    do {
      let file = try PipelineCheck.read(pipeline, allowsOutside: allowOutside)
      let explanation = try PipelineExplainer.explanation(of: file)
      Terminal.print(json ? explanation.json.text(isIndented: true) : explanation.text)
    } catch {
      throw CommandFailure(error, store: pipeline, format: log.logFormat)
    }
  }
}
