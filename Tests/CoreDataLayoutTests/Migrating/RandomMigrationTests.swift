import CoreDataLayout
import Foundation
import ObjectModel
import StoreInterface
import TestMigrations
import TestSupport
import Testing

/// `SEEDBED_RANDOM_MIGRATIONS` says how many to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("Migrated in place, a random store is what plain rules make of it")
struct RandomMigrationTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_MIGRATIONS", count: 300, size: 50)

  @Test("objects, links, history, schema and bookkeeping, after every migration", arguments: parts)
  func migrations(seeds: ClosedRange<UInt64>) throws {
    let outcomes = try RandomSeeds.tally(seeds, until: .failed, migrate)
    if outcomes[.failed] != nil { return }
    // Most edits must come to a migration, or nothing is shown.
    if seeds.count >= 50 { #expect(outcomes[.migrated, default: 0] * 3 > seeds.count, "\(outcomes)") }
  }

  private func migrate(_ seed: UInt64) throws -> MigrationOutcome {
    var random = SeededGenerator(seed: seed)
    var stores = try RandomStores(&random, tracksHistory: seed % 2 == 0)
    try stores.change()
    if seed % 2 == 0 { try stores.change() }
    let older = stores.model
    var edits = RandomModelEdits(older, SeededGenerator(seed: random.next()))
    edits.edit(count: Int(seed % 5) + 1)
    if seed % 3 == 0 { edits.constrain() }
    guard let newer = try? ManagedObjectModel(entities: edits.entities) else { return .notAModel }
    guard (try? older.inferredMappingModel(to: newer, mergesHierarchies: true)) != nil else { return .notInferred }
    let path = stores.sqlite.path
    try stores.sqlite.close()
    let before = try ObjectContents(path: path, model: older)
    let history = try HistoryContents(path: path, model: older)
    let plan = try StoreMigration.plan(storeAt: path, from: older, to: newer)
    let offsets = Dictionary(
      plan.entities.compactMap { step in step.source.map { ($0, step.primaryKeyOffset) } },
      uniquingKeysWith: { first, _ in first })
    let (expected, hasSeveralOwners) = before.mapped(from: older, to: newer, offsets: offsets)
    let duplicates = expected.duplicates(newer)
    let text = "seed \(seed)"
    do {
      _ = try StoreMigration.run(storeAt: path, from: older, to: newer)
    } catch let error as StoreMigrationError {
      guard case .conditions(_, let conditions) = error else { throw error }
      let isExpected = conditions.allSatisfy { condition in
        switch condition.kind {
        case .severalOwners: hasSeveralOwners
        case .abstractEntity: newer[condition.entity]?.isAbstract == true
        case .duplicateKeys: duplicates["\(condition.entity): \(condition.property ?? "")"] == condition.count
        default: false
        }
      }
      if !isExpected { Issue.record("\(text): \(error)") }
      let after = try ObjectContents(path: path, model: older)
      if let difference = after.difference(from: before, older, keepsOrder: { $0.isOrdered }) {
        Issue.record("\(text): refused, and changed: \(difference)")
        return .failed
      }
      return isExpected ? .refused : .failed
    } catch {
      Issue.record("\(text): \(error)")
      return .failed
    }
    if !duplicates.isEmpty {
      Issue.record("\(text): not refused for \(duplicates)")
      return .failed
    }
    let newHistory = try HistoryContents(path: path, model: newer)
    if let difference = newHistory.difference(from: history.mapped(from: older, to: newer, offsets: offsets)) {
      Issue.record("\(text): \(difference)\n\(plan)")
      return .failed
    }
    if let difference = try differences(path, expected, older, newer, plan, folder: stores.folder) {
      Issue.record("\(text): \(difference)\n\(plan)")
      return .failed
    }
    return .migrated
  }

  private func differences(
    _ path: String, _ expected: ObjectContents, _ older: ManagedObjectModel, _ newer: ManagedObjectModel,
    _ plan: MigrationPlan, folder: TemporaryFolder
  ) throws -> String? {
    let found = try ObjectContents(path: path, model: newer)
    let ordered = { (relationship: Relationship) in Self.keepsOrder(relationship, older) }
    if let difference = found.difference(from: expected, newer, keepsOrder: ordered) { return difference }
    let report = try StoreChecker.check(path: path, model: newer)
    if !report.isSound || !report.isCompatible || report.digestMatches != true { return "check: \(report.findings)" }
    if !report.remarks.isEmpty { return "\(report.remarks)" }
    let fresh = folder.path("fresh.sqlite")
    try SQLiteStore.create(path: fresh, model: newer).close()
    return try SchemaText(path: path).difference(
      from: SchemaText(path: fresh),
      appended: Dictionary(plan.tables.map { ($0.name, $0.appendedColumns) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Whether a relationship was ordered before too, under its name or its earlier one.
  private static func keepsOrder(_ relationship: Relationship, _ older: ManagedObjectModel) -> Bool {
    guard relationship.isOrdered else { return false }
    let entity = relationship.declaringEntity.description
    guard let old = older[entity.name] ?? entity.renamingIdentifier.flatMap({ older[$0] }) else { return false }
    let name = relationship.description.renamingIdentifier ?? relationship.name
    return (old.relationship(relationship.name) ?? old.relationship(name))?.isOrdered == true
  }
}
