import ArgumentParser
import Foundation
import ImportPipeline
import ModelFiles
import ObjectModel
import SQLiteStore

/// `seedbed check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Will the app open it? Compares a store with a model and checks its integrity.",
    discussion: """
      Exit code 0 when the store is fit, 65 when it is not. Nothing is changed. Without --model the store is compared \
      with the model that it carries itself. docs/CHECK.md lists what can be found, with what to do about it.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup var model: ModelOptions

  @Flag(help: "Also require what a read-only app bundle needs: one file, no write-ahead log.")
  var bundle = false

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() throws {
    let result: CheckResult
    do {
      result = try examine()
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
    Terminal.print(json ? result.json : result.text)
    if !result.isFit { throw ExitCode(65) }
  }

  private func examine() throws -> CheckResult {
    guard model.model != nil else {
      let own = try model.read(store: store)
      return CheckResult(
        report: try StoreChecker.check(path: store, model: own.model), modelFile: own, comparison: .ownModel,
        requiresBundle: bundle)
    }
    let expected = try model.read(store: store)
    let comparison: CheckResult.Comparison
    do {
      comparison = try StoreModel.readCached(storePath: store).map { .cachedModel($0.model) } ?? .noCachedModel
    } catch let error as ModelError {
      comparison = .unreadableCachedModel(error.problems.first?.message ?? error.description)
    } catch {
      // Where the store as a whole cannot be read, its check says so.
      comparison = .unreadableCachedModel(RunError(any: error, store: store).message)
    }
    let report = try StoreChecker.check(path: store, model: expected.model, storeModel: comparison.model)
    return CheckResult(report: report, modelFile: expected, comparison: comparison, requiresBundle: bundle)
  }
}
