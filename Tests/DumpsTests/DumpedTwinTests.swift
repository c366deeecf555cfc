import Foundation
import ModelFiles
import ObjectModel
import PropertyLists
import TestMigrations
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import Dumps
@testable import SQLMigration

/// `SEEDBED_RANDOM_MIGRATIONS` says how many to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("A migrated store is the old one's dump, mapped by plain rules and restored")
struct DumpedTwinTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_MIGRATIONS", count: 50, size: 25)

  @Test("rows, links, order, schema, numbers, keys and metadata, after every migration", arguments: parts)
  func migrations(seeds: ClosedRange<UInt64>) throws {
    let outcomes = try RandomSeeds.tally(seeds, until: .failed, migrate)
    if outcomes[.failed] != nil { return }
    // Most edits must come to a migration, or nothing is shown.
    if seeds.count >= 25 { #expect(outcomes[.migrated, default: 0] * 3 > seeds.count, "\(outcomes)") }
  }

  private func migrate(_ seed: UInt64) throws -> MigrationOutcome {
    let run = try DumpRun()
    var random = SeededGenerator(seed: seed)
    let older = try Self.model(seed, run.workspace, &random)
    var edits = RandomModelEdits(older, SeededGenerator(seed: random.next()))
    edits.edit(count: Int(seed % 5) + 1)
    if seed % 3 > 0 { edits.editOddly(count: Int(seed % 3)) }
    guard let newer = try? ManagedObjectModel(entities: edits.entities),
      newer.entities.contains(where: { !$0.isAbstract })
    else { return .notAModel }
    guard (try? older.inferredMappingModel(to: newer, mergesHierarchies: true)) != nil else { return .notInferred }
    let path = run.workspace.path("Store.sqlite")
    try RandomStore(path, older, seed: seed, rowsPerTable: 8)
    try Self.putMetadata(path, older)
    let before = try StoreBooks(path, older)
    let plan = try StoreMigration.plan(storeAt: path, from: older, to: newer)
    let offsets = plan.entities.compactMap { step in step.source.map { ($0, step.primaryKeyOffset) } }
    let rules = DumpedObjects.Mapping(
      from: older, to: newer, offsets: Dictionary(offsets, uniquingKeysWith: { first, _ in first }))
    let (restored, hasSeveralOwners) = try restore(run, path, rules)
    var options = StoreMigration.Options()
    options.pageUse = seed % 3 == 0 ? .always : .never
    let text = "seed \(seed)"
    do {
      _ = try StoreMigration.run(storeAt: path, from: older, to: newer, options: options)
    } catch StoreMigrationError.conditions(_, let conditions) {
      let isExpected = conditions.allSatisfy { condition in
        switch condition.kind {
        case .severalOwners: hasSeveralOwners
        case .abstractEntity: newer[condition.entity]?.isAbstract == true
        case .missingValue, .objectCount: true
        case .sidesDisagree, .duplicateKeys, .emptiedRelationship, .unresolvedDuplicates, .unreadableValue, .nameTaken,
          .foreignIndex:
          false
        }
      }
      if !isExpected { Issue.record("\(text): \(conditions)") }
      return isExpected ? .refused : .failed
    }
    guard !hasSeveralOwners, let restored else {
      Issue.record("\(text): migrated, although objects have several owners")
      return .failed
    }
    let problems = try problems(path, restored, before, rules, plan)
    if !problems.isEmpty {
      Issue.record("\(text): \(problems.joined(separator: "\n"))\n\(plan)\n\(Self.tree(older)) → \(Self.tree(newer))")
    }
    return problems.isEmpty ? .migrated : .failed
  }

  /// Models of two makers: one has composites, indexes and names that are words of SQL, the other archives and limits.
  private static func model(
    _ seed: UInt64, _ workspace: TemporaryFolder, _ random: inout SeededGenerator
  ) throws -> ManagedObjectModel {
    if seed % 2 == 0 { return try TestMigrations.RandomModel.make(&random) }
    try workspace.write(RandomModelFile(seed: seed).xml, to: "M.xcdatamodel/contents")
    return try ModelReader.read(path: workspace.path("M.xcdatamodel"))
  }

  private static func tree(_ model: ManagedObjectModel) -> String {
    model.entities.map { entity in
      entity.name + (entity.superentity.map { " < \($0.name)" } ?? "") + (entity.isAbstract ? " (abstract)" : "")
    }.joined(separator: ", ")
  }

  private static func putMetadata(_ path: String, _ model: ManagedObjectModel) throws {
    let store = try SQLiteStore.open(path: path, model: model)
    try store.setMetadata(["origin": .string("a program's own key")])
    try store.close()
  }

  /// The path of a store with the dumped objects; nil where these break rules that a migration refuses.
  private func restore(
    _ run: DumpRun, _ path: String, _ rules: DumpedObjects.Mapping
  ) throws -> (path: String?, hasSeveralOwners: Bool) {
    try run.dump("Store.sqlite", to: "old")
    let old = try SQLiteStore.open(path: path, model: rules.older)
    let dumped = try DumpedObjects(
      folder: run.workspace.path("old"), DumpPlan(old, compresses: false), rules.older)
    try old.close()
    let (mapped, hasSeveralOwners) = dumped.mapped(rules)
    let becomesAbstract = mapped.records.values.contains { rules.newer[$0.entity]?.isAbstract == true }
    if hasSeveralOwners || becomesAbstract { return (nil, hasSeveralOwners) }
    let fresh = try SQLiteStore.create(path: run.workspace.path("New.sqlite"), model: rules.newer)
    let plan = DumpPlan(fresh, compresses: false)
    try fresh.close()
    try run.dump("New.sqlite", to: "new")
    try mapped.write(to: run.workspace.path("new"), plan)
    return (try run.restore("new").store, false)
  }

  private func problems(
    _ path: String, _ restored: String, _ before: StoreBooks, _ rules: DumpedObjects.Mapping, _ plan: MigrationPlan
  ) throws -> [String] {
    let found = try StoreGraph(path, rules.newer)
    var problems = try found.differences(from: StoreGraph(restored, rules.newer))
    let appended = Dictionary(
      plan.tables.map { ($0.name, $0.appendedColumns) }, uniquingKeysWith: { first, _ in first })
    if let difference = try SchemaText(path: path).difference(from: SchemaText(path: restored), appended: appended) {
      problems.append("schema: \(difference)")
    }
    let report = try StoreChecker.check(path: path, model: rules.newer)
    if !report.isSound || !report.isCompatible { problems += report.findings.map(\.message) }
    return try problems
      + StoreBooks(path, rules.newer).problems(after: before, rules, like: StoreBooks(restored, rules.newer))
  }
}
