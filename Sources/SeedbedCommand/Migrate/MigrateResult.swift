import CoreDataLayout
import Foundation
import Migration
import ObjectModel
import Pipelines
import Reports
import SQLMigration

/// The result of `migrate`: the plan, and its outcome.
struct MigrateResult {
  let store: String
  let target: String
  let isDryRun: Bool
  /// The version that the store was made with; empty where it has no name.
  var source = ""
  /// Nil when nothing was to be done.
  var plan: MigrationPlan?
  /// The steps, where the migration is more than one inferred step in place.
  var chain: MigrationChain?
  /// How many objects the store had of each entity, for the first step of a chain.
  var objectCounts: [String: Int] = [:]
  /// The obstacles to the steps.
  var outlook: ChainOutlook?
  /// The obstacles that were met when a copy was migrated.
  private(set) var met: [MigrationCondition] = []
  /// Another error that the migration ended with, or would end with.
  private(set) var refusal: RunError?
  /// The reports of steps that were done by statements, by their numbers from 1.
  var stepReports: [Int: MigrationReport] = [:]
  /// Unique indexes of the user's own that go with duplicates in each of several steps, by their numbers from 1; in a
  /// dry run too.
  var brokenIndexes: [Int: [String]] = [:]
  /// Mapping models that could not be used.
  var warnings: [String] = []
  /// Whether the store is of the target's version now.
  var isMigrated = false
  /// Nil for a plan alone, and for several steps.
  var report: MigrationReport?
  /// The requests to the stores of the migration.
  var work = RunCounts()
  /// The treatment of duplicates in a run.
  var duplicates = StoreMigration.DuplicatePolicy.refuse

  /// The obstacles to a planned migration.
  var obstacles: [MigrationCondition] {
    guard report == nil else { return [] }
    return ((plan?.conditions ?? []) + (outlook?.conditions ?? []).joined()).filter {
      $0.kind != .duplicateKeys || duplicates == .refuse
    } + met
  }

  /// Notes what a part of a dry run throws.
  mutating func note(refusalOf work: () throws -> Void, _ store: String) {
    do {
      try work()
    } catch StoreMigrationError.conditions(_, let conditions) {
      met = conditions
    } catch {
      refusal = RunError(any: error, store: store)
    }
  }

  /// Notes the error with which it ended.
  mutating func note(refusal error: any Error) { refusal = RunError(any: error, store: store) }

  private var name: String { target.isEmpty ? "the given model" : "version \(target)" }

  /// How many objects a store has of each entity itself, by its name.
  /// - Parameter model: the model that it was made with: an entity's name in the store may be that of an older version.
  static func objectCounts(ofStoreAt path: String, model: ManagedObjectModel) throws -> [String: Int] {
    let layout = StoreLayout(model: model)
    let names = Dictionary(model.entities.map { (layout.number(of: $0), $0.name) }) { first, _ in first }
    let entities = try StoreInspection.read(path: path, entityNames: names).entities
    return Dictionary(entities.compactMap { row in row.count.map { (row.name, $0) } }) { first, _ in first }
  }

  /// The steps, each with what happens to the objects of its entities. How many there are is known before the first
  /// alone.
  private func steps(of chain: MigrationChain) -> [ChainedMigrationStep] {
    chain.steps.enumerated().map { index, step in
      ChainedMigrationStep(
        step: step.losing(brokenIndexes[index + 1] ?? []),
        entities: step.entities(objectCounts: index == 0 ? objectCounts : [:]),
        conditions: outlook?.conditions[index] ?? [],
        report: stepReports[index + 1], duplicates: duplicates)
    }
  }

  /// The result as text, for people.
  var text: String {
    var lines = warnings.map { "warning: \($0)" }
    if let chain {
      lines += steps(of: chain).flatMap(\.lines) + metLines
      lines.append(isMigrated ? migratedLine : unchangedLine)
      return lines.joined(separator: "\n")
    }
    guard let plan else {
      return (lines + ["\(store) is of \(name) already: nothing to do."]).joined(separator: "\n")
    }
    let description = plan.description(resolving: duplicates)
    if !description.isEmpty { lines.append(description) }
    if let report {
      lines += report.lines + [migratedLine]
    } else {
      lines += metLines + [unchangedLine]
    }
    return lines.joined(separator: "\n")
  }

  private var migratedLine: String { "\(store) is of \(name) now." }
  private var metLines: [String] { met.map { $0.line(resolving: .refuse) } }
  private var unchangedLine: String {
    if let refusal { return "Not possible: \(refusal.message). Nothing was changed." }
    return obstacles.isEmpty
      ? "Nothing was changed: this was a dry run."
      : "Not possible: the data break rules of \(name). Nothing was changed."
  }

