import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

/// The page at 1 GiB, on which locks are taken, never holds data. The files here are of that size, but nearly all of
/// their pages are free and were never written, so they take up little space.
@Suite("The lock-byte page")
struct LockBytePageTests {
  struct Case: CustomStringConvertible, Sendable {
    var pageSize: Int
    var autoVacuum: Int
    var description: String { "pages of \(pageSize), auto-vacuum \(autoVacuum)" }
  }

  static let cases = [
    // With pages of 1,024 bytes, the pointer map's page would be just that one and moves on.
    Case(pageSize: 1_024, autoVacuum: 2), Case(pageSize: 4_096, autoVacuum: 2), Case(pageSize: 65_536, autoVacuum: 2),
    Case(pageSize: 65_536, autoVacuum: 0),
  ]

  /// Lengthens a database by free pages, which are holes in the file but for those that list them.
  static func addFreePages(_ path: String, upTo last: UInt32, hasPointerMap: Bool) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    let geometry = try DatabaseFile(path: path).geometry
    func number(_ offset: UInt64) throws -> UInt32 {
      try handle.seek(toOffset: offset)
      return try handle.read(upToCount: 4)?.reduce(0) { $0 << 8 | UInt32($1) } ?? 0
    }
    func write(_ bytes: [UInt8], page: UInt32, at offset: Int = 0) throws {
      try handle.seek(toOffset: UInt64(page - 1) * UInt64(geometry.pageSize) + UInt64(offset))
      try handle.write(contentsOf: bytes)
    }
    func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    let count = try number(28)
    let free = (count + 1...last).filter { !geometry.isSetAside($0, hasPointerMap: hasPointerMap) }
    let perTrunk = geometry.usableSize / 4 - 8
    var trunks: [ArraySlice<UInt32>] = []
    var position = 0
    while position < free.count {
      trunks.append(free[position..<min(position + perTrunk + 1, free.count)])
      position += perTrunk + 1
    }
    for (index, trunk) in trunks.enumerated() {
      let next = index + 1 < trunks.count ? trunks[index + 1].first ?? 0 : 0
      let leaves = trunk.dropFirst()
      try unsafe write(
        bytes(next) + bytes(UInt32(leaves.count)) + leaves.map(\.bigEndian).withUnsafeBytes { unsafe Array($0) },
        page: trunk.first ?? 0)
    }
    if hasPointerMap {
      var page = count + 1
      while page <= last {
        let map = geometry.pointerMapPage(for: page)
        let first = max(page, map + 1)
        page = min(last, geometry.lastPage(besides: page)) + 1
        let entries = (0..<Int(page) - Int(first)).flatMap { _ in [2, 0, 0, 0, 0] as [UInt8] }
        if first < page { try write(entries, page: map, at: Int(first - map - 1) * 5) }
      }
    }
    try handle.truncate(atOffset: UInt64(last) * UInt64(geometry.pageSize))
    try write(bytes(last), page: 1, at: 28)
    try write(bytes(trunks.first?.first ?? 0) + bytes(UInt32(free.count)), page: 1, at: 32)
  }

  @Test("rows and indexes are written around it", arguments: cases)
  func around(test: Case) throws {
    let folder = try TemporaryFolder()
    let path = try folder.database(
      "a",
      """
      PRAGMA page_size = \(test.pageSize); PRAGMA auto_vacuum = \(test.autoVacuum);
      CREATE TABLE T (ID INTEGER PRIMARY KEY, N INTEGER, S TEXT); CREATE INDEX TN ON T (N); CREATE INDEX TS ON T (S);
      """)
    let hasPointerMap = test.autoVacuum != 0
    let lockBytePage = UInt32(0x4000_0000 / test.pageSize + 1)
    let roots = try ["T", "TN", "TS"].map { try TemporaryFolder.root($0, path) }
    // The table takes 9 pages or so: the boundary comes among them.
    try Self.addFreePages(path, upTo: lockBytePage - 5, hasPointerMap: hasPointerMap)
    #expect(try Connection(path: path).string("PRAGMA integrity_check") == "ok")
    let rows = test.pageSize * 9 / 100
    let file = try DatabaseFile(path: path)
    let writer = try TableTreeWriter(file: file, root: roots[0])
    for row in 1...Int64(rows) {
      let text = String(repeating: "a", count: 80) + String(row * 7_919 % 100_003)
      try writer.append(row, [.integer(row % 13), .text(text)])
    }
    try writer.finish()
    try file.finish()
    let loader = IndexLoader(path: path, memoryBudget: 1 << 20, temporaryPath: folder.path + "/sort", workers: 2)
    let shapes = [
      IndexShape(name: "TN", root: roots[1], columns: [.init(field: 1)]),
      IndexShape(name: "TS", root: roots[2], columns: [.init(field: 2)]),
    ]
    try loader.load(shapes, tableRoot: roots[0])
    let connection = try Connection(path: path)
    #expect(try connection.integer("PRAGMA page_count") ?? 0 > Int64(lockBytePage) + 10)
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
    #expect(try connection.integer("SELECT count(*) FROM T WHERE N = 5") == Int64((rows + 7) / 13))
    let trees = zip(["T", "TN", "TS"], roots).map { name, root in
      DatabaseCheck.Tree(name: name, root: root, isIndex: name != "T", tableRoot: name == "T" ? nil : roots[0])
    }
    #expect(try DatabaseCheck(path: path, trees: trees, workers: 2).problems() == [])
    // SQLite goes on with the file: it fills free pages and moves others to the front.
    try connection.execute("DELETE FROM T WHERE ID % 3 = 0; INSERT INTO T (N, S) SELECT N, S || 'x' FROM T")
    if hasPointerMap { try connection.execute("PRAGMA incremental_vacuum(40)") }
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
  }

  @Test("a table on both sides of it is written anew", arguments: [cases[1], cases[3]])
  func rewritten(test: Case) throws {
    let folder = try TemporaryFolder()
    let path = try folder.database(
      "a",
      """
      PRAGMA page_size = \(test.pageSize); PRAGMA auto_vacuum = \(test.autoVacuum);
      CREATE TABLE T (ID INTEGER PRIMARY KEY, V INTEGER, S TEXT);
      """)
    let hasPointerMap = test.autoVacuum != 0
    let lockBytePage = UInt32(0x4000_0000 / test.pageSize + 1)
    let root = try TemporaryFolder.root("T", path)
    try Self.addFreePages(path, upTo: lockBytePage - 5, hasPointerMap: hasPointerMap)
    let rows = Int64(test.pageSize * 9 / 100)
    var file = try DatabaseFile(path: path)
    var writer = try TableTreeWriter(file: file, root: root)
    for row in 1...rows {
      try writer.append(row, [.integer(1), .text(String(repeating: "a", count: 90))])
    }
    try writer.finish()
    try file.finish()

    let changes = RowChanges(
      fields: [.init(position: 2, comparison: .bytes)], width: 3, versionPosition: 1, memoryBudget: 1 << 20,
      temporaryPath: folder.path + "/changes")
    for row in 1...rows where row % 2 == 0 {
      let record = TestRecord.encode([.text(String(repeating: "b", count: Int(row % 200)))])
      try unsafe record.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        try unsafe changes.append(rowID: row, tag: 0, record: base, count: bytes.count)
      }
    }
    file = try DatabaseFile(path: path)
    writer = try TableTreeWriter(file: file, root: root, after: rows)
    try writer.finish(changing: changes)
    try file.finish()
    #expect(changes.updatedCount == Int(rows / 2))
    let connection = try Connection(path: path)
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
    #expect(
      try connection.integer("SELECT count(*) FROM T WHERE V = 2 AND length(S) = ID % 200 AND S NOT LIKE '%a%'")
        == rows / 2)
    #expect(try connection.integer("SELECT count(*) FROM T WHERE V = 1 AND length(S) = 90") == rows - rows / 2)
    let trees = [DatabaseCheck.Tree(name: "T", root: root, isIndex: false, tableRoot: nil)]
    #expect(try DatabaseCheck(path: path, trees: trees, workers: 2).problems() == [])
    // SQLite goes on with the file: it fills free pages and moves others to the front.
    try connection.execute("DELETE FROM T WHERE ID % 3 = 0; INSERT INTO T (V, S) SELECT V, S || 'x' FROM T")
    if hasPointerMap { try connection.execute("PRAGMA incremental_vacuum(40)") }
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
  }

  @Test("an index over integers is written around it, whatever page it begins on", arguments: 0..<7 as Range<UInt32>)
  func integerIndex(distance: UInt32) throws {
    let folder = try TemporaryFolder()
    let path = try folder.database(
      "a",
      """
      PRAGMA page_size = 65536; PRAGMA auto_vacuum = 2;
      CREATE TABLE T (ID INTEGER PRIMARY KEY, N INTEGER); CREATE INDEX TN ON T (N);
      """)
    let roots = try ["T", "TN"].map { try TemporaryFolder.root($0, path) }
    let file = try DatabaseFile(path: path)
    let writer = try TableTreeWriter(file: file, root: roots[0])
    let column = KeyColumn(field: 1, memoryBudget: 1 << 20, temporaryPath: folder.path + "/column")
    for row in 1...30_000 as ClosedRange<Int64> {
      try writer.append(row, [.integer(row * 31 % 7_001)])
      column.append(row * 31 % 7_001, firstRowID: row, count: 1)
    }
    try writer.finish()
    try file.finish()
    try Self.addFreePages(path, upTo: 16_385 - 1 - distance, hasPointerMap: true)
    let loader = IndexLoader(path: path, memoryBudget: 1 << 20, temporaryPath: folder.path + "/sort", workers: 2)
    try loader.load(
      [IndexShape(name: "TN", root: roots[1], columns: [.init(field: 1)])], tableRoot: roots[0], columns: [column])
    #expect(try Connection(path: path).string("PRAGMA integrity_check") == "ok")
  }
}
