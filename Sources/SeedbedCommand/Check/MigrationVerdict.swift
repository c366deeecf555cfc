import Foundation
import ImportEngine
import Migration
import ModelFiles
import Pipelines
import SQLMigration
import StoreModels

/// What `seedbed migrate` would do with a store, by the search and the tests of the data that it begins with itself.
struct MigrationVerdict {
  /// The steps; nil for one inferred step in the store itself, and where there is no way.
  private(set) var chain: MigrationChain?
  /// The obstacles in the data, as far as they are known before the first step.
  private(set) var conditions: [MigrationCondition] = []
  /// Objects outside the model that one step would drop or break.
  private(set) var foreign = ForeignObjectChanges()
  /// Mapping models that would not be used.
  private(set) var warnings: [String] = []
  /// The error that it would end with before it looks at the data.
  private(set) var refusal: RunError?
  private let command: String

  /// - Parameter version: name of the version that was asked for; nil for the current one.
  init(store: String, target: ModelFile, modelPath: String, version: String?) {
    command = SuggestedCommand.migrate(store: store, model: modelPath, version: version)
    do {
      let models = try MigrationModels(storePath: store, target: target, modelPath: modelPath)
      let steps = try MigrationSteps(models, store: store, modelPath: modelPath, isNamed: version != nil)
      warnings = [models.doubt].compactMap { $0 } + steps.warnings
      chain = steps.chain
      if let outlook = try steps.outlook() {
        conditions = outlook.conditions.flatMap { $0 }
      } else {
        // Called only because it throws where a migration would.
        _ = try models.options()
        let plan = try StoreMigration.plan(storeAt: store, from: models.source.model, to: models.target.model)
        (conditions, foreign) = (plan.conditions, plan.foreign)
      }
    } catch {
      refusal = RunError(any: error, store: store)
    }
  }

  /// The exit code of `seedbed migrate --dry-run`.
  var exitCode: Int32 { refusal?.kind.exitCode ?? (conditions.isEmpty ? 0 : 65) }

  /// The command that migrates the store; nil where none can.
  var suggestion: String? {
    guard refusal == nil else { return nil }
    if conditions.isEmpty { return command }
    // Duplicates alone are no obstacle when a policy resolves them.
    return conditions.allSatisfy { $0.kind == .duplicateKeys } ? command + " --duplicates POLICY" : nil
  }

  /// The verdict as lines of text, for people.
  var lines: [String] {
    if let refusal {
      return ["seedbed migrate would refuse it: \(refusal.message)"] + (refusal.hint.map { ["  hint: \($0)"] } ?? [])
        + [""]
    }
    var lines = warnings.map { "warning: \($0)" }
    if let chain {
      lines.append("seedbed migrate takes \(chain.steps.count == 1 ? "this step" : "these steps"):")
      lines += chain.description.split(separator: "\n").map { "  \($0)" }
    }
    lines += foreign.lostTexts.map { "lost: \($0)" }
    lines += conditions.map { "in the way: \($0)" }
    if let suggestion {
      let policies = StoreMigration.DuplicatePolicy.allCases.filter { $0 != .refuse }.map(\.rawValue)
      let remark = conditions.isEmpty ? "" : ", where POLICY is one of \(policies.joined(separator: ", "))"
      lines.append("To migrate it: \(suggestion)\(remark)")
    }
    return lines.isEmpty ? [] : lines + [""]
  }

  /// The verdict as JSON, for programs.
  var json: JSONValue {
    let steps = chain?.steps.map { JSONValue.object($0.jsonMembers + [("losses", .strings($0.lostTexts))]) }
    return .object([
      ("exitCode", .integer(Int(exitCode))), ("command", .orNull(suggestion)),
      ("steps", steps.map { .array($0) } ?? .null),
      ("foreignLosses", .strings(foreign.lostTexts)),
      ("conditions", .strings(conditions.map(\.description))),
      ("refusal", .orNull(refusal?.message)),
    ])
  }
}
