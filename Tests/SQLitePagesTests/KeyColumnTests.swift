import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Columns kept for indexes")
struct KeyColumnTests {
  /// Appends rows batch by batch.
  static func fill(_ column: KeyColumn, _ rows: [(id: Int64, value: Int64?)], batch: Int) {
    var start = 0
    while start < rows.count {
      let part = rows[start..<min(start + batch, rows.count)]
      let values = part.map { $0.value ?? 77 }
      let states = part.map { $0.value == nil ? UInt8(1) : 2 }
      let ids = part.map(\.id)
      unsafe values.withUnsafeBufferPointer { values in
        unsafe states.withUnsafeBufferPointer { states in
          unsafe ids.withUnsafeBufferPointer { ids in
            guard let values = values.baseAddress, let states = states.baseAddress, let ids = ids.baseAddress else {
              return
            }
            unsafe column.append(values, states: states, valueState: 2, rowIDs: ids, count: part.count)
          }
        }
      }
      start += batch
    }
  }

  @Test("rows come back as they went in, from memory and from the file", arguments: [1 << 18, 1 << 22])
  func roundTrip(memoryBudget: Int) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 3)
    var id: Int64 = 0
    let rows: [(id: Int64, value: Int64?)] = (0..<150_000).map { _ in
      id += Int.random(in: 0..<900, using: &random) == 0 ? 17 : 1
      return (
        id, Int.random(in: 0..<9, using: &random) == 0 ? nil : Int64.random(in: 0...((1 << 31) - 1), using: &random)
      )
    }
    let column = KeyColumn(field: 4, memoryBudget: memoryBudget, temporaryPath: folder.path + "/column")
    Self.fill(column, rows, batch: 7_001)
    #expect(column.isComplete)
    #expect(column.count == rows.count)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    for range in [0..<rows.count, 65_530..<65_540, 65_536..<131_072, 149_999..<150_000] {
      var position = range.lowerBound
      var differences = 0
      unsafe try column.forEach(in: range) { slots, firstRowID, count in
        for index in 0..<count {
          let (id, value) = rows[position]
          if unsafe slots[index] != value.map({ UInt32($0) + 1 }) ?? 0 || firstRowID + Int64(index) != id {
            differences += 1
          }
          position += 1
        }
      }
      #expect(differences == 0)
      #expect(position == range.upperBound)
    }
  }

  @Test("what a column cannot hold makes it forget everything")
  func unsuitable() throws {
    let folder = try TemporaryFolder()
    let cases: [[(id: Int64, value: Int64?)]] = [
      [(1, 5), (2, -1)], [(1, 1 << 31)], [(1, .min)], [(2, 5), (1, 6)], [(0, 1)], [(-4, 1)], [(1 << 32, 1)],
    ]
    for rows in cases {
      let column = KeyColumn(field: 0, memoryBudget: 1 << 20, temporaryPath: folder.path + "/column")
      Self.fill(column, rows, batch: 1)
      #expect(!column.isComplete, "\(rows)")
      #expect(column.count == 0)
    }
    let sound = KeyColumn(field: 0, memoryBudget: 1 << 20, temporaryPath: folder.path + "/column")
    sound.append(9, firstRowID: 1, count: 70_000)
    sound.append(nil, firstRowID: 70_001, count: 2)
    Self.fill(sound, [(70_010, 0), (4_294_967_295, (1 << 31) - 1)], batch: 2)
    #expect(sound.isComplete)
    #expect(sound.count == 70_004)
    sound.append(-1, firstRowID: 4_294_967_296, count: 1)
    #expect(!sound.isComplete)
  }

  struct Case: CustomStringConvertible, Sendable {
    var pageSize: Int
    var firstRowID: Int64
    var greatestValue: Int64
    var rows: Int
    var description: String {
      "\(rows) rows from \(firstRowID), values up to \(greatestValue), pages of \(pageSize)"
    }
  }

  static let cases: [Case] = [
    Case(pageSize: 512, firstRowID: 1, greatestValue: 3, rows: 2_000),
    Case(pageSize: 512, firstRowID: 32_000, greatestValue: 40_000, rows: 3_000),
    Case(pageSize: 1_024, firstRowID: 8_388_000, greatestValue: 300, rows: 4_000),
    Case(pageSize: 4_096, firstRowID: 2_147_483_000, greatestValue: 70_000, rows: 20_000),
    Case(pageSize: 4_096, firstRowID: 1, greatestValue: 8_400_000, rows: 30_000),
    Case(pageSize: 65_536, firstRowID: 1, greatestValue: 900, rows: 60_000),
    Case(pageSize: 4_096, firstRowID: 1, greatestValue: 5, rows: 1),
    Case(pageSize: 4_096, firstRowID: 1, greatestValue: 5, rows: 340),
  ]

  /// Every way to fill the index has to give the same file: from a column or from the table, with any number of workers
  /// and any budget.
  @Test("an index over integers is the same file, however it is made", arguments: cases)
  func sameFile(test: Case) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: UInt64(test.rows))
    var id = test.firstRowID - 1
    let rows: [(id: Int64, value: Int64?)] = (0..<test.rows).map { _ in
      id += Int.random(in: 0..<50, using: &random) == 0 ? 3 : 1
      let isSmall = Int.random(in: 0..<4, using: &random) == 0
      let value = Int64.random(in: 0...(isSmall ? min(200, test.greatestValue) : test.greatestValue), using: &random)
      return (id, Int.random(in: 0..<9, using: &random) == 0 ? nil : value)
    }
    let setUp = """
      PRAGMA page_size = \(test.pageSize); PRAGMA auto_vacuum = 2; CREATE TABLE T (ID INTEGER PRIMARY KEY, A, B);
      CREATE INDEX TA ON T (A); CREATE INDEX TB ON T (B);
      """
    let table = try folder.database("table", setUp)
    let file = try DatabaseFile(path: table)
    let writer = try TableTreeWriter(file: file, root: try TemporaryFolder.root("T", table))
    for row in rows {
      let value = row.value.map { TestRecord.Value.integer($0) } ?? .null
      try writer.append(row.id, [value, value])
    }
    try writer.finish()
    try file.finish()
    let shapes = try [("TA", 1), ("TB", 2)].map { name, field in
      IndexShape(name: name, root: try TemporaryFolder.root(name, table), columns: [.init(field: field)])
    }
    let root = try TemporaryFolder.root("T", table)
    var expected: Data?
    let large = 1 << 26
    for (workers, budget, kept) in [
      (1, large, 0), (2, large, 1), (3, large, 2), (1, 1, 2), (3, 1, 0), (2, 40_000, 1), (3, 40_000, 2),
    ] {
      let path = "\(folder.path)/\(workers)-\(budget)-\(kept).sqlite"
      try FileManager.default.copyItem(atPath: table, toPath: path)
      let columns = [1, 2].prefix(kept).map { field in
        let column = KeyColumn(field: field, memoryBudget: budget, temporaryPath: path + "-column")
        Self.fill(column, rows, batch: 999)
        return column
      }
      let loader = IndexLoader(path: path, memoryBudget: budget, temporaryPath: path + "-sort", workers: workers)
      try loader.load(shapes, tableRoot: root, columns: columns)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      if expected == nil {
        expected = bytes
        #expect(try Connection(path: path).string("PRAGMA integrity_check") == "ok")
      }
      let isSame = bytes == expected
      #expect(isSame, "\(workers) workers, a budget of \(budget), \(kept) columns kept")
      try FileManager.default.removeItem(atPath: path)
    }
    // SQLite packs what it sorts in the same way, so there is nothing to gain from VACUUM.
    try expected?.write(to: URL(fileURLWithPath: table))
    let connection = try Connection(path: table)
    let before = try TemporaryFolder.pagesByTree(connection)
    try connection.execute("VACUUM")
    #expect(try TemporaryFolder.pagesByTree(connection) == before)
  }
}
