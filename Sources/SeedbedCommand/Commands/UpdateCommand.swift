import ArgumentParser
import Foundation
import ModelFiles
import Pipelines
import StoreInterface

/// `seedbed update`
struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Gives attributes of a store's objects new values, chosen by predicate.",
    discussion: """
      The objects are updated where they are, in one transaction of SQLite's. A value is an expression in the format \
      language of NSPredicate over the object as it was: a constant, NULL, or something such as \
      "TERNARY(price > 10, price * 0.9, price)". Objects that have their new values already are left alone. A value that \
      breaks a rule of the model changes nothing and names the objects.

        seedbed update Shop.sqlite --entity Item --where "category.name == 'Tea'" --set "price = price * 0.9" --dry-run

      docs/BATCH.md has the rules.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: "The entity; objects of its sub-entities count.")
  var entity: String

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Which objects: a predicate in the format language of NSPredicate; TRUEPREDICATE for all.", valueName: "predicate"
    ))
  var predicate: String

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "ATTRIBUTE = EXPRESSION; may be given several times. The element of a composite by its path.",
      valueName: "assignment"))
  var set: [String]

  @OptionGroup var model: ModelOptions

  @Flag(help: "Leave objects of sub-entities alone.")
  var withoutSubentities = false

  @Flag(help: "Do it in a transaction that is undone, and say what would change.")
  var dryRun = false

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() throws {
    do {
      let model = try model.read(store: store).model
      var selection = try BatchReading.selection(of: BatchReading.entity(entity, in: model), where: predicate)
      selection.includesSubentities = !withoutSubentities
      let update = try BatchReading.update(selection, set: set)
      let run = BatchRun(store: store, model: model, author: "seedbed update", isDryRun: dryRun)
      let (outcome, work) = try run.perform(.update(update))
      let result = BatchRunResult(
        store: store, entity: entity, isDryRun: dryRun, verb: "updated", outcome: outcome, work: work)
      Terminal.print(json ? result.json : result.text)
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }
}
