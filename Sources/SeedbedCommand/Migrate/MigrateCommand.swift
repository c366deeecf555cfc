public import ArgumentParser
public import CoreDataLayout
import Exports
import Foundation
import ImportEngine
import Migration
import ModelFiles
import ObjectModel
import Pipelines
import StoreInterface

/// `seedbed migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Brings a store to another version of its model, in place.",
    discussion: """
      The version that the store was made with is found among those of the model by its version hashes, or else in the \
      store itself. The change is inferred from the two models as Core Data infers it, and made by SQL in one \
      transaction: the store is the old one or the new one, whatever happens. What the data do not allow is told before \
      anything is changed. docs/MIGRATION.md says what can be inferred.

      Mapping models beside the model, or given with --mapping, are carried out where they are for the versions; and where \
      nothing leads from one version to the other at once, the steps through versions between them are taken.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp("The app's model: an .xcdatamodeld, .xcdatamodel, .momd or .mom.", valueName: "path"),
    completion: .file())
  var model: String

  @Option(help: ArgumentHelp("The version to migrate to; the current one by default.", valueName: "version"))
  var to: String?

  @Option(
    help: ArgumentHelp(
      "A mapping model, an .xcmappingmodel or .cdm; may be given several times. Those in the model's folder by default.",
      valueName: "path"),
    completion: .file())
  var mapping: [String] = []

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
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }

  private func migrate(to target: ModelFile) throws -> MigrateResult {
    let models = try MigrationModels(storePath: store, target: target, modelPath: model)
    var result = MigrateResult(store: store, target: target.versionName, isDryRun: dryRun)
    result.source = models.source.versionName
    guard !models.isUpToDate else { return result }
    if let steps = try MigrationSteps(models, store: store, modelPath: model, mappings: mapping) {
      result.chain = steps.chain
      guard !dryRun else { return result }
      guard duplicates == .refuse else {
        throw CommandFailure(
          usage: "--duplicates is for a migration in one inferred step, and this one has others",
          hint: "migrate to the version before the constraint first, with --to")
      }
      try steps.carryOut()
      result.isMigrated = true
      return result
    }
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
      result.isMigrated = true
    }
    return result
  }
}

extension StoreMigration.DuplicatePolicy: ExpressibleByArgument {}
