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
      throw CommandFailure(Self.runError(error), store: store, format: log.logFormat)
    }
  }

  private func migrate(to target: ModelFile) throws -> MigrateResult {
    let hashes = try StoreMetadata.read(path: store).entityVersionHashesByName
    var result = MigrateResult(store: store, target: target.versionName, isDryRun: dryRun)
    if target.model.compareVersionHashes(with: hashes).isCompatible {
      result.source = target.versionName
      return result
    }
    let origin = try source(hashes, target)
    result.source = origin.versionName
    var options = StoreMigration.Options()
    options.duplicates = duplicates
    options.modelCache = try StoreModel.cacheContent(of: target)
    if dryRun {
      result.plan = try StoreMigration.plan(
        storeAt: store, from: origin.model, to: target.model, options: options)
      result.duplicates = duplicates
    } else {
      let report = try StoreMigration.run(storeAt: store, from: origin.model, to: target.model, options: options)
      result.plan = report.plan
      result.report = report
    }
    return result
  }

  /// The model that the store was made with.
  private func source(_ hashes: [String: Data], _ target: ModelFile) throws -> ModelFile {
    if let known = VersionSearch(path: model, hashes: hashes).file { return known }
    let cached = try? StoreModel.readCached(storePath: store)
    guard let cached, cached.model.compareVersionHashes(with: hashes).isCompatible else {
      throw RunError(
        .badPipeline, code: "migration.source",
        "\(store) was made with none of the versions of \(model), and carries no model that fits it",
        hint: "give the model of the app that made the store; seedbed inspect \(store) shows its version hashes")
    }
    // What the model does not know may be what a newer version has: nothing of it is dropped.
    let migration = cached.model.lightweightMigration(to: target.model)
    guard migration.losses.isEmpty else {
      throw RunError(
        .badPipeline, code: "migration.newer",
        "\(store) was made with a version that \(model) does not have, perhaps a newer one: "
          + migration.losses.map(\.description).joined(separator: "; "),
        hint: "give the newest version of the app's model")
    }
    return cached
  }

  private static func runError(_ error: any Error) -> any Error {
    switch error {
    case let error as StoreMigrationError:
      let message = error.errorDescription ?? error.description
      if case .conditions = error {
        return RunError(
          .badData, code: "migration.conditions", message,
          hint: "see --duplicates for values that are there more than once; other data must be mended first")
      }
      return RunError(.badPipeline, code: "migration.source", message, hint: error.recoverySuggestion)
    case let error as MappingInferenceError:
      return RunError(
        .badPipeline, code: "migration.not-inferred", error.description, hint: error.recoverySuggestion)
    default: return error
    }
  }
}

extension StoreMigration.DuplicatePolicy: ExpressibleByArgument {}
