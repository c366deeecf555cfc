import Foundation
import ObjectModel
import Platform
import Predicates
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@testable import CoreDataLayout

@Suite("Values at key paths, streamed")
struct KeyPathScanTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private static let keyPaths = [
    ["text"], ["owner", "name"], ["large"], ["real"], ["flag"], ["uuid"], ["owner", "weight"], ["day"], ["bytes"],
  ]
  private static let columns: [RowBatch.Column] = [
    .init(.attribute("text"), .bytes), .init(.attribute("large"), .integer), .init(.attribute("real"), .real),
    .init(.attribute("flag"), .integer), .init(.attribute("uuid"), .bytes), .init(.attribute("day"), .real),
    .init(.attribute("bytes"), .bytes), .init(.toOne("owner"), .integer),
  ]

  init() throws {
    folder = try TemporaryFolder()
    var item = EntityDefinition("Item")
    item.attributes = [
      .init("text", .string), .init("large", .integer64), .init("real", .double), .init("flag", .boolean),
      .init("uuid", .uuid), .init("day", .date), .init("bytes", .binary), .init("exact", .decimal),
    ]
    item.relationships = [.init("owner", toOne: "Owner")]
    var owner = EntityDefinition("Owner")
    owner.attributes = [.init("name", .string), .init("weight", .integer32)]
    model = try ManagedObjectModel(entities: [item, owner])
  }

  /// A sealed store with random rows, of which some have values that SQLite would convert, and some are long.
  private func makeStore(seed: UInt64, rows: Int, journal: SealedJournal = .delete) throws -> String {
    var random = SeededGenerator(seed: seed)
    let path = folder.path("\(seed).sqlite")
    var options = SQLiteStore.Options()
    options.isUnderConstruction = true
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    let owners = (0..<20).map { number -> [Cell] in
      [number % 7 == 0 ? .null : .text("owner \(number)"), .integer(Int64(number))]
    }
    try store.insert(
      makeBatch(
        try model.required("Owner"), [.init(.attribute("name"), .bytes), .init(.attribute("weight"), .integer)], owners),
      keys: Array(1...20))
    var keys: [Int64] = []
    var cells: [[Cell]] = []
    for _ in 0..<rows {
      keys.append((keys.last ?? 0) + Int64.random(in: 1...3, using: &random))
      cells.append(row(&random))
    }
    if rows > 0 { try store.insert(makeBatch(try model.required("Item"), Self.columns, cells), keys: keys) }
    try store.seal(journal: journal)
    return path
  }

  private func row(_ random: inout SeededGenerator) -> [Cell] {
    func orNull(_ cell: Cell) -> Cell { Int.random(in: 0..<6, using: &random) == 0 ? .null : cell }
    let lengths = [0, 3, 40, 400, Int.random(in: 0..<60_000, using: &random)]
    let length = lengths[min(Int.random(in: 0..<40, using: &random), 4) % (Bool.random(using: &random) ? 5 : 4)]
    let unit = ["a", "xy", "é"].randomElement(using: &random) ?? "a"
    let text = String(repeating: unit, count: length)
    let large = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
    let whole = Double(Int.random(in: -300..<300, using: &random))
    return [
      orNull(.text(text)), orNull(.integer(large)),
      orNull(.real(Bool.random(using: &random) ? whole : Double.random(in: -1e9..<1e9, using: &random))),
      orNull(.integer(Bool.random(using: &random) ? 1 : 0)),
      orNull(.bytes((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })), orNull(.real(whole * 1000)),
      orNull(.bytes([UInt8](repeating: 7, count: length / 3))),
      orNull(.integer(Int64.random(in: 1...20, using: &random))),
    ]
  }

  /// All values, as text, row by row; how many batches they came in.
  private func scan(
    _ store: SQLiteStore, _ keyPaths: [[String]], rowsPerBatch: Int = 64
  ) throws -> (rows: [[String]], batches: Int) {
    var rows: [[String]] = []
    var batches = 0
    try store.scan(FetchSpecification(try model.required("Item")), keyPaths: keyPaths, rowsPerBatch: rowsPerBatch) {
      batch in
      #expect(batch.count > 0 && batch.count <= rowsPerBatch)
      batches += 1
      for row in 0..<batch.count { rows.append(keyPaths.indices.map { text(batch, $0, row) }) }
      return batch
    }
    return (rows, batches)
  }

  private func text(_ batch: RowBatch, _ column: Int, _ row: Int) -> String {
    guard unsafe batch.states[column][row] == RowBatch.State.value.rawValue else { return "NULL" }
    switch batch.columns[column].storage {
    case .integer: return "\(unsafe batch.integers(column)[row])"
    case .real: return "\(unsafe batch.reals(column)[row])"
    case .bytes:
      let slice = unsafe batch.slices(column)[row]
      let bytes = unsafe UnsafeRawBufferPointer(start: batch.arena + Int(slice.offset), count: Int(slice.length))
      return unsafe Data(bytes).base64EncodedString()
    }
  }

  private func open(_ path: String) throws -> SQLiteStore {
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    return try SQLiteStore.open(path: path, model: model, options: options)
  }

  /// Whether a scan of the store reads pages.
  private func readsPages(_ store: SQLiteStore, _ keyPaths: [[String]] = keyPaths) throws -> Bool {
    try readsPages(store.reader, keyPaths)
  }

  private func readsPages(_ reader: StoreReader, _ keyPaths: [[String]] = keyPaths) throws -> Bool {
    let item = try model.required("Item")
    return try reader.session.perform {
      var sql = FetchSQL(reader, item)
      let plan = try ColumnScanPlan(reader, item, keyPaths, &sql)
      let table = reader.file.layout.table(for: item)
      guard let pages = try PageExportReader(reader.session, plan, table: table) else { return false }
      try pages.close()
      return true
    }
  }

  @Test("pages give what SQLite gives, on random rows", arguments: 1...12)
  func pages(seed: Int) throws {
    let path = try makeStore(seed: UInt64(seed), rows: [0, 1, 63, 64, 65, 700][seed % 6])
    if seed % 2 == 0 {
      // What another program may have left in these columns.
      let connection = try Connection(path: path)
      try connection.execute("UPDATE ZITEM SET ZLARGE = 1.5 WHERE Z_PK % 11 = 0")
      try connection.execute("UPDATE ZITEM SET ZTEXT = 42, ZREAL = 'x' WHERE Z_PK % 13 = 0")
      try connection.execute("UPDATE ZITEM SET ZFLAG = x'31', ZBYTES = 3.25 WHERE Z_PK % 17 = 0")
      try connection.execute("UPDATE ZITEM SET ZOWNER = 99 WHERE Z_PK % 5 = 0")
      try connection.execute("DELETE FROM ZITEM WHERE Z_PK % 3 = 0")
      try connection.close()
    }
    let store = try open(path)
    #expect(try readsPages(store))
    // A reader's own transaction keeps it from nothing.
    let reader = try store.openReader()
    #expect(try readsPages(reader))
    for keyPaths in [Self.keyPaths, [["owner", "weight"]], [["real"], ["large"]], [["text"]]] {
      let fast = try scan(store, keyPaths)
      // Within a transaction everything goes through SQLite.
      try store.connection.execute("BEGIN")
      let slow = try scan(store, keyPaths)
      try store.connection.execute("COMMIT")
      #expect(fast.rows == slow.rows)
      var read: [[String]] = []
      try reader.scan(FetchSpecification(try model.required("Item")), keyPaths: keyPaths, rowsPerBatch: 64) { batch in
        for row in 0..<batch.count { read.append(keyPaths.indices.map { text(batch, $0, row) }) }
        return batch
      }
      #expect(read == slow.rows)
    }
    #expect(!store.connection.isInTransaction)
    try reader.close()
    try store.close()
  }

  @Test("a store with a log, values that are converted and an open transaction go through SQLite")
  func unsuitable() throws {
    let wal = try open(try makeStore(seed: 20, rows: 10, journal: .wal))
    #expect(try !readsPages(wal))
    #expect(try scan(wal, Self.keyPaths).rows.count == 10)
    try wal.close()
    let store = try open(try makeStore(seed: 21, rows: 10))
    #expect(try !readsPages(store, [["exact"]]))
    #expect(try readsPages(store))
    try store.connection.execute("BEGIN")
    #expect(try !readsPages(store))
    try store.close()
  }

  @Test("a primary key that is not the row id goes through SQLite")
  func foreignKeyOrder() throws {
    let path = try makeStore(seed: 23, rows: 50)
    let connection = try Connection(path: path)
    let sql = try #require(try connection.string("SELECT sql FROM sqlite_schema WHERE name = 'ZITEM'"))
    try #require(sql.contains("INTEGER PRIMARY KEY"))
    try connection.execute("ALTER TABLE ZITEM RENAME TO OLD")
    try connection.execute(sql.replacing("INTEGER PRIMARY KEY", with: "INTEGER PRIMARY KEY DESC"))
    try connection.execute("INSERT INTO ZITEM SELECT * FROM OLD ORDER BY Z_PK % 7")
    try connection.execute("DROP TABLE OLD")
    try connection.close()
    let store = try open(path)
    #expect(try !readsPages(store))
    let rows = try scan(store, Self.keyPaths).rows
    try store.connection.execute("BEGIN")
    #expect(try scan(store, Self.keyPaths).rows == rows)
    try store.connection.execute("COMMIT")
    #expect(rows.count == 50)
    try store.close()
  }

  #if os(Linux)
    @Test("the file is locked against other processes while pages are read, and free afterwards")
    func locked() throws {
      let path = try makeStore(seed: 22, rows: 200)
      let store = try open(path)
      // Kept open until the end: to close it would drop all locks that this process has on the file.
      let descriptor = unsafe Platform.open(path, O_RDWR | O_CLOEXEC)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      #expect(try !isLocked(descriptor))
      var locks: [Bool] = []
      try store.scan(FetchSpecification(try model.required("Item")), keyPaths: [["large"]], rowsPerBatch: 16) { batch in
        locks.append(try isLocked(descriptor))
        return batch
      }
      #expect(locks == Array(repeating: true, count: 13))
      #expect(try !isLocked(descriptor))
      struct Enough: Error {}
      #expect(throws: Enough.self) {
        try store.scan(FetchSpecification(try model.required("Item")), keyPaths: [["large"]]) { _ in throw Enough() }
      }
      #expect(try !isLocked(descriptor))
      #expect(try readsPages(store))
      try store.close()
    }

    /// Whether a lock is held that keeps writers out, as the system sees it from another description of the file.
    private func isLocked(_ descriptor: Int32) throws -> Bool {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      // The bytes that SQLite's readers share.
      lock.l_start = 0x4000_0002
      lock.l_len = 510
      try #require(unsafe fcntl(descriptor, 36 /* F_OFD_GETLK */, &lock) == 0)
      return lock.l_type != Int16(F_UNLCK)
    }
  #endif

  @Test("a long text fills a batch by itself, however often it is named")
  func longText() throws {
    let path = folder.path("long.sqlite")
    let store = try SQLiteStore.create(path: path, model: model)
    let text = String(repeating: "x", count: 700_000)
    let rows: [[Cell]] = [[.text("a")], [.text(text)], [.text("")], [.null], [.text(text + "y")]]
    try store.insert(makeBatch(try model.required("Item"), [Self.columns[0]], rows), keys: [1, 2, 3, 4, 5])
    try store.seal()
    let reader = try open(path)
    let found = try scan(reader, [["text"]])
    #expect(
      found.rows.map { $0[0] == "NULL" ? -1 : Data(base64Encoded: $0[0])?.count } == [1, 700_000, 0, -1, 700_001])
    let twice = try scan(reader, [["text"], ["large"], ["text"], ["text"]])
    #expect(twice.rows.map { [$0[0], $0[2], $0[3]] } == found.rows.map { [$0[0], $0[0], $0[0]] })
    try reader.close()
  }
}
