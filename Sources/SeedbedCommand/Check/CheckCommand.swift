import ArgumentParser
import CoreDataLayout
import Foundation
import ImportEngine
import ModelFiles
import ObjectModel
import Pipelines
import StoreModels

/// `seedbed check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Will the app open it? Compares a store with a model and checks its integrity, or compares two models.",
    discussion: """
      Exit code 0 when an app with the model opens the store, 65 when not; facts about the data are warnings, which \
      --strict counts too. Of two models or versions: 0 when all version hashes are equal, 65 when not. Nothing is \
      changed. Without a model the store is compared with the one that it carries itself. A version of a model is named \
      as Shop.xcdatamodeld/Shop 2, or with --model-version. docs/CHECK.md lists what can be found, with what to do \
      about it.
      """)

  @Argument(help: "The store, or the first of two models.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("The model; the same as --model.", valueName: "model"), completion: .file())
  var other: String?

  @OptionGroup var model: ModelOptions

  @Flag(help: "Also require what a read-only app bundle needs: one file, no write-ahead log.")
  var bundle = false

  @Flag(help: "Also require that there is no warning about the data.")
  var strict = false

  @Flag(help: "Show differences of models that matter to no store one by one, such as class names and indexes.")
  var verbose = false

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    if other != nil, model.model != nil {
      throw ValidationError("the model is given twice, as an argument and as --model")
    }
    if ModelReader.isModel(path: store) {
      if let second = other ?? model.model, !ModelReader.isModel(path: second),
        StoreModel.isDatabase(path: second)
      {
        throw ValidationError("the store comes first: check \(second) \(store)")
      }
      guard other ?? model.model != nil else {
        throw ValidationError("\(store) is a model: give a store, or a second model to compare it with")
      }
      if bundle || strict { throw ValidationError("--bundle and --strict are for stores, and \(store) is a model") }
    }
  }

  func run() throws {
    let text: String
    let isFit: Bool
    do {
      if ModelReader.isModel(path: store), let second = other ?? model.model {
        let pair = try ModelPair(
          oldPath: store, newPath: second, newVersion: model.modelVersion, showsAll: verbose)
        (text, isFit) = (json ? pair.json : pair.text, pair.areEqual)
      } else {
        let result = try examine()
        (text, isFit) = (json ? result.json : result.text, result.isFit)
      }
    } catch {
      var failure = CommandFailure(error, store: store, format: log.logFormat)
      // 65 would be an answer.
      if failure.code == "store.not-a-store", StoreModel.isNoDatabase(path: store) { failure.exitCode = ExitCode(66) }
      if json { Terminal.print(CheckResult.json(of: RunError(any: error, store: store), failure)) }
      throw failure
    }
    Terminal.print(text)
    if !isFit { throw ExitCode(65) }
  }

  private func examine() throws -> CheckResult {
    let requirements = CheckResult.Requirements(bundle: bundle, strict: strict)
    guard let modelPath = other ?? model.model else {
      let own = try model.read(store: store)
      return CheckResult(
        report: try StoreChecker.check(path: store, model: own.model), modelFile: own, comparison: .ownModel,
        requirements: requirements, showsAll: verbose)
    }
    let expected = try StoreModel.readFile(path: modelPath, version: model.modelVersion)
    let comparison: CheckResult.Comparison
    do {
      comparison = try StoreModel.readCached(storePath: store).map { .cachedModel($0.model) } ?? .noCachedModel
    } catch let error as ModelError {
      comparison = .unreadableCachedModel(error.problems.first?.message ?? error.description)
    } catch {
      // A store that cannot be read at all is reported by its check.
      comparison = .unreadableCachedModel(RunError(any: error, store: store).message)
    }
    let search = (try? SourceVersion(storeAt: store)).map { VersionSearch(path: modelPath, $0) }
    let report = try StoreChecker.check(
      path: store, model: expected.model, storeModel: search?.file?.model ?? comparison.model)
    let verdict =
      report.isCompatible
      ? nil
      : MigrationVerdict(store: store, target: expected, modelPath: modelPath, version: model.modelVersion)
    return CheckResult(
      report: report, modelFile: expected, comparison: comparison, search: search, requirements: requirements,
      showsAll: verbose, verdict: verdict)
  }
}
