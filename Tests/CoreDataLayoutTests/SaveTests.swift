import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("saving a context's changes")
struct SaveTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let route: Entity
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.transit()
    route = try model.required("Route")
    store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
  }

  private func snapshot(_ key: Int64, code: String, version: Int64 = 1) -> Snapshot {
    Snapshot(
      objectID: id(route, key), version: version,
      attributes: route.attributes.map { $0.name == "code" ? .string(code) : .null },
      toOne: route.relationships.map { _ in nil })
  }

  private func id(_ entity: Entity, _ key: Int64) -> ObjectID {
    store.id(of: entity, key)
  }

  @Test("a stale version fails with what was expected and found, and writes nothing")
  func optimisticLocking() throws {
    var request = SaveRequest()
    request.inserted = [snapshot(1, code: "x"), snapshot(2, code: "y")]
    try store.save(request)
    var update = SaveRequest()
    update.updated = [snapshot(1, code: "x2")]
    try store.save(update)
    var stale = SaveRequest()
    stale.inserted = [snapshot(3, code: "z")]
    stale.updated = [snapshot(1, code: "x3")]
    stale.deleted = [(id(route, 9), 4)]
    let error = #expect(throws: StoreError.self) { try store.save(stale) }
    guard case .optimisticLockingFailure(let rows) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(rows.map(\.expected) == [1, 4])
    #expect(rows.map(\.found) == [2, nil])
    #expect(try store.snapshots(FetchSpecification(route)).map(\.version) == [2, 1])
  }

  @Test("two rows may exchange unique values; two equal ones are a conflict")
  func exchange() throws {
    var request = SaveRequest()
    request.inserted = [snapshot(1, code: "x"), snapshot(2, code: "y")]
    try store.save(request)
    var exchange = SaveRequest()
    exchange.updated = [snapshot(1, code: "y"), snapshot(2, code: "x")]
    try store.save(exchange)
    #expect(try store.snapshots(FetchSpecification(route)).map { $0.attributes[0] } == [.string("y"), .string("x")])
    var conflict = SaveRequest()
    conflict.updated = [snapshot(1, code: "x", version: 2)]
    let error = #expect(throws: StoreError.self) { try store.save(conflict) }
    guard case .constraintConflict("Route", ["code"], _) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(try store.snapshots(FetchSpecification(route)).map(\.version) == [2, 2])
  }

  @Test("to-many changes, deletes and the order of members")
  func toMany() throws {
    let stop = try model.required("Station")
    var request = SaveRequest()
    request.inserted = [snapshot(1, code: "x")]
    for key in Int64(1)...4 {
      request.inserted.append(
        Snapshot(
          objectID: id(stop, key), version: 1, attributes: stop.attributes.map { _ in .null },
          toOne: stop.relationships.map { $0.name == "parent" && key > 1 ? id(stop, 1) : nil }))
    }
    request.toMany = [
      .init(owner: id(route, 1), relationshipName: "stops", members: [id(stop, 3), id(stop, 1)]),
      .init(owner: id(stop, 1), relationshipName: "children", members: [id(stop, 4), id(stop, 2)]),
    ]
    try store.save(request)
    func members(_ owner: ObjectID, _ name: String) throws -> [Int64] {
      let relationship = try #require(owner.entity.relationship(name))
      return try store.members(of: owner, relationship: relationship).compactMap(\.primaryKey)
    }
    #expect(try members(id(route, 1), "stops") == [3, 1])
    #expect(try members(id(stop, 1), "children") == [4, 2, 3])
    let parents = try store.snapshots(FetchSpecification(stop)).map { $0.toOne.compactMap { $0 } }
    #expect(parents[1] == [id(stop, 1)])

    var deletion = SaveRequest()
    deletion.deleted = [(id(stop, 3), 1)]
    try store.save(deletion)
    #expect(try members(id(route, 1), "stops") == [1])
    try store.seal()
    let report = try StoreChecker.check(path: folder.path("a.sqlite"), model: model)
    #expect(report.isSound, "\(report.findings)")
    #expect(report.isCompatible)
    #expect(report.isFitForReadOnlyBundle)
  }

  @Test("a store with history records inserts, updates and deletes in one transaction row each")
  func history() throws {
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    options.historyAuthor = "import"
    options.historyTimestamp = 1_000
    let path = folder.path("h.sqlite")
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    func id(_ key: Int64) -> ObjectID {
      store.id(of: route, key)
    }
    func row(_ key: Int64, _ code: String) -> Snapshot {
      var row = snapshot(key, code: code)
      row.objectID = id(key)
      return row
    }
    var request = SaveRequest()
    request.inserted = [row(1, "a"), row(2, "b")]
    try store.save(request)
    var second = SaveRequest()
    second.updated = [row(1, "c")]
    second.deleted = [(id(2), 1)]
    try store.save(second)
    try store.close()
    let connection = try Connection(path: path)
    #expect(
      try connection.string(
        "SELECT group_concat(ZCHANGETYPE || ':' || ZENTITYPK || ':' || ZTRANSACTIONID || ':' || ifnull(hex(ZCOLUMNS), '-'), ' ') "
          + "FROM (SELECT * FROM ACHANGE ORDER BY Z_PK)") == "0:1:1: 0:2:1: 2:2:2: 1:1:2:80")
    #expect(try connection.integer("SELECT count(*) FROM ATRANSACTION WHERE ZTIMESTAMP = 1000") == 2)
    #expect(try connection.string("SELECT group_concat(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == "4,2,2")
  }

  @Test("reserved keys are never given out twice, nor lost by a roll-back")
  func reservation() throws {
    #expect(try store.reservePrimaryKeys(3, for: route) == 1)
    #expect(try store.reservePrimaryKeys(1, for: route) == 4)
    try store.begin()
    #expect(try store.reservePrimaryKeys(1, for: route) == 5)
    try store.rollback()
    #expect(try store.reservePrimaryKeys(1, for: route) == 5)
  }
}
