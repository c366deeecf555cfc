import Foundation
import MemoryStore
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("In-memory store: fetching and saving")
struct InMemoryStoreTests {
  @Test("sorting puts missing values first and strings by their bytes, and breaks ties by primary key")
  func sorting() throws {
    let warehouse = try Warehouse()
    let codes: [(Int64, String?, Int64)] = [
      (5, "b", 1), (2, nil, 1), (9, "B", 2), (1, "é", 2), (3, "f", 2), (4, nil, 0),
    ]
    for (key, code, rank) in codes {
      try warehouse.insert(
        warehouse.snapshot(
          warehouse.id(warehouse.item, key),
          ["code": code.map { .string($0) } ?? .null, "rank": .integer(rank)]))
    }
    let all = try warehouse.keys(warehouse.item)
    #expect(all == [1, 2, 3, 4, 5, 9])
    let byCode = try warehouse.keys(warehouse.item) { $0.sortDescriptors = [.init(["code"])] }
    #expect(byCode == [2, 4, 9, 5, 3, 1])
    let descending = try warehouse.keys(warehouse.item) { $0.sortDescriptors = [.init(["code"], ascending: false)] }
    #expect(descending == [1, 3, 5, 9, 2, 4])
    let byTwo = try warehouse.keys(warehouse.item) {
      $0.sortDescriptors = [.init(["rank"], ascending: false), .init(["code"])]
    }
    #expect(byTwo == [9, 3, 1, 2, 5, 4])
    let page = try warehouse.keys(warehouse.item) {
      $0.sortDescriptors = [.init(["code"])]
      $0.fetchOffset = 1
      $0.fetchLimit = 3
    }
    #expect(page == [4, 9, 5])
    #expect(throws: StoreError.self) { try warehouse.keys(warehouse.item) { $0.sortDescriptors = [.init(["x"])] } }
  }

  @Test("sub-entities are included unless the request leaves them out")
  func subentities() throws {
    let warehouse = try Warehouse()
    try warehouse.insert(
      warehouse.snapshot(warehouse.id(warehouse.item, 1)), warehouse.snapshot(warehouse.id(warehouse.crate, 2)))
    #expect(try warehouse.keys(warehouse.item) == [1, 2])
    #expect(try warehouse.keys(warehouse.item) { $0.includesSubentities = false } == [1])
    #expect(try warehouse.keys(warehouse.crate) == [2])
    #expect(try warehouse.store.count(FetchSpecification(warehouse.item)) == 2)
  }

  @Test("primary keys are consecutive within a hierarchy and never given out twice")
  func primaryKeys() throws {
    let warehouse = try Warehouse()
    #expect(try warehouse.store.reservePrimaryKeys(3, for: warehouse.item) == 1)
    #expect(try warehouse.store.reservePrimaryKeys(1, for: warehouse.crate) == 4)
    #expect(try warehouse.store.reservePrimaryKeys(1, for: warehouse.tag) == 1)
    try warehouse.insert(warehouse.snapshot(warehouse.id(warehouse.item, 20)))
    #expect(try warehouse.store.reservePrimaryKeys(1, for: warehouse.item) == 21)
    #expect(throws: StoreError.self) { try warehouse.store.reservePrimaryKeys(-1, for: warehouse.item) }
  }

