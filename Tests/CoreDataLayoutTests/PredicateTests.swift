import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("predicates in SQL mean what the in-memory store says they mean")
struct PredicateTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let stop: Entity
  private let sqlite: SQLiteStore
  private let memory: InMemoryStore

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.transit()
    stop = try model.required("Stop")
    sqlite = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    memory = InMemoryStore(model: model)
    try fill(sqlite)
    try fill(memory)
  }

  private static let names = ["Ä", "a", "b%", "Straße", ""]

  private func fill(_ store: any PersistentStore) throws {
    let station = try model.required("Station")
    _ = try store.reservePrimaryKeys(40, for: stop)
    var request = SaveRequest()
    for key in Int64(1)...40 {
      let entity = key % 5 == 0 ? station : stop
      let attributes = entity.attributes.map { attribute -> Value in
        switch attribute.name {
        case "identifier": key == 7 ? .null : .string("s\(key)")
        case "name": key % 3 == 0 ? .null : .string(Self.names[Int(key % 5)] + (key % 2 == 0 ? "x" : ""))
        case "zone": key % 4 == 0 ? .null : .integer(key % 7 - 3)
        case "latitude": key % 6 == 0 ? .null : .double(Double(key) / 4)
        default: .null
        }
      }
      request.inserted.append(
        Snapshot(
          objectID: id(store, entity, key), version: 1, attributes: attributes,
          toOne: entity.relationships.map { relationship in
            guard relationship.name == "parent", key > 3, key % 2 == 0 else { return nil }
            return id(store, (key / 2) % 5 == 0 ? station : stop, key / 2)
          }))
    }
    try store.save(request)
  }

  private func id(_ store: any PersistentStore, _ entity: Entity, _ key: Int64) -> ObjectID {
    store.id(of: entity, key)
  }

  private func keys(_ store: any PersistentStore, _ make: (any PersistentStore) -> FetchSpecification) throws
    -> [Int64?]
  {
    let request = make(store)
    let found = try store.snapshots(request)
    #expect(try store.count(request) == found.count)
    return found.map(\.objectID.primaryKey)
  }

  private static let values: [Value] = [
    .null, .integer(1), .integer(-3), .double(2.5), .boolean(true), .decimal(1), .string("a"), .string("s12"),
    .string(""), .string("x"), .string("Ä"), .data(Data([1])), .double(.nan),
  ]
  private static let paths: [[String]] = [
    ["identifier"], ["name"], ["zone"], ["latitude"], ["parent", "name"],
  ]

  @Test(
    "every operator with every kind of constant, plain and negated",
    arguments: FetchPredicate.PlainOperator.allCases)
  func comparisons(comparison: FetchPredicate.PlainOperator) throws {
    for path in Self.paths {
      for value in Self.values {
        for isNegated in [false, true] {
          let part = FetchPredicate.comparison(path, comparison, value)
          let request: (any PersistentStore) -> FetchSpecification = { _ in
            var request = FetchSpecification(stop)
            request.predicate = isNegated ? .not(part) : part
            return request
          }
          #expect(try keys(sqlite, request) == keys(memory, request), "\(path) \(comparison) \(value) \(isNegated)")
        }
      }
    }
  }

  private typealias Maker = (any PersistentStore) -> FetchPredicate

  @Test("lists, tuples, references and identities", arguments: [3, 5_000])
  func lists(length: Int) throws {
    let identifiers = (0..<length).map { Value.string("s\($0 * 2)") }
    let tuples = (0..<length).map { number -> [Value] in
      let zone: Value = number % 4 == 0 ? .null : .integer(Int64(number % 7 - 3))
      return [.string("s\(number)"), zone]
    }
    let makers: [Maker] = [
      { _ in .isIn(["identifier"], identifiers) },
      { _ in .not(.isIn(["identifier"], identifiers)) },
      { _ in .not(.isIn(["identifier"], identifiers + [.null, .integer(3)])) },
      { _ in .isIn(["identifier"], []) },
      { _ in .isIn(["parent", "name"], [.null, .string("ax")]) },
      { _ in .tupleIsIn([["identifier"], ["zone"]], tuples) },
      { _ in .not(.tupleIsIn([["identifier"], ["zone"]], tuples)) },
      { store in .refersTo(["parent"], id(store, stop, 4)) },
      { _ in .not(.refersTo(["parent"], nil)) },
      { store in
        let ids = (1...Int64(length)).map { id(store, stop, $0) }
        return .selfIsIn(ids)
      },
      { store in .not(.selfIsIn([id(store, stop, 2), id(store, stop, 5)])) },
      { _ in .and([]) }, { _ in .or([]) }, { _ in .not(.all) }, { _ in .none },
      { _ in .or([.comparison(["zone"], .less, .integer(0)), .comparison(["name"], .equal, .null)]) },
    ]
    for (index, make) in makers.enumerated() {
      let request: (any PersistentStore) -> FetchSpecification = { store in
        var request = FetchSpecification(stop)
        request.predicate = make(store)
        return request
      }
      #expect(try keys(sqlite, request) == keys(memory, request), "case \(index)")
    }
  }

  @Test("order, limit, offset and sub-entities", arguments: [true, false])
  func order(includesSubentities: Bool) throws {
    for path in Self.paths {
      for isAscending in [true, false] {
        let request: (any PersistentStore) -> FetchSpecification = { _ in
          var request = FetchSpecification(stop)
          request.sortDescriptors = [.init(path, ascending: isAscending)]
          request.includesSubentities = includesSubentities
          request.fetchLimit = 11
          request.fetchOffset = 5
          return request
        }
        #expect(try keys(sqlite, request) == keys(memory, request), "\(path) \(isAscending)")
      }
    }
  }

  @Test("a key path that leads nowhere is an error", arguments: [["nowhere"], ["routes", "code"], ["parent"], []])
  func wrongKeyPath(path: [String]) throws {
    var request = FetchSpecification(stop)
    request.predicate = .comparison(path, .equal, .integer(1))
    #expect(throws: StoreError.self) { try sqlite.snapshots(request) }
  }

  @Test("snapshots are the same in both stores")
  func snapshots() throws {
    func plain(_ store: any PersistentStore) throws -> [[String]] {
      try store.snapshots(FetchSpecification(stop)).map { snapshot in
        [snapshot.objectID.entity.name, "\(snapshot.version)", "\(snapshot.attributes)"]
          + snapshot.toOne.map { "\($0?.entity.name ?? "-") \($0?.primaryKey ?? 0)" }
      }
    }
    #expect(try plain(sqlite) == plain(memory))
  }
}
