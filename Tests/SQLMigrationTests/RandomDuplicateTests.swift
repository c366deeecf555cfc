import Foundation
import ObjectModel
import StoreInterface
import TestRows
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// `SEEDBED_RANDOM_DUPLICATES` says how many to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("Duplicates of a random store are resolved as plain rules resolve them")
struct RandomDuplicateTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_DUPLICATES", count: 150, size: 75)

  private enum Outcome: Hashable { case resolved, refused, nothing, failed }

  @Test("objects, links and history, and what is refused", arguments: parts)
  func resolution(seeds: ClosedRange<UInt64>) throws {
    let outcomes = try RandomSeeds.tally(seeds, until: .failed, resolve)
    if outcomes[.failed] != nil { return }
    // Both must happen often, or nothing is shown.
    if seeds.count >= 75 {
      #expect(outcomes[.resolved, default: 0] > 20 && outcomes[.refused, default: 0] > 1, "\(outcomes)")
    }
  }

  /// Limits for some relationships.
  private static func prepare(_ entities: inout [EntityDefinition], _ random: inout SeededGenerator) {
    func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    for index in entities.indices {
      if entities[index].superentityName == nil {
        entities[index].attributes.append(AttributeDefinition("key", .boolean))
      }
      for position in entities[index].relationships.indices where isOneOf(4) {
        if entities[index].relationships[position].isToMany, isOneOf(2) {
          entities[index].relationships[position].maximumCount = 2
        } else {
          entities[index].relationships[position].isOptional = false
        }
      }
    }
  }

  /// One or two constraints of attributes that entities declare themselves.
  private static func constrain(_ entities: inout [EntityDefinition], _ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let index = Int.random(in: 0..<entities.count, using: &random)
      let names = entities[index].attributes.filter { !$0.isTransient && $0.type != .binary && $0.type != .composite }
        .map(\.name)
      // Of two values many are the same.
      let isPlain = names.contains("key") && Bool.random(using: &random)
      let chosen =
        isPlain ? ["key"] : Array(names.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
      if !chosen.isEmpty { entities[index].uniquenessConstraints = [chosen] }
    }
  }

  private func resolve(_ seed: UInt64) throws -> Outcome {
    var random = SeededGenerator(seed: seed)
    var stores = try RandomStores(&random, tracksHistory: seed % 2 == 0, change: Self.prepare)
    try stores.change()
    if seed % 3 == 0 { try stores.change() }
    let older = stores.model
    var entities = older.definitions
    Self.constrain(&entities, &random)
    let newer = try ManagedObjectModel(entities: entities)
    let path = stores.sqlite.path
    try stores.sqlite.close()
    let policies: [StoreMigration.DuplicatePolicy] = [.keepFirst, .keepLast, .merge]
    var options = StoreMigration.Options()
    options.duplicates = policies[Int(seed / 2 % 3)]
    let before = try ObjectContents(path: path, model: older)
    let history = try HistoryContents(path: path, model: older)
    var oracle = DuplicateOracle(before, newer, options.duplicates)
    let isBroken = oracle.resolve(StoreLayout(model: newer).indexes.compactMap(\.constraint))
    let text = "seed \(seed), \(options.duplicates)"
    do {
      let report = try StoreMigration.run(storeAt: path, from: older, to: newer, options: options)
      if isBroken {
        Issue.record("\(text): not refused")
        return .failed
      }
      if report.removedDuplicates.values.reduce(0, +) != oracle.removed.count {
        Issue.record("\(text): \(report.removedDuplicates), not \(oracle.removed)")
        return .failed
      }
    } catch StoreMigrationError.conditions(_, let conditions) {
      let after = try ObjectContents(path: path, model: older)
      let change = after.difference(from: before, older) { $0.isOrdered }
      if isBroken, change == nil { return .refused }
      Issue.record("\(text): \(conditions), \(change ?? "with no reason")")
      return .failed
    } catch {
      Issue.record("\(text): \(error)")
      return .failed
    }
    let after = try ObjectContents(path: path, model: newer)
    if let difference = after.difference(from: oracle.contents, newer, keepsOrder: { $0.isOrdered }) {
      Issue.record("\(text): \(difference)")
      return .failed
    }
    if let difference = try Self.difference(history, path, before, after, oracle.removed, newer) {
      Issue.record("\(text): \(difference)")
      return .failed
    }
    let report = try StoreChecker.check(path: path, model: newer)
    // Lists that were too long before may be so still.
    let findings = report.findings.filter { $0.code != .toManyCount }
    if !findings.isEmpty || !report.isCompatible { Issue.record("\(text): \(findings)") }
    return oracle.removed.isEmpty ? .nothing : .resolved
  }

  /// How the history fails to say what went and what changed; nil where it does not, or where none is kept.
  private static func difference(
    _ former: HistoryContents, _ path: String, _ before: ObjectContents, _ after: ObjectContents,
    _ removed: Set<ObjectContents.Key>, _ model: ManagedObjectModel
  ) throws -> String? {
    let history = try HistoryContents(path: path, model: model)
    if former.transactions.isEmpty { return nil }
    let added = history.transactions.dropFirst(former.transactions.count)
    guard !removed.isEmpty else { return added.isEmpty ? nil : "a transaction of nothing" }
    guard added.count == 1, let transaction = added.first else { return "\(added.count) transactions" }
    let deleted = transaction.changes.filter { $0.type == .delete }
    if Set(deleted.map(\.object)) != removed { return "history: deleted are \(deleted.map(\.object)), not \(removed)" }
    for change in deleted {
      let preserved = (model[change.object.entity]?.attributes ?? []).filter {
        $0.preservesValueInHistoryOnDeletion && !$0.allowsExternalBinaryDataStorage
      }
      for attribute in preserved {
        let value = before.objects[change.object]?.attributes[attribute.name] ?? .null
        if change.tombstone?[attribute.name] ?? .null != value {
          return "history: \(change), and it was \(value)"
        }
      }
    }
    let updates = Dictionary(
      transaction.changes.filter { $0.type == .update }.map { ($0.object, $0.properties ?? []) },
      uniquingKeysWith: { first, _ in first })
    for (key, object) in after.objects {
      guard let old = before.objects[key] else { return "history: \(key) is new" }
      let changed =
        object.attributes.filter { old.attributes[$0.key] != $0.value }.map(\.key)
        + object.links.filter { Set(old.links[$0.key] ?? []) != Set($0.value) }.map(\.key)
      let missing = Set(changed).subtracting(updates[key] ?? [])
      if !missing.isEmpty { return "history: \(key) has other \(missing.sorted()), and it says \(updates[key] ?? [])" }
    }
    if let empty = updates.first(where: \.value.isEmpty) { return "history: an update of nothing, \(empty.key)" }
    return nil
  }
}
