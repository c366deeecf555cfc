import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

/// `SEEDBED_RANDOM_MODELS` says how many models to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("Both stores answer alike over random models")
struct RandomModelTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_MODELS", count: 120, size: 20)

  @Test("objects, members, ids, counts and dictionaries, after every save", arguments: parts)
  func answers(seeds: ClosedRange<UInt64>) throws {
    for seed in seeds {
      if try !agree(seed) { return }
    }
  }

  private func agree(_ seed: UInt64) throws -> Bool {
    var random = SeededGenerator(seed: seed)
    var stores = try RandomStores(&random)
    var requests = RandomFetch(stores.model, seed: random.next())
    for round in 0..<2 {
      try stores.change()
      requests.objectIDs = try stores.memory.allObjectIDs
      let text = "seed \(seed), save \(round)"
      guard try haveSameRows(stores, text), try answerAlike(stores, &requests, text) else { return false }
    }
    return true
  }

  private func haveSameRows(_ stores: RandomStores, _ text: String) throws -> Bool {
    for entity in stores.model.entities {
      let found = try stores.sqlite.snapshots(FetchSpecification(entity))
      let expected = try stores.memory.snapshots(FetchSpecification(entity))
      if found.map({ Plain($0) }) != expected.map({ Plain($0) }) {
        Issue.record("\(text): rows of \(entity.name): \(found.map { Plain($0) }), not \(expected.map { Plain($0) })")
        return false
      }
      for (left, right) in zip(found, expected) {
        for relationship in left.objectID.entity.relationships where relationship.isToMany {
          let members = try stores.sqlite.members(of: left.objectID, relationship: relationship).map { Plain.text($0) }
          let wanted = try stores.memory.members(of: right.objectID, relationship: relationship).map { Plain.text($0) }
          if members != wanted {
            Issue.record("\(text): \(Plain.text(left.objectID)).\(relationship.name): \(members), not \(wanted)")
            return false
          }
        }
      }
    }
    return true
  }

  private func answerAlike(_ stores: RandomStores, _ requests: inout RandomFetch, _ text: String) throws -> Bool {
    for number in 0..<14 {
      let request = try number % 2 == 0 ? requests.request() : requests.rowRequest()
      let text =
        "\(text), request \(number): \(request.entity.name) \(request.predicate) \(request.propertiesToFetch) by "
        + "\(request.propertiesToGroupBy) \(String(describing: request.havingPredicate)) \(request.sortDescriptors) "
        + "\(request.fetchOffset)+\(request.fetchLimit)\(request.returnsDistinctResults ? " distinct" : "")"
      // Random ones may be refused, by both.
      let found = Result { try answer(stores.sqlite, request) }
      let expected = Result { try answer(stores.memory, request) }
      if (try? found.get()) != (try? expected.get()) {
        Issue.record("\(text)\nfound    \(found)\nexpected \(expected)")
        return false
      }
    }
    return true
  }

  /// What a store says, without its identifier.
  private func answer(_ store: any PersistentStore, _ request: FetchSpecification) throws -> [String] {
    if request.resultType == .dictionaries {
      return try store.rows(request).dictionaries.map { row in
        row.map { "\($0.key): \(Plain.text($0.value))" }.sorted().joined(separator: ", ")
      }
    }
    let rows = try store.snapshots(request)
    let ids = try store.objectIDs(request) == rows.map(\.objectID)
    let count = try store.count(request) == rows.count
    return rows.map { "\(Plain($0))" } + ["ids \(ids), count \(count)"]
  }
}

/// A row without its store's identifier.
private struct Plain: Equatable, CustomStringConvertible {
  let description: String

  init(_ row: Snapshot) {
    description =
      "\(Self.text(row.objectID)) v\(row.version) \(row.attributes.map(Self.plain)) \(row.toOne.map { $0.map(Self.text) ?? "-" })"
  }

  /// Elements of composites have no order.
  private static func plain(_ value: Value) -> String {
    guard case .composite(let elements) = value else { return "\(value)" }
    return "{" + elements.map { "\($0.key): \(plain($0.value))" }.sorted().joined(separator: ", ") + "}"
  }

  static func text(_ id: ObjectID) -> String { "\(id.entity.name) \(id.primaryKey ?? 0)" }

  /// Sums of reals may differ in the last bits.
  static func text(_ value: ExpressionValue) -> String {
    switch value {
    case .object(let id): text(id)
    case .value(.double(let number)): "double \(Float(number))"
    default: "\(value)"
    }
  }
}
