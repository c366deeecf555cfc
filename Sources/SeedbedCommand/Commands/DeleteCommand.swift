import ArgumentParser
import Foundation
import ModelFiles
import Pipelines
import StoreInterface

/// `seedbed delete`
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes objects of a store by predicate, and what the delete rules say of others.",
    discussion: """
      The objects are deleted where they are, in one transaction of SQLite's: relationships to them that have an inverse are nullified, cascades \
      are followed, files of external data go when it is committed. A deletion that a rule denies, or that would leave an \
      object without what it requires, changes nothing and names the objects.

        seedbed delete Shop.sqlite --entity Item --where "price == 0 AND orders.@count == 0" --dry-run

      docs/BATCH.md has the rules.
      """)

  @OptionGroup var subject: BatchSubjectOptions

  @OptionGroup var model: ModelOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What the limit goes by, separated by commas; -name sorts descending.", valueName: "list"))
  var order: String?

  @Option(
    help: ArgumentHelp("The most objects: the first ones in the order; cascades come on top.", valueName: "count"))
  var limit: Int?

  @OptionGroup var output: BatchOutputOptions

  func validate() throws { try LimitOption.check(limit) }

  func run() throws {
    do {
      let model = try model.read(store: subject.store).model
      let selection = try BatchRequestReading.selection(
        of: model.entity(named: subject.entity, code: "batch.entity"), where: subject.predicate,
        order: ExportCommand.list(order), limit: limit)
      let run = BatchRequestRun(store: subject.store, model: model, author: "seedbed delete", isDryRun: output.dryRun)
      let (outcome, work, warnings) = try run.perform(.delete(BatchDeletion(selection)))
      let result = BatchRequestResult(
        store: subject.store, entity: subject.entity, isDryRun: output.dryRun, verb: "deleted", outcome: outcome,
        work: work, warnings: warnings)
      result.print(asJSON: output.json)
    } catch {
      throw CommandFailure(error, store: subject.store, format: output.log.logFormat)
    }
  }
}
