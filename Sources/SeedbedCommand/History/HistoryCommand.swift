public import ArgumentParser
import ChangeFiles
public import Exports
import Foundation
import ImportEngine
import Logging
import ModelFiles
import ObjectModel

/// `seedbed history`
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Shows what was saved to a store that keeps persistent history.",
    discussion: """
      Every transaction with its number, time, author and context, and what it changed. The last line on standard error has a \
      token: --since takes it to show what was saved after that, as it takes the number of a transaction or a date. With \
      --json each transaction is one object on a line of its own.

      --delete-before deletes the transactions before a place instead. Programs that ask for history from an earlier place \
      are told that it is gone.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup var model: ModelOptions

  @Option(help: ArgumentHelp("Show what was saved after a token, a transaction or a date.", valueName: "place"))
  var since: HistoryStart?

  @Option(help: ArgumentHelp("Show changes of this entity alone; may be given several times.", valueName: "name"))
  var entity: [String] = []

  @Option(
    help: ArgumentHelp("Show updates of this property alone; may be given several times.", valueName: "name"))
  var property: [String] = []

  @Option(help: ArgumentHelp("Show transactions of this author alone; may be given several times.", valueName: "name"))
  var author: [String] = []

  @Option(help: ArgumentHelp("The most transactions: the first ones.", valueName: "count"))
  var limit: Int?

  @Flag(help: "Write each transaction as JSON on a line of its own.")
  var json = false

  @Flag(
    help: "With --json: write what became of each object, with its values, for seedbed apply.")
  var values = false

  @Option(
    help: ArgumentHelp("Delete the transactions before a token's, a transaction or a date.", valueName: "place"))
  var deleteBefore: HistoryStart?

  @Flag(help: "Say nothing but errors on standard error.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try LimitOption.check(limit)
    if deleteBefore != nil, since != nil || limit != nil || json || !(entity + property + author).isEmpty {
      throw ValidationError("--delete-before deletes all transactions before a place, and shows none")
    }
    if values, !json { throw ValidationError("--values is for --json") }
    if values, limit != nil || deleteBefore != nil || !(entity + property + author).isEmpty {
      throw ValidationError(
        "--values writes everything since a place: what is left out would be missing where it is applied")
    }
  }

  func run() throws {
    do {
      var history = StoreHistory(storePath: store, model: try model.read(store: store).model)
      let isQuiet = quiet
      history.onGap = { if !isQuiet { LogLine.say($0, .warning, event: "history.gap") } }
      if let deleteBefore {
        let count = try history.delete(before: deleteBefore)
        if !quiet {
          LogLine.say("deleted \(count.counted("transaction"))", event: "history.deleted")
        }
        return
      }
      if values {
        let (objects, token) = try history.writeChanges(since: since) { Terminal.print($0) }
        if !quiet {
          LogLine.say(
            "\(objects.counted("object")); what comes later: --since \(token)",
            event: "history.ended")
        }
        return
      }
      var filter = StoreHistory.Filter()
      filter.entities = entity
      filter.properties = property
      filter.authors = author
      var count = 0
      let token = try history.read(from: since, filter, limit: limit) { transaction in
        count += 1
        Terminal.print(json ? HistoryText.json(transaction) : HistoryText.text(transaction))
      }
      if !quiet {
        LogLine.say(
          "\(count.counted("transaction")); what comes later: --since \(token)",
          event: "history.ended")
      }
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }
}

extension HistoryStart: ExpressibleByArgument {
  /// Reads an argument as `init(_:)` reads a text.
  public init?(argument: String) { self.init(argument) }
}