  @Test("a save that starts from an old version fails as a whole")
  func optimisticLocking() throws {
    let warehouse = try Warehouse()
    let first = warehouse.id(warehouse.item, 1)
    let second = warehouse.id(warehouse.item, 2)
    try warehouse.insert(warehouse.snapshot(first), warehouse.snapshot(second))
    var request = SaveRequest()
    request.updated = [warehouse.snapshot(first, version: 1, ["rank": .integer(1)])]
    try warehouse.store.save(request)
    request.updated = [
      warehouse.snapshot(second, version: 1, ["rank": .integer(2)]),
      warehouse.snapshot(first, version: 1, ["rank": .integer(3)]),
    ]
    request.deleted = [(objectID: warehouse.id(warehouse.item, 7), version: 4)]
    let error = #expect(throws: StoreError.self) { try warehouse.store.save(request) }
    guard case .optimisticLockingFailure(let conflicts) = error else {
      Issue.record("not a locking failure: \(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.objectID) == [first, warehouse.id(warehouse.item, 7)])
    #expect(conflicts.map(\.expected) == [1, 4])
    #expect(conflicts.map(\.found) == [2, nil])
    let rows = try warehouse.store.snapshots(FetchSpecification(warehouse.item))
    #expect(rows.map(\.version) == [2, 1])
  }

  @Test("uniqueness constraints hold within a save, against the store and across sub-entities; null never conflicts")
  func constraints() throws {
    let warehouse = try Warehouse()
    let (item, crate) = (warehouse.item, warehouse.crate)
    try warehouse.insert(
      warehouse.snapshot(warehouse.id(item, 1), ["code": .string("a")]), warehouse.snapshot(warehouse.id(item, 2)),
      warehouse.snapshot(warehouse.id(item, 3)),
      warehouse.snapshot(warehouse.id(crate, 4), ["size": .integer(1), "rank": .integer(1)]),
      warehouse.snapshot(warehouse.id(crate, 5), ["size": .integer(1)]),
      warehouse.snapshot(warehouse.id(crate, 6), ["size": .integer(1)]))
    func isConflict(_ snapshots: Snapshot...) throws -> Bool {
      var request = SaveRequest()
      request.inserted = snapshots
      let before = try warehouse.keys(item)
      do {
        try warehouse.store.save(request)
        return false
      } catch StoreError.constraintConflict {
        #expect(try warehouse.keys(item) == before)
        return true
      }
    }
    #expect(try isConflict(warehouse.snapshot(warehouse.id(item, 10), ["code": .string("a")])))
    #expect(try isConflict(warehouse.snapshot(warehouse.id(crate, 10), ["code": .string("a")])))
    #expect(try isConflict(warehouse.snapshot(warehouse.id(crate, 10), ["size": .integer(1), "rank": .integer(1)])))
    #expect(
      try isConflict(
        warehouse.snapshot(warehouse.id(item, 10), ["code": .string("n")]),
        warehouse.snapshot(warehouse.id(item, 11), ["code": .string("n")])))
    #expect(try !isConflict(warehouse.snapshot(warehouse.id(item, 10), ["code": .string("A"), "rank": .integer(1)])))
  }

  @Test("two rows may exchange their unique values, and a deleted row gives its value up")
  func exchange() throws {
    let warehouse = try Warehouse()
    let ids = (1...3).map { warehouse.id(warehouse.item, $0) }
    try warehouse.insert(
      warehouse.snapshot(ids[0], ["code": .string("a")]), warehouse.snapshot(ids[1], ["code": .string("b")]))
    var request = SaveRequest()
    request.updated = [
      warehouse.snapshot(ids[0], ["code": .string("b")]), warehouse.snapshot(ids[1], ["code": .string("a")]),
    ]
    try warehouse.store.save(request)
    request = SaveRequest()
    request.deleted = [(objectID: ids[0], version: 2)]
    request.inserted = [warehouse.snapshot(ids[2], ["code": .string("b")])]
    try warehouse.store.save(request)
    #expect(throws: StoreError.self) {
      try warehouse.insert(warehouse.snapshot(warehouse.id(warehouse.item, 9), ["code": .string("a")]))
    }
    #expect(try warehouse.keys(warehouse.item) == [2, 3])
  }

  @Test("a request that does not fit the model is refused before anything is written")
  func malformed() throws {
    let warehouse = try Warehouse()
    let good = warehouse.snapshot(warehouse.id(warehouse.tag, 1))
    var short = warehouse.snapshot(warehouse.id(warehouse.item, 1))
    short.attributes.removeLast()
    let foreign = ObjectID(entity: warehouse.item, reference: .permanent(store: "other", primaryKey: 1))
    let temporary = ObjectID(entity: warehouse.item, reference: .temporary(UUID()))
    let thing = warehouse.id(try warehouse.model.required("Thing"), 1)
    let bad = [
      short, warehouse.snapshot(foreign), warehouse.snapshot(temporary), warehouse.snapshot(thing), good,
      warehouse.snapshot(warehouse.id(warehouse.item, 1), toOne: ["parent": temporary]),
    ]
    for snapshot in bad {
      #expect(throws: StoreError.self) { try warehouse.insert(good, snapshot) }
      #expect(try warehouse.keys(warehouse.tag) == [])
    }
  }
}
