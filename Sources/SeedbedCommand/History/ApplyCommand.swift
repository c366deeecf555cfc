import ArgumentParser
import ChangeFiles
import Foundation
import Logging
import ModelFiles
import ObjectModel
import Pipelines

/// `seedbed apply`
struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Does to a store what was done to another one, as its history tells.",
    discussion: """
      CHANGES is what seedbed history STORE --since PLACE --json --values wrote. All of it is done in one transaction, or \
      nothing. In a copy of the changed store objects are known by their primary keys; in any other store by the values of a \
      uniqueness constraint, and entities without one cannot be applied there.
      """)

  @Argument(help: "The file of changes, or - for standard input.", completion: .file())
  var changes: String

  @Option(help: ArgumentHelp("The store that is to be changed.", valueName: "store"), completion: .file())
  var to: String

  @OptionGroup var model: ModelOptions

  @Option(
    help: ArgumentHelp("The author in the store's history; the author of the changes by default.", valueName: "name"))
  var author: String?

  @Flag(help: "Check and write everything, then undo it.")
  var dryRun = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func run() throws {
    do {
      let outcome = try ChangeApplication(
        changesPath: changes, storePath: to, model: try model.read(store: to).model, author: author
      ).run(isDryRun: dryRun)
      for warning in outcome.warnings { LogLine.say(warning, .warning, event: "apply.warning") }
      if quiet { return }
      LogLine.say(
        (dryRun ? "would have inserted " : "inserted ") + outcome.inserted.counted("object")
          + ", updated \(outcome.updated.grouped), deleted \(outcome.deleted.grouped)"
          + (outcome.unchanged > 0 ? "; \(outcome.unchanged.grouped) unchanged" : ""),
        event: "apply.ended")
    } catch {
      throw CommandFailure(error, store: to, format: log.logFormat)
    }
  }
}
