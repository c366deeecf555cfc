import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

/// `SEEDBED_RANDOM_BATCHES` says how many models to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("Batches over random models")
struct RandomModelBatchTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_BATCHES", count: 90, size: 45)

  @Test("delete, update and insert in the SQLite store what they do in the one in memory", arguments: parts)
  func batches(seeds: ClosedRange<UInt64>) throws {
    var counts = BatchOutcome()
    for seed in seeds {
      guard let done = try agree(seed) else { return }
      counts.deletedCount += done.deletedCount
      counts.updatedCount += done.updatedCount
      counts.insertedCount += done.insertedCount
      counts.relatedCount += done.relatedCount
    }
    // Not all were refused, or about nothing.
    if seeds.count > 40 {
      #expect(
        counts.deletedCount > 0 && counts.updatedCount > 0 && counts.insertedCount > 0 && counts.relatedCount > 0)
    }
  }

  /// - Returns: what the batches did; nil where the stores do not agree.
  private func agree(_ seed: UInt64) throws -> BatchOutcome? {
    var random = SeededGenerator(seed: seed)
    let isConstrained = random.isOneOf(3)
    let tracksHistory = random.isOneOf(4)
    var stores = try RandomStores(&random, tracksHistory: tracksHistory, isUnderConstruction: false) {
      entities, random in
      for index in entities.indices {
        BatchRules.add(to: &entities[index], &random)
        if isConstrained { BatchRules.addConstraint(to: &entities[index], &random) }
      }
    }
    // What is there by saves has no unique values.
    if !isConstrained { for _ in 0..<2 { try stores.change() } }
    let start = try tracksHistory ? stores.lastTransactions() : (0, 0)
    var batches = RandomBatches(stores.model, seed: random.next())
    var counts = BatchOutcome()
    for round in 0..<12 {
      batches.fetch.objectIDs = try stores.memory.allObjectIDs
      let (work, text) = try batches.next(isFirst: isConstrained && round < 4, &stores)
      let wantsIDs = random.isOneOf(2)
      let expected = result { try stores.memory.perform(StoreBatch(work(), wantsObjectIDs: wantsIDs)) }
      let limit = random.isOneOf(2) ? 1 : 1_000_000
      let batch = StoreBatch(work(), wantsObjectIDs: wantsIDs)
      let found = result { try stores.sqlite.perform(batch, rebuildsFrom: limit) }
      let place = "seed \(seed), batch \(round): \(text)"
      if found.text != expected.text {
        Issue.record("\(place)\nfound    \(found.text)\nexpected \(expected.text)")
        return nil
      }
      if let outcome = found.outcome { counts.add(outcome.counts) }
      guard try stores.haveSameRows(place) else { return nil }
      guard try !tracksHistory || stores.haveSameHistory(after: start, place) else { return nil }
      // The store in memory takes back what it wrote, but not the keys that it gave out.
      if found.outcome == nil, text.hasPrefix("insert") { break }
    }
    try stores.sqlite.close()
    let report = try StoreChecker.check(path: stores.sqlite.path, model: stores.model)
    let allowed: Set<StoreFinding.Code> = [.danglingReference, .toManyCount, .missingValue]
    let findings = report.findings.filter { !allowed.contains($0.code) }
    #expect(findings.isEmpty, "seed \(seed): \(findings)")
    return findings.isEmpty ? counts : nil
  }

  private func result(_ body: () throws -> BatchOutcome) -> (text: String, outcome: BatchOutcome?) {
    do {
      let outcome = try body()
      func keys(_ ids: [ObjectID]) -> String {
        ids.map { "\($0.entity.name)\($0.primaryKey ?? 0)" }.joined(separator: " ")
      }
      let text =
        "\(outcome.insertedCount) inserted \(keys(outcome.inserted)), \(outcome.updatedCount) updated "
        + "\(keys(outcome.updated)), \(outcome.deletedCount) deleted \(keys(outcome.deleted)), "
        + "\(outcome.relatedCount) related \(keys(outcome.related))"
      return (text, outcome)
    } catch let error as ValidationError {
      // SQLite does not tell numbers apart as the model does.
      let number = #/of type (decimal|double|integer) /#
      let texts = error.problems.map { $0.description.replacing(number, with: "a number ") }
      return (texts.sorted().joined(separator: "\n"), nil)
    } catch StoreError.constraintConflict {
      return ("a constraint", nil)
    } catch {
      return ("\(error)", nil)
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// What random models of other tests do not have: rules for deletions and values, constraints.
enum BatchRules {
  static func add(to entity: inout EntityDefinition, _ random: inout SeededGenerator) {
    let rules: [DeleteRule] = [.nullify, .nullify, .nullify, .cascade, .cascade, .deny, .noAction]
    for index in entity.relationships.indices {
      entity.relationships[index].deleteRule = rules[Int.random(in: rules.indices, using: &random)]
      if random.isOneOf(4) {
        entity.relationships[index].isOptional = random.isOneOf(2)
        if entity.relationships[index].isToMany {
          entity.relationships[index].minimumCount = Int.random(in: 1...2, using: &random)
        }
      }
    }
    for index in entity.attributes.indices {
      let type = entity.attributes[index].type
      let isNumber = [AttributeType.integer16, .integer32, .integer64].contains(type)
      if isNumber, random.isOneOf(3) {
        entity.attributes[index].defaultValue = .integer(Int64.random(in: -1...2, using: &random))
      }
      if type == .boolean, random.isOneOf(3) {
        entity.attributes[index].defaultValue = .boolean(Bool.random(using: &random))
      }
      if type == .string, random.isOneOf(4) { entity.attributes[index].defaultValue = .string("a") }
      if isNumber, random.isOneOf(6) { entity.attributes[index].maximumValue = .integer(6) }
      if type == .string, random.isOneOf(8) { entity.attributes[index].maximumValue = .integer(3) }
      if random.isOneOf(10) { entity.attributes[index].isOptional = false }
      for element in (entity.attributes[index].composite?.elements ?? []).indices where random.isOneOf(2) {
        entity.attributes[index].composite?.elements[element].isOptional = false
      }
    }
  }

  static func addConstraint(to entity: inout EntityDefinition, _ random: inout SeededGenerator) {
    let types: Set<AttributeType> = [.integer16, .integer32, .integer64, .boolean, .string, .date, .uuid, .decimal]
    var names = entity.attributes.filter { types.contains($0.type) }.map(\.name)
    names += entity.relationships.filter { !$0.isToMany && $0.inverseName == nil }.map(\.name)
    names.shuffle(using: &random)
    let count = Int.random(in: 0...2, using: &random)
    if count > 0, names.count >= count { entity.uniquenessConstraints.append(Array(names.prefix(count))) }
    if names.count > 2, random.isOneOf(3) { entity.uniquenessConstraints.append([names[2]]) }
  }
}

/// Random batches over a model.
struct RandomBatches {
  var fetch: RandomFetch

  init(_ model: ManagedObjectModel, seed: UInt64) { fetch = RandomFetch(model, seed: seed) }

  /// A batch, made anew for each store, and what it is.
  mutating func next(isFirst: Bool, _ stores: inout RandomStores) throws -> (() -> StoreBatch.Work, String) {
    if isFirst || fetch.below(3) == 0, let insertion = try insertion(&stores) { return insertion }
    let request = try fetch.request()
    if fetch.below(2) == 0 {
      var deletion = BatchDeletion(request)
      if fetch.below(6) == 0 { deletion.selections.append(try fetch.request()) }
      let made = deletion
      let texts = made.selections.map {
        "\($0.entity.name) \($0.includesSubentities ? "" : "alone ")\($0.predicate) \($0.sortDescriptors) "
          + "\($0.fetchOffset)+\($0.fetchLimit)"
      }
      return ({ .delete(made) }, "delete \(texts)")
    }
    var selection = request
    (selection.sortDescriptors, selection.fetchLimit, selection.fetchOffset) = ([], 0, 0)
    let update = BatchUpdate(selection, assignments: assignments(selection.entity))
    let text =
      "update \(selection.entity.name) \(selection.includesSubentities ? "" : "alone ")\(selection.predicate): "
      + "\(update.assignments)"
    return ({ .update(update) }, text)
  }

  private mutating func assignments(_ entity: Entity) -> [String: FetchExpression] {
    let leaves = entity.storedLeaves.filter { $0.attribute.derivation == nil }
    var result: [String: FetchExpression] = [:]
    for _ in 0...fetch.below(3) where !leaves.isEmpty {
      let leaf = fetch.pick(leaves)
      result[leaf.path] = expression(entity, leaf.attribute.type)
    }
    return result
  }

  private mutating func expression(_ entity: Entity, _ type: AttributeType) -> FetchExpression {
    if fetch.below(10) == 0 { return .constant(.null) }
    if fetch.below(8) == 0 { return fetch.value(entity, .other) ?? fetch.text(entity, depth: 2) }
    switch type {
    case .string: return fetch.text(entity, depth: 2)
    case .date:
      let seconds = FetchExpression.constant(.integer(Int64(fetch.below(9)) * 3_600))
      let date = fetch.value(entity, .date) ?? .constant(.date(Date(timeIntervalSinceReferenceDate: 7)))
      return fetch.pick([
        date, .function(.add, [date, seconds]), .cast(fetch.number(entity, depth: 1), .date),
        fetch.number(entity, depth: 1),
      ])
    case .binary, .uuid, .uri:
      return fetch.value(entity, .other)
        ?? fetch.pick([
          .constant(.data(Data([1, 2]))), .constant(.uuid(RandomStores.uuid(1))),
          .constant(URL(string: "https://example.org/9").map { .uri($0) } ?? .null),
        ])
    default: return fetch.number(entity, depth: 2)
    }
  }

  private mutating func insertion(_ stores: inout RandomStores) throws -> (() -> StoreBatch.Work, String)? {
    let entities = fetch.model.entities.filter { !$0.isAbstract }
    guard !entities.isEmpty else { return nil }
    let entity = fetch.pick(entities)
    let rule = fetch.pick(BatchInsertion.ConflictRule.allCases)
    let ends = entity.relationships.filter { relationship in
      !relationship.isToMany && relationship.inverse.map { $0.isToMany } != false
    }
    var rows: [[String: BatchRowWriter.Content]] = []
    for _ in 0..<fetch.below(8) {
      var row: [String: BatchRowWriter.Content] = [:]
      for leaf in entity.storedLeaves where leaf.attribute.derivation == nil && fetch.below(4) > 0 {
        row[leaf.path] = .value(stores.value(leaf.attribute))
      }
      for end in ends where fetch.below(3) > 0 {
        let known = fetch.objectIDs.filter { $0.entity.isKind(of: end.destination) }
        if fetch.below(6) == 0 || known.isEmpty {
          row[end.name] = .value(.null)
        } else if fetch.below(40) == 0 {
          row[end.name] = .object(
            stores.memory.id(of: end.destination, 999))
        } else {
          row[end.name] = .object(fetch.pick(known))
        }
      }
      rows.append(row)
    }
    let capacity = 1 + fetch.below(5)
    let made = rows
    let work = {
      var writer = BatchRowWriter(entity, capacity: capacity)
      var rest = made[...]
      return StoreBatch.Work.insert(
        BatchInsertion(entity, conflictRule: rule) {
          writer.clear()
          while !writer.isFull, let row = rest.popFirst() { try writer.append(row) }
          return writer.batch.count > 0 ? writer.batch : nil
        })
    }
    return (work, "insert \(entity.name) \(rule) \(entity.uniquenessConstraints) \(rows)")
  }
}
