import Foundation
import ObjectModel
import Platform
import Predicates
import SQLite
import SQLitePages
import StoreInterface
import TestStores
import TestSupport
import Testing

@testable import CoreDataLayout

/// Compares rows that are read from the file's pages with those that SQLite gives.
@Suite("Snapshots from pages")
struct PageSnapshotTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    var place = EntityDefinition("Place")
    place.attributes = [
      .init("name", .string), .init("large", .integer64), .init("real", .double), .init("small", .float),
      .init("flag", .boolean), .init("day", .date),
    ]
    place.relationships = [.init("owner", toOne: "Owner")]
    var shop = EntityDefinition("Shop")
    shop.superentityName = "Place"
    shop.attributes = [.init("hours", .string)]
    var owner = EntityDefinition("Owner")
    owner.attributes = [.init("name", .string)]
    var paper = EntityDefinition("Paper")
    paper.attributes = [.init("number", .uuid)]
    model = try ManagedObjectModel(entities: [place, shop, owner, paper])
  }

  /// A store with random rows, some keys left out, some texts on overflow pages.
  private func makeStore(seed: UInt64, rows: Int, wal: Bool = false) throws -> SQLiteStore {
    var random = SeededGenerator(seed: seed)
    let path = folder.path("\(seed).sqlite")
    let new = try SQLiteStore.create(path: path, model: model)
    let numbers = try ["Place", "Shop"].map { new.layout.number(of: try model.required($0)) }
    try new.close()
    let connection = try Connection(path: path)
    let pageSize = [512, 1_024, 4_096, 65_536].randomElement(using: &random) ?? 4_096
    _ = try connection.string("PRAGMA journal_mode = DELETE")
    try connection.execute("PRAGMA page_size = \(pageSize); VACUUM")
    try connection.execute("BEGIN")
    var key: Int64 = Bool.random(using: &random) ? 0 : -7
    for _ in 0..<rows {
      key += Int.random(in: 0..<50, using: &random) == 0 ? 2_000 : Int64.random(in: 1...3, using: &random)
      try connection.execute(
        """
        INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLARGE, ZREAL, ZSMALL, ZFLAG, ZDAY, ZOWNER, ZHOURS) VALUES
          (\(key), \(numbers.randomElement(using: &random) ?? 1), \(cell("\(Int.random(in: 1..<90, using: &random))", &random)),
          \(text(&random)), \(cell("\(Int64.random(in: .min + 1 ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))", &random)),
          \(number(&random)), \(number(&random)), \(cell("\(Int.random(in: 0...1, using: &random))", &random)),
          \(number(&random)), \(cell("\(Int.random(in: 1..<9, using: &random))", &random)), \(text(&random)))
        """)
    }
    try connection.execute("COMMIT")
    if seed % 3 == 0 { try connection.execute("DELETE FROM ZPLACE WHERE Z_PK % 4 = 1") }
    if wal { _ = try connection.string("PRAGMA journal_mode = WAL") }
    try connection.close()
    return try SQLiteStore.open(path: path, model: model)
  }

  private func cell(_ text: String, _ random: inout SeededGenerator) -> String {
    Int.random(in: 0..<6, using: &random) == 0 ? "NULL" : text
  }

  private func number(_ random: inout SeededGenerator) -> String {
    cell(
      Bool.random(using: &random)
        ? "\(Int.random(in: -70_000..<70_000, using: &random))" : "\(Double.random(in: -1e9..<1e9, using: &random))",
      &random)
  }

  private func text(_ random: inout SeededGenerator) -> String {
    let length = [0, 3, 15, 40, 900, Int.random(in: 0..<70_000, using: &random)][
      Int.random(in: 0..<30, using: &random) / 5 % (Int.random(in: 0..<20, using: &random) == 0 ? 6 : 5)]
    return cell(
      "'" + String(repeating: ["a", "é", "字"].randomElement(using: &random) ?? "a", count: length) + "'", &random)
  }

  private func read(
    _ store: SQLiteStore, _ entity: String = "Place", keys: [Int64]? = nil, of kind: String? = nil
  ) throws -> [Snapshot]? {
    let session = store.reader.session
    return try session.perform {
      let reader = SnapshotReader(session, entity: try model.required(entity))
      let rows = try keys.map { keys in
        let kind = try model.required(kind ?? entity)
        return try #require(
          KeyedPositions.byEntity(keys.count, in: store.reader.file) { store.reader.file.objectID(kind, keys[$0]) }
            .first)
      }
      return try reader.pageBlocks(session, of: rows, leastFileSize: 0, leastRowCount: 0)?.flatMap(\.snapshots)
    }
  }

  private func readKeys(_ store: SQLiteStore) throws -> [ObjectID]? {
    let session = store.reader.session
    return try session.perform {
      let reader = SnapshotReader(session, entity: try model.required("Place"))
      guard let rows = try reader.pageKeys(session, column: "self", leastFileSize: 0) else { return nil }
      #expect(rows.columns == ["self"])
      return (0..<rows.count).compactMap { rows.objectID($0, 0) }
    }
  }

  private func expectSame(_ found: [Snapshot]?, _ expected: [Snapshot], _ place: SourceLocation = #_sourceLocation) {
    guard let found else {
      Issue.record("pages were not read", sourceLocation: place)
      return
    }
    #expect(found.map(\.objectID) == expected.map(\.objectID), sourceLocation: place)
    #expect(found.map(\.version) == expected.map(\.version), sourceLocation: place)
    #expect(found.map(\.toOne) == expected.map(\.toOne), sourceLocation: place)
    #expect(
      zip(found, expected).allSatisfy { zip($0.attributes, $1.attributes).allSatisfy { $0.isIdentical(to: $1) } },
      sourceLocation: place)
  }

  @Test("pages give what SQLite gives, on random rows", arguments: 1...16)
  func random(seed: Int) throws {
    let rows = [0, 1, 127, 128, 129, 700][seed % 6]
    let store = try makeStore(seed: UInt64(seed), rows: rows, wal: seed % 2 == 0)
    let expected = try store.snapshots(FetchSpecification(try model.required("Place")))
    expectSame(try read(store), expected)
    #expect(try readKeys(store) == expected.map(\.objectID))
    // By keys, of one entity, with some that are not there.
    for kind in ["Place", "Shop"] {
      let there = expected.filter { $0.objectID.entity.name == kind }
      var random = SeededGenerator(seed: UInt64(seed))
      for share in [1, 3, 40] {
        var keys = there.compactMap(\.objectID.primaryKey).filter { _ in
          Int.random(in: 0..<share, using: &random) == 0
        }
        let wanted = Set(keys)
        keys += [-100, 99_999_999]
        keys.shuffle(using: &random)
        // Rows of the other entity lie between.
        expectSame(try read(store, keys: keys, of: kind), there.filter { wanted.contains($0.objectID.primaryKey ?? 0) })
      }
    }
    try store.close()
  }

  @Test("rows that were written before a column was added, and values that SQLite converts")
  func oddRows() throws {
    let store = try makeStore(seed: 31, rows: 300)
    let path = store.path
    try store.close()
    let connection = try Connection(path: path)
    try connection.execute(
      """
      ALTER TABLE ZPLACE DROP COLUMN ZHOURS; ALTER TABLE ZPLACE ADD COLUMN ZHOURS VARCHAR;
      UPDATE ZPLACE SET ZHOURS = 'x' WHERE Z_PK % 7 = 0
      """)
    let changed = try SQLiteStore.open(path: path, model: model)
    let request = FetchSpecification(try model.required("Place"))
    expectSame(try read(changed), try changed.snapshots(request))
    for change in [
      "UPDATE ZPLACE SET ZLARGE = 1.5 WHERE Z_PK = (SELECT max(Z_PK) FROM ZPLACE)",
      "UPDATE ZPLACE SET ZLARGE = 3, ZREAL = 'x' WHERE Z_PK = (SELECT max(Z_PK) FROM ZPLACE)",
      "UPDATE ZPLACE SET ZREAL = NULL, Z_OPT = 'y' WHERE Z_PK = (SELECT max(Z_PK) FROM ZPLACE)",
    ] {
      try connection.execute(change)
      #expect(try read(changed) == nil)
      #expect(try changed.snapshotBlocks(request).flatMap(\.snapshots).count == (try changed.count(request)))
    }
    try connection.close()
    try changed.close()
  }

  @Test("what may not be in the file goes through SQLite")
  func unsuitable() throws {
    let store = try makeStore(seed: 40, rows: 200, wal: true)
    #expect(try read(store)?.count == 200)
    #expect(try read(store, "Paper") == nil)
    // A transaction of the store's own.
    try store.connection.execute("BEGIN")
    #expect(try read(store) == nil)
    try store.connection.execute("COMMIT")
    // A log with something in it, of another connection.
    let other = try Connection(path: store.path)
    try other.execute("UPDATE ZPLACE SET ZNAME = 'new'")
    #expect(try read(store) == nil)
    let request = FetchSpecification(try model.required("Place"))
    #expect(
      try store.snapshotBlocks(request).flatMap(\.snapshots).allSatisfy { $0.attributes.contains(.string("new")) })
    // A reader that began before sees what was, also when the log has been emptied into the file.
    _ = try other.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try read(store)?.allSatisfy { $0.attributes.contains(.string("new")) } == true)
    let reader = try store.openReader()
    #expect(try reader.count(request) == 200)
    try other.execute("UPDATE ZPLACE SET ZNAME = 'newer'")
    _ = try other.integer("PRAGMA wal_checkpoint(PASSIVE)")
    let seen = try reader.snapshotBlocks(request).flatMap(\.snapshots)
    #expect(seen.count == 200 && seen.allSatisfy { $0.attributes.contains(.string("new")) })
    try reader.close()
    try other.close()
    try store.close()
  }

  @Test("a log counts that lies beside a file whose header knows of none")
  func strayLog() throws {
    let store = try makeStore(seed: 41, rows: 200, wal: true)
    let other = try Connection(path: store.path)
    try other.execute("UPDATE ZPLACE SET ZNAME = 'new'")
    let path = folder.path("stray.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: path + suffix)
    }
    try other.close()
    try store.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes.replaceSubrange(18..<20, with: [1, 1])
    try bytes.write(to: URL(fileURLWithPath: path))
    let stray = try SQLiteStore.open(path: path, model: model)
    #expect(try read(stray) == nil)
    let found = try stray.snapshotBlocks(FetchSpecification(try model.required("Place"))).flatMap(\.snapshots)
    #expect(found.count == 200 && found.allSatisfy { $0.attributes.contains(.string("new")) })
    try stray.close()
  }

  @Test("the schema may change between two fetches")
  func changedSchema() throws {
    let store = try makeStore(seed: 50, rows: 200)
    #expect(try read(store)?.count == 200)
    let session = store.reader.session
    let reader = SnapshotReader(session, entity: try model.required("Place"))
    func blocks() throws -> [Snapshot]? {
      try session.perform { try reader.pageBlocks(session, leastFileSize: 0)?.flatMap(\.snapshots) }
    }
    #expect(try blocks()?.count == 200)
    let other = try Connection(path: store.path)
    // The table moves to another page, its columns to other places.
    try other.execute(
      """
      CREATE TABLE new (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, Z_OPT INTEGER, ZHOURS VARCHAR, ZOWNER INTEGER,
        ZDAY TIMESTAMP, ZREAL FLOAT, ZSMALL FLOAT, ZFLAG INTEGER, ZLARGE INTEGER, Z_ENT INTEGER);
      INSERT INTO new SELECT Z_PK, ZNAME, Z_OPT, ZHOURS, ZOWNER, ZDAY, ZREAL, ZSMALL, ZFLAG, ZLARGE, Z_ENT FROM ZPLACE;
      DROP TABLE ZPLACE; ALTER TABLE new RENAME TO ZPLACE
      """)
    expectSame(try blocks(), try store.snapshots(FetchSpecification(try model.required("Place"))))
    try other.execute("ALTER TABLE ZPLACE ADD COLUMN extra INTEGER DEFAULT 5")
    #expect(try blocks() == nil)
    try other.close()
    try store.close()
  }

  @Test("damaged pages never give wild reads", arguments: 1...40)
  func damaged(seed: Int) throws {
    let store = try makeStore(seed: 60, rows: 500)
    let path = store.path
    try store.close()
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let connection = try Connection(path: path)
    let root = try #require(try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'ZPLACE'"))
    let size = try #require(try connection.integer("PRAGMA page_size"))
    try connection.close()
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<Int.random(in: 1..<200, using: &random) {
      let isRoot = Bool.random(using: &random)
      let start = isRoot ? Int(root - 1) * Int(size) : 100
      let end = isRoot ? start + Int(size) : bytes.count
      bytes[Int.random(in: start..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    let pages = unsafe try CallerPages(path: path, fileSize: bytes.count) { target, offset in
      guard offset + target.count <= bytes.count else { return false }
      unsafe bytes.withUnsafeBytes { source in
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + target.count]))
      }
      return true
    }
    let columns = (1...3).map { PackedRowReader.Column(position: $0 + 2, kind: .bytes, cell: $0, form: 5) }
    let reader = PackedRowReader(
      pages, root: UInt32(root), numberPosition: 1, versionPosition: 2,
      kinds: [1, 2, 3].map { PackedRowReader.RowKind(number: $0, form: 0, columns: columns) }, width: 5)
    var cells = [Int64](repeating: 0, count: 64 * 7)
    var forms = [UInt16](repeating: 0, count: 64 * 6)
    var room = [UInt8](repeating: 0, count: 1 << 17)
    var calls = 0
    unsafe cells.withUnsafeMutableBufferPointer { cells in
      unsafe forms.withUnsafeMutableBufferPointer { forms in
        unsafe room.withUnsafeMutableBytes { room in
          guard let cells = cells.baseAddress, let forms = forms.baseAddress else { return }
          let target = unsafe PackedRowReader.Target(
            cells: cells, forms: forms, width: 5, capacity: 64, bytes: room, offset: 0)
          // Every call reads at least a row, or is the last one.
          while calls < 10_000, let read = unsafe try? reader.read(into: target), read.stop == .full {
            #expect(read.rows > 0 && read.rows <= 64 && read.bytes <= room.count)
            calls += 1
          }
        }
      }
    }
    #expect(calls < 10_000)
  }
}
