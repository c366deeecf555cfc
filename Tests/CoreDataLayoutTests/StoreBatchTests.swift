import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestQueries
import TestRows
import TestStores
import TestSupport
import Testing

/// What of a batch is seen in the file alone.
@Suite("batches in a store's file")
struct StoreBatchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Items with a unique code, an indexed rank, a picture that may lie in a file, and an owner of which they are
  /// ordered parts.
  private static func model() throws -> ManagedObjectModel {
    var item = EntityDefinition("Item")
    var picture = AttributeDefinition("picture", .binary)
    picture.allowsExternalBinaryDataStorage = true
    var code = AttributeDefinition("code", .integer64)
    code.preservesValueInHistoryOnDeletion = true
    item.attributes = [code, .init("rank", .integer64), .init("name", .string), picture]
    item.uniquenessConstraints = [["code"]]
    item.fetchIndexes = [
      .init("byRank", elements: [.init(.property("rank"))]),
      .init("byPlace", elements: [.init(.property("rank"), kind: .rTree), .init(.property("code"), kind: .rTree)]),
    ]
    item.relationships = [
      .init("owner", toOne: "Item", inverse: "parts"), .init("parts", toMany: "Item", inverse: "owner", ordered: true),
    ]
    return try ManagedObjectModel(entities: [item])
  }

  private func store(_ name: String, count: Int, history: Bool = false) throws -> SQLiteStore {
    var options = SQLiteStore.Options()
    options.tracksHistory = history
    options.historyTimestamp = 5
    let model = try Self.model()
    let store = try SQLiteStore.create(path: folder.path(name), model: model, options: options)
    let columns: [RowBatch.Column] = [
      .init(.attribute("code"), .integer), .init(.attribute("rank"), .integer), .init(.attribute("name"), .bytes),
      .init(.toOne("owner"), .integer),
    ]
    let rows: [[Cell]] = (0..<count).map { index in
      [.integer(Int64(index)), .integer(Int64(index % 10)), .text("n\(index)"), index % 5 == 0 ? .null : .integer(1)]
    }
    try store.insert(makeBatch(try model.required("Item"), columns, rows), keys: (1...Int64(count)).map { $0 })
    return store
  }

  private func request(_ store: SQLiteStore, _ format: String) throws -> FetchSpecification {
    var request = FetchSpecification(try store.model.required("Item"))
    request.predicate = try FetchPredicate(parsing: format)
    return request
  }

  @Test(
    "a table that is written anew has the schema that it had, its indexes and R-tree included",
    arguments: [1, 1_000_000])
  func schema(rebuildsFrom: Int) throws {
    let store = try store("a.sqlite", count: 300)
    func schema() throws -> [String] {
      let connection = try Connection(path: store.path, options: .init(isReadOnly: true))
      return try connection.rows(ofQuery: "SELECT type || name || sql FROM sqlite_master WHERE sql NOT NULL ORDER BY 1")
    }
    let before = try schema()
    let outcome = try store.perform(
      StoreBatch(.delete(BatchDeletion(try request(store, "rank != 3")))), rebuildsFrom: rebuildsFrom)
    #expect(outcome.deletedCount == 270)
    #expect(try schema() == before)
    try store.perform(
      StoreBatch(
        .update(
          BatchUpdate(try request(store, "TRUEPREDICATE"), assignments: ["rank": FetchExpression(format: "rank * 2")]))),
      rebuildsFrom: rebuildsFrom)
    #expect(try schema() == before)
    #expect(try store.count(try request(store, "rank == 6")) == 30)
    func number(_ sql: String) throws -> Int64? {
      try Connection(path: store.path, options: .init(isReadOnly: true)).integer(sql)
    }
    #expect(try number("SELECT count(*) FROM Z_RT_Item_byPlace WHERE ZRANK_MIN = 6") == 30)
    #expect(try number("SELECT Z_MAX FROM Z_PRIMARYKEY") == 300)
    // Everything, which SQLite empties page by page.
    try store.perform(
      StoreBatch(.delete(BatchDeletion(FetchSpecification(try store.model.required("Item"))))),
      rebuildsFrom: rebuildsFrom
    )
    #expect(try schema() == before)
    #expect(try number("SELECT count(*) FROM Z_RT_Item_byPlace") == 0)
    #expect(try number("SELECT count(*) FROM ZITEM") == 0)
    try store.seal()
    #expect(try StoreChecker.check(path: store.path, model: store.model).findings.isEmpty)
  }

  @Test("a batch that fails leaves the rows and the file as they were, to the byte", arguments: [1, 1_000_000])
  func failure(rebuildsFrom: Int) throws {
    let path = folder.path("a.sqlite")
    try store("a.sqlite", count: 200).seal()
    let before = try Data(contentsOf: URL(filePath: path))
    let store = try SQLiteStore.open(path: path, model: Self.model())
    struct Stop: Error {}
    let works: [StoreBatch.Work] = [
      .update(BatchUpdate(try request(store, "code > 100"), assignments: ["code": .constant(.integer(7))])),
      .update(
        BatchUpdate(try request(store, "rank > 2"), assignments: ["code": FetchExpression(format: "code - 1")])),
    ]
    for work in works {
      let error = #expect(throws: StoreError.self) { try store.perform(StoreBatch(work), rebuildsFrom: rebuildsFrom) }
      guard case .constraintConflict? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    for work in [
      StoreBatch.Work.delete(BatchDeletion(try request(store, "rank > 0"))),
      .update(BatchUpdate(try request(store, "rank > 0"), assignments: ["rank": .constant(.integer(1))])),
    ] {
      #expect(throws: Stop.self) {
        try store.perform(StoreBatch(work), rebuildsFrom: rebuildsFrom) { _ in throw Stop() }
      }
    }
    let codes = BatchInsertion(
      try store.model.required("Item"), next: Self.rows(try store.model.required("Item"), [900, 901, 3]))
    #expect(throws: StoreError.self) { try store.perform(StoreBatch(.insert(codes))) }
    // Another batch still works, derived data and indexes included.
    #expect(try store.count(try request(store, "TRUEPREDICATE")) == 200)
    try store.close()
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    let again = try SQLiteStore.open(path: path, model: Self.model())
    let outcome = try again.perform(
      StoreBatch(.delete(BatchDeletion(try request(again, "rank > 0")))), rebuildsFrom: rebuildsFrom)
    #expect(outcome.deletedCount == 180)
    try again.seal()
    #expect(try StoreChecker.check(path: path, model: again.model).findings.isEmpty)
  }

  /// Rows with these codes, one batch each.
  private static func rows(_ entity: Entity, _ codes: [Int64]) -> () throws -> RowBatch? {
    var left = codes[...]
    var writer = BatchRowWriter(entity, capacity: 1)
    return {
      writer.clear()
      guard let code = left.popFirst() else { return nil }
      try writer.append(["code": .value(.integer(code))])
      return writer.batch
    }
  }

  @Test("files of values that go are removed when it is committed, and not before")
  func externalFiles() throws {
    let store = try store("a.sqlite", count: 4)
    let item = try store.model.required("Item")
    let long = Data(repeating: 9, count: 150_000)
    try store.perform(
      StoreBatch(.update(BatchUpdate(try request(store, "code < 3"), assignments: ["picture": .constant(.data(long))])))
    )
    // One file for each row, as each may change by itself.
    #expect(try folder.externalFiles(of: "a").count == 3)
    let rows = try store.snapshots(try request(store, "code < 3"))
    let position = try #require(item.attributes.firstIndex { $0.name == "picture" })
    #expect(rows.allSatisfy { $0.attributes[position] == .data(long) && $0.version == 2 })
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.perform(StoreBatch(.delete(BatchDeletion(try request(store, "code == 0"))))) { _ in throw Stop() }
    }
    #expect(try folder.externalFiles(of: "a").count == 3)
    try store.perform(StoreBatch(.delete(BatchDeletion(try request(store, "code == 0")))))
    #expect(try folder.externalFiles(of: "a").count == 2)
    try store.perform(
      StoreBatch(.update(BatchUpdate(try request(store, "code == 1"), assignments: ["picture": .constant(.null)]))))
    #expect(try folder.externalFiles(of: "a").count == 1)
    try store.perform(
      StoreBatch(
        .update(BatchUpdate(try request(store, "code == 2"), assignments: ["picture": .constant(.data(Data([1])))]))))
    #expect(try folder.externalFiles(of: "a").count == 0)
    try store.seal()
    #expect(try StoreChecker.check(path: store.path, model: store.model).findings.isEmpty)
  }

  @Test("the history has a row for each object, as after a save", arguments: [1, 1_000_000])
  func history(rebuildsFrom: Int) throws {
    let store = try store("a.sqlite", count: 6, history: true)
    func last() throws -> [String] {
      let connection = try Connection(path: store.path, options: .init(isReadOnly: true))
      return try connection.rows(
        ofQuery: """
          SELECT ZCHANGETYPE || ' ' || ZENTITYPK || ' ' || IFNULL(hex(ZCOLUMNS), '') || ' ' || IFNULL(CAST(ZTOMBSTONE0 AS TEXT), '')
          FROM ACHANGE WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION) ORDER BY ZENTITYPK
          """
      ).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    // Properties by name: code, name, owner, parts, picture, rank; then the order of owner.
    try store.perform(
      StoreBatch(.update(BatchUpdate(try request(store, "code == 3"), assignments: ["rank": .constant(.integer(50))]))),
      rebuildsFrom: rebuildsFrom)
    #expect(try last() == ["1 4 04"])
    try store.perform(
      StoreBatch(.delete(BatchDeletion(try request(store, "code == 3")))), rebuildsFrom: rebuildsFrom)
    #expect(try last() == ["1 1 10", "2 4  3"])
    // The owner goes: its parts are nullified.
    try store.perform(
      StoreBatch(.delete(BatchDeletion(try request(store, "code == 0")))), rebuildsFrom: rebuildsFrom)
    #expect(try last() == ["2 1  0", "1 2 20", "1 3 20", "1 5 20"])
    try store.perform(
      StoreBatch(
        .insert(
          BatchInsertion(try store.model.required("Item"), next: Self.rows(try store.model.required("Item"), [70])))))
    #expect(try last() == ["0 7"])
  }

  @Test("a store that is being built takes no batches before its indexes are made")
  func underConstruction() throws {
    var options = SQLiteStore.Options()
    options.defersIndexes = true
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: Self.model(), options: options)
    #expect(throws: StoreError.self) {
      try store.perform(StoreBatch(.delete(BatchDeletion(try request(store, "TRUEPREDICATE")))))
    }
  }
}
