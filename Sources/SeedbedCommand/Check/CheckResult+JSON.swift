import CoreDataLayout
import Foundation
import ImportEngine
import ObjectModel
import Pipelines
import Reports

extension CheckResult {
  /// The result as JSON, for programs; docs/CHECK.md describes it.
  var json: String {
    var comparedWith = "model"
    if case .ownModel = comparison { comparedWith = "cachedModel" }
    return JSONValue.object([
      ("path", .string(report.path)), ("fit", .boolean(isFit)), ("answer", .string(sentence)),
      ("comparedWith", .string(comparedWith)), ("modelVersion", .orNull(versionName)),
      ("madeWith", .strings(madeWith)), ("compatible", .boolean(report.isCompatible)),
      ("sound", .boolean(report.isSound)), ("rowsWereChecked", .boolean(report.rowsWereChecked)),
      ("fitForReadOnlyBundle", .boolean(report.isFitForReadOnlyBundle)),
      ("journalMode", .string(report.isWriteAheadLogged ? "wal" : "delete")),
      ("sidecars", .strings(report.sidecars)),
      ("externalFiles", .integer(external.count)), ("externalBytes", .integer(external.bytes)),
      ("uuid", .string(report.metadata.uuid)),
      ("frameworkVersion", .orNull(report.metadata.frameworkVersion)),
      ("digestMatches", .orNull(report.digestMatches)),
      ("entities", .array(report.hashes.map(entity))),
      ("differences", differences.map { .array(($0.parted.grave + $0.parted.others).map(\.json)) } ?? .null),
      ("lightweightMigration", migration?.json ?? .null), ("migration", verdict?.json ?? .null),
      ("problems", .array(report.problems.map(finding))), ("warnings", .array(report.warnings.map(finding))),
      (
        "notes",
        .array(
          notes.map { note in
            note.finding.map(finding) ?? .object([("code", .string(note.code)), ("message", .string(note.message))])
          })
      ),
      ("error", .null),
    ]).text(isIndented: true)
  }

  /// The answer as JSON where nothing could be compared: a damaged database is not fit, and of a missing file nothing
  /// is known.
  static func json(of error: RunError, _ failure: CommandFailure) -> String {
    let answer: [(String, JSONValue)] = [
      ("fit", failure.status == 65 ? .boolean(false) : .null), ("answer", .string(error.message)),
      ("error", ErrorJSON.value(error)),
    ]
    return JSONValue.object(answer).text(isIndented: true)
  }

  private func entity(_ hash: StoreReport.EntityHash) -> JSONValue {
    .object([
      ("name", .string(hash.entity)), ("matches", .boolean(hash.matches)),
      ("expected", .orNull(hash.expected?.hexadecimal)),
      ("stored", .orNull(hash.stored?.hexadecimal)),
      ("rows", .orNull(report.rowCounts[hash.entity])),
      ("unconfirmed", .boolean(unconfirmed.contains(hash.entity))),
    ])
  }

  private func finding(_ finding: StoreFinding) -> JSONValue {
    .object([
      ("code", .string(finding.code.rawValue)), ("table", .string(finding.table)),
      ("column", .orNull(finding.column)), ("count", .integer(finding.count)),
      ("examplePrimaryKey", .orNull(finding.exampleKey.map { Int($0) })),
      ("message", .string(finding.message)), ("advice", .string(finding.code.advice)),
    ])
  }
}

extension ModelDifference {
  /// The difference as JSON, which every answer that compares models has.
  var json: JSONValue {
    let kind: String
    let property: String?
    switch subject {
    case .entity: (kind, property) = ("entity", nil)
    case .attribute(let name): (kind, property) = ("attribute", name)
    case .relationship(let name): (kind, property) = ("relationship", name)
    case .uniquenessConstraint(let names): (kind, property) = ("uniquenessConstraint", names.joined(separator: ","))
    case .fetchIndex(let name): (kind, property) = ("fetchIndex", name)
    }
    return .object([
      ("entity", .string(entity)), ("kind", .string(kind)), ("name", .orNull(property)),
      ("affectsVersionHash", .boolean(affectsVersionHash)), ("message", .string(description)),
    ])
  }
}

extension LightweightMigration {
  /// The migration as JSON, for programs.
  var json: JSONValue {
    func items(_ items: [Item]) -> JSONValue { .strings(items.map(\.description)) }
    return .object([
      ("possible", .boolean(isPossible)), ("obstacles", items(obstacles)),
      ("mergedHierarchies", items(mergedHierarchies)), ("conditions", items(conditions)),
      ("losses", items(losses)),
    ])
  }
}
