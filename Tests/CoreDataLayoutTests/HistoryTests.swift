import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("persistent history")
struct HistoryTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let store: SQLiteStore
  private let stop: Entity
  private let route: Entity
  private let station: Entity

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.transit()
    stop = try model.required("Stop")
    route = try model.required("Route")
    station = try model.required("Station")
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    options.historyTimestamp = 1_000
    store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model, options: options)
    try store.insert(
      makeBatch(stop, [.init(.attribute("identifier"), .bytes)], [[.text("a")], [.text("b")]]), keys: [1, 2])
    try store.insert(
      makeBatch(station, [.init(.attribute("identifier"), .bytes)], [[.text("s")], [.text("t")]]), keys: [3, 4])
    try store.insert(makeBatch(route, [.init(.attribute("code"), .bytes)], [[.text("r")]]), keys: [1])
  }

  /// The changes of the last transaction: `type entity/key properties`, sorted by object.
  private func last() throws -> [String] {
    let connection = try Connection(path: store.path, options: .init(isReadOnly: true))
    let statement = try Statement(
      connection,
      """
      SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE
      WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION) ORDER BY ZENTITY, ZENTITYPK
      """)
    var result: [String] = []
    while try statement.step() {
      let entity = try #require(store.layout.entity(number: Int(statement.int64(at: 1))))
      var names = (entity.attributes.map(\.name) + entity.relationships.map(\.name)).sorted()
      let places = entity.relationships.filter { !$0.isToMany }.flatMap { relationship in
        [store.layout.entityColumn(of: relationship), store.layout.orderColumn(of: relationship)].compactMap {
          $0?.name
        }
      }
      names += places
      let mask = statement.blob(at: 3) ?? []
      let set = names.indices.filter { mask.count > $0 / 8 && mask[$0 / 8] & 0x80 >> UInt8($0 % 8) != 0 }
      result.append(
        "\(statement.int64(at: 0)) \(entity.name)/\(statement.int64(at: 2)) \(set.map { names[$0] }.joined(separator: ","))"
      )
    }
    return result
  }

  private func transactions() throws -> Int64? {
    try Connection(path: store.path, options: .init(isReadOnly: true)).integer("SELECT count(*) FROM ATRANSACTION")
  }

  private var parentColumns: [RowBatch.Column] {
    [.init(.toOne("parent"), .integer), .init(.toOneEntity("parent"), .integer)]
  }

  private func setParent(_ parent: Entity, _ key: Int64, of stop: Int64) throws {
    var outcomes: [RowOutcome] = []
    let batch = makeBatch(self.stop, parentColumns, [[.integer(key), .integer(Int64(parent.index))]])
    try unsafe [stop].withUnsafeBufferPointer { keys in
      unsafe try store.update(batch, primaryKeys: keys, outcomes: &outcomes)
    }
    #expect(outcomes == [.updated])
  }

  @Test("both sides of a many-to-many relationship change")
  func manyToMany() throws {
    try store.link(try #require(route.relationship("stops")), pairs: [(1, 1), (1, 3)], replacing: false)
    #expect(try last() == ["1 Stop/1 routes", "1 Station/3 routes", "1 Route/1 stops"])
    try store.link(try #require(stop.relationship("routes")), pairs: [(2, 1)], replacing: false)
    #expect(try last() == ["1 Stop/2 routes", "1 Route/1 stops"])
    // Nothing new, nothing recorded.
    let before = try transactions()
    try store.link(try #require(stop.relationship("routes")), pairs: [(2, 1)], replacing: false)
    #expect(try transactions() == before)
    try store.link(try #require(route.relationship("stops")), pairs: [(1, 2), (1, 1)], replacing: true)
    #expect(try last() == ["1 Station/3 routes", "1 Route/1 stops"])
    try store.link(try #require(stop.relationship("neighbours")), pairs: [(1, 3)], replacing: false)
    #expect(try last() == ["1 Stop/1 neighbours", "1 Station/3 neighbours"])
  }

  @Test("a to-one relationship changes the rows that become and stop being its destination")
  func toOne() throws {
    try setParent(station, 3, of: 1)
    #expect(try last().map { String($0.prefix(18)) } == ["1 Stop/1 parent,Z2", "1 Station/3 childr"])
    try setParent(station, 4, of: 1)
    #expect(
      try last().map { String($0.prefix { $0 != "," }) } == [
        "1 Stop/1 parent", "1 Station/3 children", "1 Station/4 children",
      ])
    try store.insert(
      makeBatch(
        stop, [.init(.attribute("identifier"), .bytes)] + parentColumns,
        [[.text("c"), .integer(4), .integer(Int64(station.index))]]), keys: [5])
    #expect(try last() == ["0 Stop/5 ", "1 Station/4 children"])
  }

  @Test("an object that is deleted changes those that it was related to")
  func deletion() throws {
    try setParent(station, 3, of: 1)
    try store.link(try #require(route.relationship("stops")), pairs: [(1, 1)], replacing: false)
    try store.delete(entity: stop, primaryKeys: [1])
    #expect(try last() == ["2 Stop/1 ", "1 Station/3 children", "1 Route/1 stops"])
  }

  @Test("an object has one row per transaction, which says what became of it")
  func merging() throws {
    let identifier = [RowBatch.Column(.attribute("identifier"), .bytes)]
    try store.begin()
    try store.insert(makeBatch(stop, identifier, [[.text("x")], [.text("y")]]), keys: [6, 7])
    try setParent(station, 3, of: 6)
    try setParent(station, 3, of: 2)
    var outcomes: [RowOutcome] = []
    var keys: [Int64] = []
    try store.upsert(
      makeBatch(stop, identifier + [.init(.attribute("name"), .bytes)], [[.text("b"), .text("B")]]), keyColumns: [0],
      outcomes: &outcomes, primaryKeys: &keys)
    try store.delete(entity: stop, primaryKeys: [7, 1])
    try store.commit()
    #expect(
      try last().map { String($0.prefix { $0 != "Z" }) }
        == ["2 Stop/1 ", "1 Stop/2 name,parent,", "0 Stop/6 ", "1 Station/3 children"])
    let all = try Connection(path: store.path, options: .init(isReadOnly: true))
    #expect(try all.integer("SELECT count(*) - count(DISTINCT Z_PK) + max(Z_PK) - count(*) FROM ACHANGE") == 0)
  }

  @Test("what is undone leaves no history: a failed call in a transaction, or all of it")
  func undone() throws {
    let identifier = [RowBatch.Column(.attribute("identifier"), .bytes)]
    let before = try transactions()
    try store.begin()
    try store.insert(makeBatch(stop, identifier, [[.text("x")]]), keys: [6])
    #expect(throws: StoreError.self) {
      try store.insert(makeBatch(stop, identifier, [[.text("y")], [.text("x")]]), keys: [7, 8])
    }
    try store.commit()
    #expect(try last() == ["0 Stop/6 "])
    try store.begin()
    try store.insert(makeBatch(stop, identifier, [[.text("z")]]), keys: [9])
    try store.rollback()
    #expect(throws: StoreError.self) { try store.insert(makeBatch(stop, identifier, [[.text("x")]]), keys: [9]) }
    #expect(try transactions() == (before ?? 0) + 1)
  }

  @Test("a store of 2018 keeps names in the transaction's row")
  func namesInRows() throws {
    try store.seal()
    let connection = try Connection(path: store.path)
    try connection.execute(
      """
      DROP TABLE ATRANSACTIONSTRING; DROP TABLE ATRANSACTION; DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003;
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT,
        ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
      """)
    try connection.close()
    var options = SQLiteStore.Options()
    options.historyAuthor = "me"
    options.historyTimestamp = 5
    let opened = try SQLiteStore.open(path: store.path, model: model, options: options)
    try opened.insert(makeBatch(stop, [.init(.attribute("identifier"), .bytes)], [[.text("new")]]), keys: [9])
    try opened.seal()
    let process = ProcessInfo.processInfo.processName
    #expect(
      try Connection(path: store.path, options: .init(isReadOnly: true)).string(
        "SELECT ZTIMESTAMP || ' ' || ZAUTHOR || ' ' || ifnull(ZCONTEXTNAME, '-') || ' ' || ZPROCESSID "
          + "FROM ATRANSACTION") == "5.0 me - \(process)")
    let read = try SQLiteStore.open(path: store.path, model: model).history(PersistentHistoryQuery())
    #expect(read.map(\.author) == ["me"] && read.map(\.processID) == [process] && read.map(\.contextName) == [nil])
  }

  @Test(
    "the history that Apple's framework wrote is read",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)")
  )
  func fixture() throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy("stores/coredataplus/SampleModel2_V1.sqlite", to: folder)
    let model = try #require(try Fixtures.cachedModel(of: path))
    var options = SQLiteStore.Options()
    options.checksVersionHashes = false
    options.isReadOnly = true
    let store = try SQLiteStore.open(path: path, model: model, options: options)
    let transactions = try store.history(PersistentHistoryQuery())
    #expect(transactions.map(\.transactionNumber) == [1])
    #expect(transactions.map(\.bundleID) == ["com.apple.dt.xctest.tool"] && transactions.map(\.processID) == ["xctest"])
    #expect(transactions.map(\.author) == [nil] && transactions.map(\.contextName) == [nil])
    #expect(transactions.map(\.timestamp.timeIntervalSinceReferenceDate) == [737_057_647.288022])
    let changes = transactions.flatMap { $0.changes ?? [] }
    #expect(changes.count == 5_468 && changes.allSatisfy { $0.changeType == .insert && $0.updatedPropertyNames == nil })
    // Every object that is there was inserted by it.
    for entity in model.entities where !entity.isAbstract {
      var request = FetchSpecification(entity)
      request.includesSubentities = false
      #expect(
        Set(try store.objectIDs(request))
          == Set(changes.filter { $0.changedObjectID.entity == entity }.map(\.changedObjectID)))
    }
    var query = PersistentHistoryQuery()
    var request = FetchSpecification(PersistentHistoryModel.change)
    request.predicate = .comparison(["changedEntity"], .equal, .string("Book"))
    query.request = request
    #expect(try store.history(query).first?.changes == changes.filter { $0.changedObjectID.entity.name == "Book" })
    try store.close()
  }
}
