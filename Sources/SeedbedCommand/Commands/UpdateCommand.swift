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

  @OptionGroup var subject: BatchSubjectOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "ATTRIBUTE = EXPRESSION; may be given several times. The element of a composite by its path; NULL clears a composite as a whole.",
      valueName: "assignment"))
  var set: [String]

  @OptionGroup var model: ModelOptions

  @Flag(help: "Leave objects of sub-entities alone.")
  var withoutSubentities = false

  @OptionGroup var output: BatchOutputOptions

  func run() throws {
    do {
      let model = try model.read(store: subject.store).model
      var selection = try BatchRequestReading.selection(
        of: model.entity(named: subject.entity, code: "batch.entity"), where: subject.predicate)
      selection.includesSubentities = !withoutSubentities
      let update = try BatchRequestReading.update(selection, set: set)
      let run = BatchRequestRun(store: subject.store, model: model, author: "seedbed update", isDryRun: output.dryRun)
      let (outcome, work, warnings) = try run.perform(.update(update))
      let result = BatchRequestResult(
        store: subject.store, entity: subject.entity, isDryRun: output.dryRun, verb: "updated", outcome: outcome,
        work: work, warnings: warnings)
      result.print(asJSON: output.json)
    } catch StoreError.constraintConflict(let entity, let constraint, let message) {
      let error = RunError(
        .badData, code: "store.constraint",
        "several \(entity) would have the same \(constraint.joined(separator: ", ")) (\(message))",
        hint: "update fewer objects, or set values that stay unique")
      throw CommandFailure(error, store: subject.store, format: output.log.logFormat)
    } catch {
      throw CommandFailure(error, store: subject.store, format: output.log.logFormat)
    }
  }
}
