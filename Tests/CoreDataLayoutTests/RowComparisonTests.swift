import CoreDataLayout
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("Batches compared with stored rows")
struct RowComparisonTests {
  private let folder: TemporaryFolder
  private static let columns: [RowBatch.Column] = [
    .init(.attribute("text"), .bytes), .init(.attribute("large"), .integer), .init(.attribute("real"), .real),
    .init(.attribute("flag"), .integer), .init(.attribute("uuid"), .bytes),
  ]
  private static let uuid = [UInt8](0..<16)

  init() throws { folder = try TemporaryFolder() }

  /// A store with five rows, two of them with one text, open again for work on it.
  private func store() throws -> SQLiteStore {
    let model = try Models.types()
    let path = folder.path("a.sqlite")
    let created = try SQLiteStore.create(path: path, model: model)
    let rows: [[Cell]] = ["a", "b", "c", "twin", "twin"].map { text in
      [.text(text), .integer(1 << 40), .real(0.5), .null, .bytes(Self.uuid)]
    }
    try created.insert(makeBatch(try model.required("Sample"), Self.columns, rows), keys: [3, 4, 7, 8, 9])
    try created.seal()
    var options = SQLiteStore.Options()
    options.isUnderConstruction = true
    return try SQLiteStore.open(path: path, model: model, options: options)
  }

  private func comparison(_ store: SQLiteStore, _ columns: [RowBatch.Column] = Self.columns) throws -> RowComparison? {
    try store.comparison(
      of: try store.model.required("Sample"), columns: columns, keyColumns: [0], comparesValues: true,
      memoryBudget: 1 << 20, workers: 2)
  }

  @Test("every row is found with what differs, and every stored row that is found twice")
  func findings() throws {
    let store = try store()
    let comparison = try #require(try comparison(store))
    #expect(comparison.rowCount == 5)
    let batch = makeBatch(
      try store.model.required("Sample"), Self.columns,
      [
        [.text("a"), .integer(1 << 40), .real(0.5), .null, .bytes(Self.uuid)],
        [.text("b"), .absent, .absent, .absent, .absent],
        [.text("c"), .integer(1 << 40), .real(0.5), .integer(0), .bytes(Self.uuid)],
        [.text("a"), .integer(1), .absent, .absent, .absent], [.text("d"), .absent, .absent, .absent, .absent],
        [.null, .absent, .absent, .absent, .absent], [.text("twin"), .absent, .absent, .absent, .absent],
      ])
    let found = try comparison.makeWorker().find(batch)
    #expect(found.findings == [.same, .same, .different, .different, .absent, .absent, .ambiguous])
    #expect(found.primaryKeys == [3, 4, 7, 3, 0, 0, 0])
    #expect(comparison.note(found) == [3])
    #expect(comparison.note(try comparison.makeWorker().find(batch)) == [0, 1, 2, 3])
  }

  @Test("is not made where SQLite might say something else, or another connection may write")
  func impossible() throws {
    let store = try store()
    #expect(try comparison(store, Self.columns + [.init(.attribute("exact"), .bytes)]) == nil)
    #expect(try comparison(store, [.init(.attribute("real"), .real)]) == nil)
    try store.begin()
    #expect(try comparison(store) == nil)
    try store.rollback()
    try store.close()
    let connection = try Connection(path: folder.path("a.sqlite"))
    try connection.execute("UPDATE ZSAMPLE SET ZTEXT = x'61' WHERE Z_PK = 3")
    try connection.close()
    var options = SQLiteStore.Options()
    options.isUnderConstruction = true
    let changed = try SQLiteStore.open(path: folder.path("a.sqlite"), model: store.model, options: options)
    #expect(try comparison(changed) == nil)
    try changed.close()
    let plain = try SQLiteStore.open(path: folder.path("a.sqlite"), model: store.model)
    #expect(try comparison(plain) == nil)
  }
}