  /// The result as JSON, for programs.
  var json: String {
    func items(_ items: [LightweightMigration.Item]) -> JSONValue { .strings(items.map(\.description)) }
    var members: [(String, JSONValue)] = [
      ("store", .string(store)), ("from", .orNullIfEmpty(source)),
      ("to", .orNullIfEmpty(target)), ("dryRun", .boolean(isDryRun)),
      ("migrated", .boolean(isMigrated)),
    ]
    members.append(("warnings", .strings(warnings)))
    if let chain {
      members.append(("steps", .array(steps(of: chain).map(\.json))))
    }
    if let plan {
      members +=
        [
          ("entities", .array(plan.entities.map(\.json))), ("tables", .array(plan.tables.map(\.json))),
          ("conditions", .array(plan.conditions.map(\.json))), ("losses", items(plan.losses)),
        ] + plan.foreign.jsonMembers + [
          ("mergedHierarchies", items(plan.mergedHierarchies))
        ]
    }
    if isDryRun {
      let reason =
        refusal?.message ?? (obstacles.isEmpty ? nil : obstacles.map(\.description).joined(separator: "; "))
      members.append(("refusal", .orNull(reason)))
    }
    if let report { members += report.jsonMembers }
    // A dry run says what would become of the store, and works on a copy where it works at all.
    members.append(("work", isDryRun || refusal != nil ? .null : ReportJSON.work(work)))
    members.append(("error", ErrorJSON.value(refusal)))
    return JSONValue.object(members).text(isIndented: true)
  }
}

/// A step of several, with what is known of it before or after.
private struct ChainedMigrationStep {
  let step: MigrationChain.Step
  let entities: [MigrationPlan.EntityStep]
  let conditions: [MigrationCondition]
  let report: MigrationReport?
  let duplicates: StoreMigration.DuplicatePolicy

  var lines: [String] {
    let details =
      entities.map(\.description) + step.lostTexts.map { "lost: \($0)" }
      + conditions.map { $0.line(resolving: duplicates) }
      + (report?.lines ?? [])
    return [step.description] + details.map { "  \($0)" }
  }

  var json: JSONValue {
    .object(
      step.jsonMembers + [
        ("entities", .array(entities.map(\.json))), ("conditions", .array(conditions.map(\.json))),
        ("losses", .strings(step.losses)),
      ] + step.foreign.jsonMembers + (report?.jsonMembers ?? []))
  }
}

extension MigrationChain.Step {
  /// Between which versions it leads, and by which mapping model.
  var jsonMembers: [(String, JSONValue)] {
    let mapping: String? = if case .mapped(let model) = way { model.name } else { nil }
    return [
      ("from", .string(source.name)), ("to", .string(destination.name)), ("mappingModel", .orNull(mapping)),
    ]
  }
}

extension ForeignObjectChanges {
  fileprivate var jsonMembers: [(String, JSONValue)] {
    [
      ("droppedTriggers", droppedTriggers), ("droppedIndexes", droppedIndexes), ("droppedColumns", droppedColumns),
      ("droppedRows", droppedRows), ("brokenViews", brokenViews),
    ].map { ($0.0, .strings($0.1)) }
  }
}

extension MigrationReport {
  fileprivate var lines: [String] {
    var lines = removedDuplicates.sorted { $0.key < $1.key }.map { entity, count in
      "duplicates: \(count) \(entity) removed"
    }
    if removedHistoryChanges > 0 {
      lines.append("history: \(removedHistoryChanges) changes of removed entities went with them")
    }
    return lines
  }

  fileprivate var jsonMembers: [(String, JSONValue)] {
    [
      (
        "removedDuplicates",
        .object(removedDuplicates.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
      ),
      ("removedHistoryChanges", .integer(removedHistoryChanges)),
    ]
  }
}

extension MigrationPlan.EntityStep {
  fileprivate var json: JSONValue {
    .object([
      ("source", .orNull(source)), ("destination", .orNull(destination)),
      ("type", .string("\(type)")), ("rows", .orNull(rows)),
      ("primaryKeyOffset", .integer(Int(primaryKeyOffset))), ("filtered", .boolean(isFiltered)),
    ])
  }
}

extension MigrationPlan.TableStep {
  fileprivate var json: JSONValue {
    .object([
      ("name", .string(name)), ("sources", .strings(sources)), ("work", .string(work.rawValue)),
      ("appendedColumns", .strings(appendedColumns)),
    ])
  }
}

extension MigrationCondition {
  fileprivate var json: JSONValue {
    .object([
      ("kind", .string(kind.rawValue)), ("entity", .string(entity)),
      ("property", .orNull(property)), ("count", .integer(count)),
      ("examples", .strings(examples)), ("message", .string(description)),
    ])
  }
}
