import Foundation
import ObjectModel
import StoreInterface
import TestRows
import TestSupport
import Testing

/// `SEEDBED_RANDOM_MODELS` says how many models to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("Both stores answer alike over random models")
struct RandomModelTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_MODELS", count: 120, size: 20)

  @Test("objects, members, ids, counts and dictionaries, after every save", arguments: parts)
  func answers(seeds: ClosedRange<UInt64>) throws {
    var counts = (answered: 0, refused: 0)
    for seed in seeds {
      if try !agree(seed, &counts) { return }
    }
    #expect(counts.answered > 4 * counts.refused, "\(counts)")
  }

  private func agree(_ seed: UInt64, _ counts: inout (answered: Int, refused: Int)) throws -> Bool {
    var random = SeededGenerator(seed: seed)
    var stores = try RandomStores(&random)
    var requests = RandomFetch(stores.model, seed: random.next())
    for round in 0..<2 {
      try stores.change()
      requests.objectIDs = try stores.memory.allObjectIDs
      let text = "seed \(seed), save \(round)"
      guard try stores.haveSameRows(text), try answerAlike(stores, &requests, text, &counts) else { return false }
    }
    return true
  }

  private func answerAlike(
    _ stores: RandomStores, _ requests: inout RandomFetch, _ text: String,
    _ counts: inout (answered: Int, refused: Int)
  ) throws -> Bool {
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
      if case .success = expected { counts.answered += 1 } else { counts.refused += 1 }
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
