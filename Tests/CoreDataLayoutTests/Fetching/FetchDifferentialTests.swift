import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

@Suite("Both stores answer every request alike")
struct FetchDifferentialTests {
  @Test("objects, ids and counts of random predicates, orders and limits", arguments: UInt64(1)...20)
  func objects(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let academy = try Academy(&random)
    var requests = RandomFetch(academy.model, objectIDs: try academy.memory.allObjectIDs, seed: seed)
    for round in 0..<150 {
      let request = try requests.request()
      // Random ones may be refused, by both.
      guard let expected = outcome({ try academy.memory.snapshots(request) }) else {
        #expect(throws: (any Error).self) { try academy.sqlite.snapshots(request) }
        continue
      }
      let found = try academy.sqlite.snapshots(request)
      let text = "round \(round): \(request.entity.name) \(request.predicate) \(request.sortDescriptors)"
      #expect(found.map(\.objectID.primaryKey) == expected.map(\.objectID.primaryKey), "\(text)")
      #expect(found.map(\.attributes) == expected.map(\.attributes), "\(text)")
      #expect(try academy.sqlite.objectIDs(request) == found.map(\.objectID), "\(text)")
      #expect(try academy.sqlite.count(request) == found.count, "\(text)")
      #expect(try academy.sqlite.snapshotBlocks(request).flatMap(\.snapshots) == found, "\(text)")
      if found.map(\.objectID.primaryKey) != expected.map(\.objectID.primaryKey) { return }
    }
  }

  @Test("dictionaries: columns, distinct rows, groups, aggregates and having", arguments: UInt64(1)...20)
  func dictionaries(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let academy = try Academy(&random)
    var requests = RandomFetch(academy.model, objectIDs: try academy.memory.allObjectIDs, seed: seed &+ 1_000)
    for round in 0..<100 {
      let request = try requests.rowRequest()
      guard let expected = outcome({ try academy.memory.rows(request) }) else {
        #expect(throws: (any Error).self) { try academy.sqlite.rows(request) }
        continue
      }
      let found = try academy.sqlite.rows(request)
      let text =
        "round \(round): \(request.entity.name) \(request.predicate) \(request.propertiesToFetch) "
        + "\(request.propertiesToGroupBy) \(String(describing: request.havingPredicate)) \(request.sortDescriptors)"
      let (left, right) = (plain(found), plain(expected))
      #expect(left == right, "\(text)")
      if left != right { return }
    }
  }

  private func outcome<Result>(_ work: () throws -> Result) -> Result? { try? work() }

  /// Rows as text. Objects are named without their store; sums of reals may differ in the last bits.
  private func plain(_ rows: FetchedRows) -> [[String: String]] {
    rows.dictionaries.map { row in
      row.mapValues { value in
        switch value {
        case .object(let id): "\(id.entity.name) \(id.primaryKey ?? 0)"
        case .value(.double(let number)): "double \(Float(number))"
        default: "\(value)"
        }
      }
    }
  }
}
