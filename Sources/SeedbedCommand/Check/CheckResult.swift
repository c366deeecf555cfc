import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import Pipelines
import StoreModels

/// The result of `check` for a store: the engine's report, and the comparison of the models.
struct CheckResult {
  /// Another model that the store's version hashes were compared with, beside the expected one.
  enum Comparison {
    /// No model was given: the expected model is the one that the store carries.
    case ownModel
    case cachedModel(ManagedObjectModel)
    case noCachedModel
    case unreadableCachedModel(String)

    /// The model that the store carries, when it is another one than the expected.
    var model: ManagedObjectModel? { if case .cachedModel(let model) = self { model } else { nil } }
  }

  /// The requirements for a store beyond that an app can open it.
  struct Requirements {
    /// That it may lie in a read-only bundle.
    var bundle = false
    /// That there is no warning about its data.
    var strict = false
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
  let requirements: Requirements
  /// Name of the expected version; nil when it has none.
  let versionName: String?
  /// Names of the versions of the given model that the store was made with; empty when the model has only one version,
  /// or when none of them is the store's.
  let madeWith: [String]
  /// Whether the text shows differences that matter to no store one by one.
  let showsAll: Bool
  /// How the expected model differs from the one that the store carries; nil when they need no comparing, or cannot be
  /// compared.
  let differences: [ModelDifference]?
  let migration: LightweightMigration?
  /// The result that `migrate` would have; nil when there is nothing to migrate, or the model that the store was made
  /// with is not known.
  let verdict: MigrationVerdict?
  let notes: [Note]
  /// Names of the entities whose expected hash rests on an unconfirmed rule.
  let unconfirmed: Set<String>

  init(
    report: StoreReport, modelFile: ModelFile, comparison: Comparison, search: VersionSearch? = nil,
    requirements: Requirements, showsAll: Bool, verdict: MigrationVerdict? = nil
  ) {
    let model = modelFile.model
    self.report = report
    self.comparison = comparison
    self.requirements = requirements
    self.showsAll = showsAll
    versionName = modelFile.versionName.isEmpty ? nil : modelFile.versionName
    madeWith = search?.names ?? []
    if !report.sidecars.isEmpty {
      bundleObstacle = "it has \(report.sidecars.joined(separator: " and ")) beside it"
    } else {
      bundleObstacle = report.isWriteAheadLogged ? "its journal mode is wal" : nil
    }
    external = ExternalFiles(ofStoreAt: report.path)
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
    if case .noCachedModel = comparison, report.isCompatible, let obstacle = ModelCache.obstacle(to: model) {
      notes.append(Note(code: "cachedModel", message: obstacle))
    }
    if let names = search?.unreadable, !names.isEmpty {
      notes.append(
        Note(
          code: "versions", message: "versions that cannot be read were passed over: \(names.joined(separator: ", "))"))
    }
    if !report.isCompatible, let origin = search?.file?.model ?? (isStale ? nil : carried) {
      differences = origin.differences(to: model)
      migration = origin.lightweightMigration(to: model)
      self.verdict = verdict
    } else {
      differences = nil
      migration = nil
      self.verdict = nil
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
    if !requirements.bundle, let bundleObstacle {
      notes.append(
        Note(
          code: "bundle",
          message: "a read-only bundle needs one sealed file, and \(bundleObstacle): seedbed copy seals it"))
    }
    notes += modelFile.warnings.map { Note(code: "model", message: "model: \($0.shortDescription)") }
    let odd = Self.oddIndexes(modelFile)
    notes += report.notes.filter { note in !odd.contains { note.hasPrefix($0) } }.map {
      Note(code: "layout", message: $0)
    }
    for entity in model.entities {
      notes += entity.unconfirmedHashReasons.map { reason in
        Note(code: "unconfirmedHash", message: "the hash of \(entity.name) rests on an unconfirmed rule: \(reason)")
      }
    }
    self.notes = notes
    unconfirmed = Set(model.entities.filter(\.restsOnUnconfirmedHashRule).map(\.name))
  }

  /// The beginnings of those notes of the layout that the model's warnings about indexes make superfluous.
  private static func oddIndexes(_ file: ModelFile) -> [String] {
    file.model.entities.flatMap { entity in
      entity.definition.fetchIndexes.filter { index in
        file.warnings.contains { $0.entity == entity.name && $0.element == "fetchIndex \(index.name)" }
      }.flatMap { ["Index \(entity.name).\($0.name) ", "R-tree \(entity.name).\($0.name) "] }
    }
  }

  /// Whether the app opens the store as it is, and the store meets the requirements.
  var isFit: Bool {
    report.isCompatible && report.problems.isEmpty && (!requirements.strict || report.warnings.isEmpty)
      && (!requirements.bundle || report.isFitForReadOnlyBundle)
  }

  /// The files of external data beside the store.
  let external: ExternalFiles

  /// Why a read-only bundle is no place for it, nil when it is one.
  let bundleObstacle: String?

  /// Other files that the bundle needs.
  private var beside: String {
    if external.count == 0 { return "" }
    return " that has the folder \(external.folder) beside it "
      + "(\(external.count.counted("file")) of external data, \(external.bytes.byteCountText))"
  }

  /// The answer in one sentence.
  var sentence: String {
    var reasons: [String] = []
    if !report.isCompatible {
      let count = report.hashes.count(where: { !$0.matches })
      reasons.append(
        "its version hashes differ from the model's for \(count.counted("entity", "entities"))")
    }
    let (problems, warnings) = (report.problems.count, report.warnings.count)
    if problems > 0 { reasons.append("\(problems.counted("problem was", "problems were")) found") }
    if requirements.strict, warnings > 0 {
      reasons.append("\(warnings.counted("warning")) about its data")
    }
    if requirements.bundle, let bundleObstacle {
      reasons.append("a read-only bundle needs one sealed file, and \(bundleObstacle) (seedbed copy seals it)")
    }
    guard reasons.isEmpty else { return "Not fit: \(reasons.joined(separator: "; "))." }
    let remark = warnings == 0 ? "" : "; its data gave \(warnings.counted("warning"))"
    if case .ownModel = comparison {
      return "Fit: the store is sound and agrees with the model that it carries itself\(remark)."
    }
    return "Fit: an app with this model opens the store as it is"
      + (requirements.bundle ? ", also from a read-only bundle" + beside : "") + remark + "."
  }
}

extension StoreFinding {
  /// Message, number of rows and an example.
  var line: String {
    var text = message
    if count > 1 || exampleKey != nil {
      text += " (\(count.counted("row"))"
      if let exampleKey { text += ", for instance \(exampleKey)" }
      text += ")"
    }
    return text
  }
}
