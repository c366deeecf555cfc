import CoreDataLayout
import Foundation
import Migration
import ObjectModel
import Pipelines

/// What `migrate` says: the plan, and what came of it.
struct MigrateResult {
  let store: String
  let target: String
  let isDryRun: Bool
  /// The version that the store was made with; empty where it has no name.
  var source = ""
  /// Nil when nothing was to be done.
  var plan: MigrationPlan?
  /// The steps, where it is not one that is done in place.
  var chain: MigrationChain?
  /// How many objects the store had of each entity, for the first step of a chain.
  var rows: [String: Int] = [:]
  /// Mapping models that could not be used.
  var warnings: [String] = []
  /// Whether the store is of the target's version now.
  var isMigrated = false
  /// Nil for a plan alone, and for several steps.
  var report: MigrationReport?
  /// What a run would do with duplicates.
  var duplicates = StoreMigration.DuplicatePolicy.refuse

  init(store: String, target: String, isDryRun: Bool) {
    self.store = store
    self.target = target
    self.isDryRun = isDryRun
  }

  /// What is in the way of a planned migration.
  var obstacles: [MigrationCondition] {
    guard report == nil else { return [] }
    return (plan?.conditions ?? []).filter { $0.kind != .duplicateKeys || duplicates == .refuse }
  }

  private var name: String { target.isEmpty ? "the given model" : "version \(target)" }

  /// How many objects a store has of each entity itself, by its name.
  static func rows(ofStoreAt path: String) throws -> [String: Int] {
    let entities = try StoreInspection.read(path: path).entities
    return Dictionary(entities.compactMap { row in row.count.map { (row.name, $0) } }) { first, _ in first }
  }

  /// The steps, each with what happens to the objects of its entities. How many there are is known before the first alone.
  private func steps(of chain: MigrationChain) -> [(MigrationChain.Step, entities: [MigrationPlan.EntityStep])] {
    chain.steps.enumerated().map { index, step in (step, step.entities(rows: index == 0 ? rows : [:])) }
  }

  /// For people.
  var text: String {
    var lines = warnings.map { "warning: \($0)" }
    if let chain {
      for (step, entities) in steps(of: chain) {
        lines.append(step.description)
        lines += entities.map { "  \($0)" } + step.losses.map { "  lost: \($0)" }
      }
      lines.append(isMigrated ? "\(store) is of \(name) now." : "Nothing was changed: this was a dry run.")
      return lines.joined(separator: "\n")
    }
    guard let plan else { return "\(store) is of \(name) already: nothing to do." }
    if !plan.description.isEmpty { lines.append(plan.description) }
    if let report {
      lines += report.removedDuplicates.sorted { $0.key < $1.key }.map { entity, count in
        "duplicates: \(count) \(entity) removed"
      }
      if report.removedHistoryChanges > 0 {
        lines.append("history: \(report.removedHistoryChanges) changes of removed entities went with them")
      }
      lines.append("\(store) is of \(name) now.")
    } else {
      lines.append(
        obstacles.isEmpty
          ? "Nothing was changed: this was a dry run."
          : "Not possible: the data break rules of \(name). Nothing was changed.")
    }
    return lines.joined(separator: "\n")
  }

  /// For programs.
  var json: String {
    func items(_ items: [LightweightMigration.Item]) -> JSONValue { .array(items.map { .string($0.description) }) }
    var members: [(String, JSONValue)] = [
      ("store", .string(store)), ("from", source.isEmpty ? .null : .string(source)),
      ("to", target.isEmpty ? .null : .string(target)), ("dryRun", .boolean(isDryRun)),
      ("migrated", .boolean(isMigrated)),
    ]
    members.append(("warnings", .array(warnings.map { .string($0) })))
    if let chain {
      members.append(("steps", .array(steps(of: chain).map { step, entities in step.json(entities) })))
    }
    if let plan {
      members += [
        ("entities", .array(plan.entities.map(\.json))), ("tables", .array(plan.tables.map(\.json))),
        ("conditions", .array(plan.conditions.map(\.json))), ("losses", items(plan.losses)),
        ("droppedTriggers", .array(plan.droppedTriggers.map { .string($0) })),
        ("mergedHierarchies", items(plan.mergedHierarchies)),
      ]
    }
    if let report {
      members += [
        (
          "removedDuplicates",
          .object(report.removedDuplicates.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
        ),
        ("removedHistoryChanges", .integer(report.removedHistoryChanges)),
      ]
    }
    return JSONValue.object(members).text(isIndented: true)
  }
}

extension MigrationChain.Step {
  fileprivate func json(_ entities: [MigrationPlan.EntityStep]) -> JSONValue {
    let mapping: JSONValue
    switch way {
    case .inferred: mapping = .null
    case .mapped(let model): mapping = .string(model.name)
    }
    return .object([
      ("from", .string(source.name)), ("to", .string(destination.name)), ("mappingModel", mapping),
      ("entities", .array(entities.map(\.json))), ("losses", .array(losses.map { .string($0) })),
    ])
  }
}

extension MigrationPlan.EntityStep {
  fileprivate var json: JSONValue {
    .object([
      ("source", source.map { .string($0) } ?? .null), ("destination", destination.map { .string($0) } ?? .null),
      ("type", .string("\(type)")), ("rows", rows.map { .integer($0) } ?? .null),
      ("primaryKeyOffset", .integer(Int(primaryKeyOffset))),
    ])
  }
}

extension MigrationPlan.TableStep {
  fileprivate var json: JSONValue {
    .object([
      ("name", .string(name)), ("sources", .array(sources.map { .string($0) })), ("work", .string(work.rawValue)),
      ("appendedColumns", .array(appendedColumns.map { .string($0) })),
    ])
  }
}

extension MigrationCondition {
  fileprivate var json: JSONValue {
    .object([
      ("kind", .string(kind.rawValue)), ("entity", .string(entity)),
      ("property", property.map { .string($0) } ?? .null), ("count", .integer(count)),
      ("examples", .array(examples.map { .string($0) })), ("message", .string(description)),
    ])
  }
}
