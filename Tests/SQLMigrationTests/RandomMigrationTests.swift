import Foundation
import ObjectModel
import StoreInterface
import TestMigrations
import TestRows
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// `SEEDBED_RANDOM_MIGRATIONS` says how many to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("Migrated in place, a random store is what plain rules make of it")
struct RandomMigrationTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_MIGRATIONS", count: 150, size: 50)

  @Test("objects, links, history, schema and bookkeeping, after every migration", arguments: parts)
  func migrations(seeds: ClosedRange<UInt64>) throws {
    let outcomes = try RandomSeeds.tally(seeds, until: .failed, migrate)
    if outcomes[.failed] != nil { return }
    // Most edits must come to a migration, or nothing is shown.
    if seeds.count >= 50 { #expect(outcomes[.migrated, default: 0] * 3 > seeds.count, "\(outcomes)") }
  }

  private func migrate(_ seed: UInt64) throws -> MigrationOutcome {
    var random = SeededGenerator(seed: seed)
    // What the random models lack is there in every third case before the edits.
    var stores = try RandomStores(&random, tracksHistory: seed % 2 == 0) { entities, random in
      guard seed % 3 == 1 else { return }
      var edits = RandomModelEdits(entities, SeededGenerator(seed: random.next()))
      edits.enrich()
      entities = edits.entities
    }
    try stores.change()
    if seed % 2 == 0 { try stores.change() }
    let older = stores.model
    var edits = RandomModelEdits(older, SeededGenerator(seed: random.next()))
    edits.edit(count: Int(seed % 5) + (seed % 4 < 2 ? 1 : 0))
    if seed % 4 > 0 { edits.editOddly(count: Int(seed % 4)) }
    if seed % 3 == 0 { edits.constrain() }
    guard let newer = try? ManagedObjectModel(entities: edits.entities) else { return .notAModel }
    guard (try? older.inferredMappingModel(to: newer, mergesHierarchies: true)) != nil else { return .notInferred }
    let path = stores.sqlite.path
    // Derived values are computed at the end.
    try stores.sqlite.seal(journal: .delete)
    // Core Data's triggers count an object twice that leads to itself when it is inserted.
    let isDerivedRight = try Self.derivedDifference(path, older) == nil
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
    let derived = isDerivedRight ? try Self.derivedDifference(path, newer) : nil
    if let difference = try derived ?? differences(path, expected, older, newer, plan, folder: stores.folder) {
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

  /// Where a derived attribute has not what follows from the others; nil where all have.
  private static func derivedDifference(_ path: String, _ model: ManagedObjectModel) throws -> String? {
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    let store = try SQLiteStore.open(path: path, model: model, options: options)
    defer { try? store.close() }
    for entity in model.entities where !entity.isAbstract {
      let attributes = entity.attributes
      for row in try store.snapshots(FetchSpecification(entity)) where row.objectID.entity == entity {
        for (attribute, value) in zip(attributes, row.attributes) {
          guard let text = attribute.derivation?.expression, store.layout.computes(attribute.name, of: entity) else {
            continue
          }
          var wanted = Value.null
          if let list = text.split(separator: ".").first.flatMap({ entity.relationship(String($0)) }) {
            wanted = .integer(Int64(try store.members(of: row.objectID, relationship: list).count))
          } else if let place = attributes.firstIndex(where: { text == "uppercase:(\($0.name))" }),
            case .string(let source) = row.attributes[place]
          {
            wanted = .string(source.uppercased())
          }
          if value != wanted { return "\(row.objectID).\(attribute.name) (\(text)): \(value), not \(wanted)" }
        }
      }
    }
    return nil
  }

  /// Whether a relationship was ordered before too, under its name or its earlier one.
  private static func keepsOrder(_ relationship: Relationship, _ older: ManagedObjectModel) -> Bool {
    guard relationship.isOrdered else { return false }
    let entity = relationship.declaringEntity
    let names = RenamingRules.newNames(from: older, to: entity.model)
    guard let old = names.first(where: { $0.value == entity.name }).flatMap({ older[$0.key] }) else { return false }
    let source = RenamingRules.source(of: relationship, entity, old)
    return source.flatMap { old.relationship($0) }?.isOrdered == true
  }
}
