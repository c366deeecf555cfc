public import ArgumentParser
public import CoreDataLayout
import Exports
import Foundation
import ImportEngine
import ModelFiles
import ObjectModel
import Pipelines

/// `seedbed migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Brings a store to another version of its model, in place.",
    discussion: """
      The version that the store was made with is found among those of the model by its version hashes, or else in the \
      store itself. The change is inferred from the two models as Core Data infers it, and made by SQL in one \
      transaction: the store is the old one or the new one, whatever happens. What the data do not allow is told before \
      anything is changed. docs/MIGRATION.md says what can be inferred.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp("The app's model: an .xcdatamodeld, .xcdatamodel, .momd or .mom.", valueName: "path"),
    completion: .file())
  var model: String

  @Option(help: ArgumentHelp("The version to migrate to; the current one by default.", valueName: "version"))
  var to: String?

  @Flag(help: "Show what would be done, and change nothing.")
  var dryRun = false

  @Option(help: "What becomes of objects that are not unique any more: refuse, keep-first, keep-last or merge.")
  var duplicates = StoreMigration.DuplicatePolicy.refuse

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() throws {
    do {
      let target = try StoreModel.readFile(path: model, version: to, templatePath: store)
      let result = try migrate(to: target)
      Terminal.print(json ? result.json : result.text)
      // As the migration itself would end.
      if !result.obstacles.isEmpty { throw ExitCode(65) }
    } catch let code as ExitCode {
      throw code
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }

  private func migrate(to target: ModelFile) throws -> MigrateResult {
    let models = try MigrationModels(storePath: store, target: target, modelPath: model)
    var result = MigrateResult(store: store, target: target.versionName, isDryRun: dryRun)
    result.source = models.source.versionName
    guard !models.isUpToDate else { return result }
    var options = try models.options()
    options.duplicates = duplicates
    let (older, newer) = (models.source.model, models.target.model)
    if dryRun {
      result.plan = try StoreMigration.plan(storeAt: store, from: older, to: newer, options: options)
      result.duplicates = duplicates
    } else {
      let report = try StoreMigration.run(storeAt: store, from: older, to: newer, options: options)
      result.plan = report.plan
      result.report = report
    }
    return result
  }
}

extension StoreMigration.DuplicatePolicy: ExpressibleByArgument {}
