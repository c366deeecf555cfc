import Foundation
import ModelFiles
import ObjectModel
import SQLiteStore

/// What `check` says of a store: the engine's report, and what the models have to do with each other.
struct CheckResult {
  /// What the store's version hashes were compared with, beside the expected model.
  enum Comparison {
    /// No model was given: the expected model is the one that the store carries.
    case ownModel
    case cachedModel(ManagedObjectModel)
    case noCachedModel
    case unreadableCachedModel(String)

    /// The model that the store carries, when it is another one than the expected.
    var model: ManagedObjectModel? { if case .cachedModel(let model) = self { model } else { nil } }
  }

  /// Something worth knowing that makes no store unfit.
  struct Note {
    var code: String
    var message: String
    /// Where in the store it was found, when it is about the store.
    var finding: StoreFinding?
  }

  let report: StoreReport
  let comparison: Comparison
  let requiresBundle: Bool
  /// How the expected model differs from the one that the store carries; nil when they need no comparing, or cannot be
  /// compared.
  let differences: [ModelDifference]?
  let migration: LightweightMigration?
  let notes: [Note]
  /// Names of the entities whose expected hash rests on an unconfirmed rule.
  let unconfirmed: Set<String>

  init(report: StoreReport, modelFile: ModelFile, comparison: Comparison, requiresBundle: Bool) {
    let model = modelFile.model
    self.report = report
    self.comparison = comparison
    self.requiresBundle = requiresBundle
    if !report.sidecars.isEmpty {
      bundleObstacle = "it has \(report.sidecars.joined(separator: " and ")) beside it"
    } else {
      bundleObstacle = report.isWriteAheadLogged ? "its journal mode is wal" : nil
    }
    var notes: [Note] = []
    let carried = comparison.model
    let isStale = carried.map { $0.entityVersionHashesByName != report.metadata.entityVersionHashesByName } ?? false
    if isStale {
      notes.append(
        Note(code: "cachedModel", message: "the model that the store carries is not the one that it was made with"))
    }
    if case .unreadableCachedModel(let reason) = comparison {
      notes.append(Note(code: "cachedModel", message: "the model that the store carries cannot be read: \(reason)"))
    }
    if !report.isCompatible, let carried, !isStale {
      differences = carried.differences(to: model)
      migration = carried.lightweightMigration(to: model)
    } else {
      differences = nil
      migration = nil
    }
    if !report.rowsWereChecked && report.findings.isEmpty {
      notes.append(
        Note(
          code: "rows",
          message: "tables and rows were not checked: the store was made with another model, and that one is not known")
      )
    }
    for remark in report.remarks {
      notes.append(Note(code: remark.code.rawValue, message: remark.line, finding: remark))
    }
    if !requiresBundle, let bundleObstacle {
      notes.append(
        Note(
          code: "bundle",
          message: "a read-only bundle needs one sealed file, and \(bundleObstacle): seedbed copy seals it"))
    }
    notes += modelFile.warnings.map { Note(code: "model", message: "model: \($0.shortDescription)") }
    notes += report.notes.map { Note(code: "layout", message: $0) }
    for entity in model.entities {
      notes += entity.unconfirmedHashReasons.map { reason in
        Note(code: "unconfirmedHash", message: "the hash of \(entity.name) rests on an unconfirmed rule: \(reason)")
      }
    }
    self.notes = notes
    unconfirmed = Set(model.entities.filter(\.restsOnUnconfirmedHashRule).map(\.name))
  }

  /// Whether the app opens the store as it is and finds it whole.
  var isFit: Bool { report.isCompatible && report.isSound && (!requiresBundle || report.isFitForReadOnlyBundle) }

  /// Why a read-only bundle is no place for it, nil when it is one.
  let bundleObstacle: String?

  /// The answer in one sentence.
  var sentence: String {
    var reasons: [String] = []
    if !report.isCompatible {
      let count = report.hashes.count(where: { !$0.matches })
      reasons.append(
        "its version hashes differ from the model's for \(count) \(count == 1 ? "entity" : "entities")")
    }
    if !report.isSound {
      reasons.append("\(report.findings.count) \(report.findings.count == 1 ? "problem was" : "problems were") found")
    }
    if requiresBundle, let bundleObstacle {
      reasons.append("a read-only bundle needs one sealed file, and \(bundleObstacle) (seedbed copy seals it)")
    }
    guard reasons.isEmpty else { return "Not fit: \(reasons.joined(separator: "; "))." }
    if case .ownModel = comparison {
      return "Fit: the store is sound and agrees with the model that it carries itself."
    }
    return "Fit: an app with this model opens the store as it is"
      + (requiresBundle ? ", also from a read-only bundle." : ".")
  }
}

extension StoreFinding {
  /// Message, number of rows and an example.
  var line: String {
    var text = message
    if count > 1 || exampleKey != nil {
      text += " (\(Format.grouped(count)) \(count == 1 ? "row" : "rows")"
      if let exampleKey { text += ", for instance \(exampleKey)" }
      text += ")"
    }
    return text
  }
}
