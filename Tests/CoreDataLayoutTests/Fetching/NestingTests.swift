import CoreDataLayout
import Dispatch
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Deeply nested predicates")
struct NestingTests {
  /// What nests, and how deeply it must be read at least.
  private static let shapes: [(name: String, atLeast: Int, make: @Sendable (Int) -> String)] = [
    (
      "parentheses around a predicate", 95,
      { String(repeating: "(", count: $0) + "a == 1" + String(repeating: ")", count: $0) }
    ),
    (
      "a disjunction as query builders write it", 90,
      { depth in
        String(repeating: "(", count: depth) + "a == 0" + (1...depth).map { " OR a == \($0))" }.joined()
      }
    ),
    (
      "alternating words", 90,
      { depth in
        String(repeating: "(", count: depth) + "a == 0"
          + (1...depth).map { $0 % 2 == 0 ? " OR a == b + \($0))" : " AND NOT b == \($0))" }.joined()
      }
    ),
    ("NOT", 95, { String(repeating: "NOT ", count: $0) + "a == 1" }),
    ("a sum", 45, { "a == b" + String(repeating: " + 1", count: $0) }),
    (
      "a difference in parentheses", 45,
      { "a == " + String(repeating: "(b - ", count: $0) + "1" + String(repeating: ")", count: $0) }
    ),
    ("functions", 30, { "a == " + String(repeating: "abs:(", count: $0) + "b" + String(repeating: ")", count: $0) }),
    (
      "conditions", 22,
      {
        "a == " + String(repeating: "TERNARY(a == 1, b, ", count: $0) + "1" + String(repeating: ")", count: $0)
      }
    ),
    (
      "conditions in conditions", 16,
      {
        String(repeating: "TERNARY(", count: $0) + "a == 1" + String(repeating: ", a, b) == 1", count: $0)
      }
    ),
    (
      "subqueries", 12,
      { depth in
        (0..<depth).map { "SUBQUERY(others, $v\($0), " }.joined() + "a == 1"
          + String(repeating: ").@count > 0", count: depth)
      }
    ),
    ("powers", 30, { "a == " + String(repeating: "b ** ", count: $0) + "1" }),
    ("signs", 30, { "a == " + String(repeating: "- ", count: $0) + "b" }),
    ("lists", 45, { "a IN " + String(repeating: "{", count: $0) + "b" + String(repeating: "}", count: $0) }),
  ]

  @Test("the deepest format that is read passes every walk on the stack of a worker thread", arguments: shapes.indices)
  func deepest(shape: Int) throws {
    let (name, expected, make) = Self.shapes[shape]
    let folder = try TemporaryFolder()
    var node = EntityDefinition("Node")
    node.attributes = [AttributeDefinition("a", .integer64), AttributeDefinition("b", .integer64)]
    node.relationships = [RelationshipDefinition("others", toMany: "Node", inverse: "others")]
    let model = try ManagedObjectModel(entities: [node])
    let entity = try model.required("Node")
    let stores: [any PersistentStore] = [
      try SQLiteStore.create(path: folder.path("nodes.sqlite"), model: model), InMemoryStore(model: model),
    ]
    for store in stores {
      _ = try store.reservePrimaryKeys(1, for: entity)
      let id = store.id(of: entity, 1)
      var request = SaveRequest()
      request.inserted = [Snapshot(objectID: id, version: 1, attributes: [.integer(1), .integer(2)], toOne: [nil])]
      try store.save(request)
    }
    let reached = DispatchSemaphore(value: 0)
    let thread = Thread {
      // The greatest depth that the parser takes.
      let depth = (1...200).first { (try? FetchPredicate(parsing: make($0 + 1))) == nil } ?? 0
      #expect(depth >= expected, "\(name): \(depth)")
      #expect(throws: Never.self, "\(name)") {
        let predicate = try FetchPredicate(parsing: make(depth))
        #expect(try FetchPredicate(parsing: predicate.predicateFormat) == predicate)
        _ = predicate.generalized.hashValue
        _ = predicate.substitutionVariables
        var request = FetchSpecification(entity)
        request.predicate = predicate
        let found = try stores.map { try $0.count(request) }
        #expect(found[0] == found[1])
      }
      reached.signal()
    }
    // Frames of a build with a sanitizer are many times as large.
    let isSanitized = ProcessInfo.processInfo.environment["SEEDBED_SANITIZER"] != nil
    thread.stackSize = isSanitized ? 16 << 20 : 512 << 10
    thread.start()
    reached.wait()
  }
}
