import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Rows found by their keys in the file's pages")
struct RowKeyTableTests {
  /// A row as it is stored, or as it is looked for. Nil is null.
  struct Row: Equatable {
    var kind: Int64 = 1
    var number: Int64?
    var name: String?
    var real: Double?
    var float: Double?
    var data: [UInt8]?
    var count: Int64?
  }

  static let shape = RowKeyShape(
    keys: [ComparedField(position: 2, kind: .integer), ComparedField(position: 3, kind: .text)],
    values: [
      ComparedField(position: 4, kind: .real), ComparedField(position: 5, kind: .float),
      ComparedField(position: 6, kind: .blob), ComparedField(position: 7, kind: .integer),
    ], filter: (position: 1, numbers: [1, 3]), isUnique: false)

  /// Few different keys, so that many are found and some several times; texts up to several pages long.
  static func row(_ generator: inout SeededGenerator) -> Row {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
    func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }
    let lengths = [0, 1, 7, 8, 9, 30, 600, 5000]
    return Row(
      kind: pick([1, 1, 1, 2, 3]),
      number: chance(3) ? nil : pick([0, 1, -1, 127, -128, 40_000, 8_388_607, 1 << 31, 1 << 47, .max, .min]),
      name: chance(3) ? nil : String(repeating: pick(["é", "b", "中"]), count: pick(lengths)),
      real: chance(20) ? nil : pick([0, 0.5, 3, -7, 1e300]), float: chance(20) ? nil : pick([0.1, 2, 16_777_217]),
      data: chance(20) ? nil : Array(repeating: pick([0, 255]), count: pick(lengths)),
      count: chance(20) ? nil : pick([0, 5, -3_000_000_000]))
  }

  static func fill(_ path: String, _ rows: [Row], pageSize: Int) throws {
    let connection = try Connection(path: path, options: .init(createsFile: true))
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = 2;
      CREATE TABLE R (ID INTEGER PRIMARY KEY, KIND INTEGER, NUMBER INTEGER, NAME VARCHAR, R FLOAT, F FLOAT, D BLOB, C INTEGER)
      """)
    try connection.execute("BEGIN")
    let insert = try Statement(connection, "INSERT INTO R VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    for (index, row) in rows.enumerated() {
      try insert.bind(1, Int64(index * 3 + 1))
      try insert.bind(2, row.kind)
      if let value = row.number { try insert.bind(3, value) } else { try insert.bindNull(3) }
      if let value = row.name { try insert.bind(4, value) } else { try insert.bindNull(4) }
      if let value = row.real { try insert.bind(5, value) } else { try insert.bindNull(5) }
      if let value = row.float { try insert.bind(6, Double(Float(value))) } else { try insert.bindNull(6) }
      if let value = row.data { try insert.bind(7, blob: value) } else { try insert.bindNull(7) }
      if let value = row.count { try insert.bind(8, value) } else { try insert.bindNull(8) }
      try insert.run()
    }
    insert.finalize()
    try connection.execute("COMMIT")
    try connection.close()
  }

  /// What the table says of some rows; `given` says which of the four values are given at all.
  static func match(
    _ table: RowKeyTable, _ rows: [Row], given: [[Bool]]
  ) throws -> (matches: [RowMatch], rowIDs: [Int64], repeated: [Int]) {
    var bytes: [UInt8] = []
    var states = [[UInt8]](repeating: [], count: 6)
    var cells = [[UInt64]](repeating: [], count: 6)
    func add(_ column: Int, _ isGiven: Bool, _ cell: UInt64?) {
      states[column].append(isGiven ? cell == nil ? 1 : 2 : 0)
      cells[column].append(cell ?? 0)
    }
    func slice(_ content: [UInt8]?) -> UInt64? {
      guard let content else { return nil }
      defer { bytes += content }
      return UInt64(bytes.count) | UInt64(content.count) << 32
    }
    for (row, given) in zip(rows, given) {
      add(0, true, row.number.map { UInt64(bitPattern: $0) })
      add(1, true, slice(row.name.map { Array($0.utf8) }))
      add(2, given[0], row.real?.bitPattern)
      add(3, given[1], row.float?.bitPattern)
      add(4, given[2], slice(row.data))
      add(5, given[3], row.count.map { UInt64(bitPattern: $0) })
    }
    var matches = [RowMatch](repeating: .none, count: rows.count)
    var rowIDs = [Int64](repeating: 0, count: rows.count)
    var places = [Int](repeating: -1, count: rows.count)
    bytes += [0]
    try unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let columns = unsafe zip(states, cells).map { states, cells in
        let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: states.count)
        unsafe kept.initialize(from: states, count: states.count)
        let values = UnsafeMutablePointer<UInt64>.allocate(capacity: cells.count)
        unsafe values.initialize(from: cells, count: cells.count)
        return unsafe ComparedColumn(states: kept, cells: UnsafeRawPointer(values))
      }
      defer {
        unsafe columns.forEach {
          unsafe $0.states.deallocate()
          unsafe $0.cells.deallocate()
        }
      }
      try unsafe matches.withUnsafeMutableBufferPointer { matches in
        try unsafe rowIDs.withUnsafeMutableBufferPointer { rowIDs in
          try unsafe places.withUnsafeMutableBufferPointer { places in
            unsafe try table.match(
              keys: Array(columns[..<2]), values: Array(columns[2...]), bytes: base, count: rows.count,
              matches: matches, rowIDs: rowIDs, places: places)
          }
        }
      }
    }
    return (matches, rowIDs, table.noteFound(places))
  }

  /// The same by looking at every row.
  static func expected(_ stored: [Row], _ row: Row, given: [Bool]) -> (RowMatch, Int64) {
    guard row.number != nil, row.name != nil else { return (.none, 0) }
    let found = stored.indices.filter {
      stored[$0].number == row.number && stored[$0].name == row.name && stored[$0].kind != 2
    }
    guard let first = found.first else { return (.none, 0) }
    if found.count > 1 { return (.ambiguous, 0) }
    let other = stored[first]
    let isSame =
      (!given[0] || other.real == row.real)
      && (!given[1] || other.float.map { Float($0) } == row.float.map { Float($0) })
      && (!given[2] || other.data == row.data) && (!given[3] || other.count == row.count)
    return (isSame ? .same : .different, Int64(first * 3 + 1))
  }

  @Test(
    "random rows are found as by looking at every row, whatever the hashes",
    arguments: [512, 4096, 65_536], [UInt64.max, 0xF00_0000_000F, 0])
  func random(pageSize: Int, hashMask: UInt64) throws {
    var generator = SeededGenerator(seed: UInt64(pageSize) ^ hashMask)
    for size in [0, 1, 40, 160] {
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/rows.sqlite"
      let stored = (0..<size).map { _ in Self.row(&generator) }
      try Self.fill(path, stored, pageSize: pageSize)
      let mapped = try MappedTable(path: path, root: try TemporaryFolder.root("R", path))
      let table = try RowKeyTable(mapped, shape: Self.shape, memoryBudget: 1 << 20, workers: 2, hashMask: hashMask)
      #expect(table.rowCount == size)
      var seen: Set<Int64> = []
      for _ in 0..<3 {
        var rows = (0..<120).map { _ in Self.row(&generator) } + stored
        rows.shuffle(using: &generator)
        let given = rows.map { _ in (0..<4).map { _ in Bool.random(using: &generator) } }
        let found = try Self.match(table, rows, given: given)
        for (index, row) in rows.enumerated() {
          let (match, rowID) = Self.expected(stored, row, given: given[index])
          #expect(found.matches[index] == match)
          #expect(found.rowIDs[index] == rowID)
          let isRepeated = rowID != 0 && !seen.insert(rowID).inserted
          #expect(found.repeated.contains(index) == isRepeated)
        }
        mapped.releasePages()
      }
    }
  }

  @Test("keys that SQLite might find in another form, and tables over the budget, are refused")
  func refused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.database(
      "odd", "CREATE TABLE R (ID INTEGER PRIMARY KEY, K); INSERT INTO R VALUES (1, 5), (2, 5.5), (3, NULL)")
    let root = try TemporaryFolder.root("R", path)
    func table(_ kind: ComparedField.Kind, budget: Int = 1 << 20) throws -> RowKeyTable {
      try RowKeyTable(
        try MappedTable(path: path, root: root),
        shape: RowKeyShape(keys: [ComparedField(position: 1, kind: kind)], values: [], isUnique: true),
        memoryBudget: budget, workers: 1)
    }
    for kind in [ComparedField.Kind.integer, .real, .text, .blob] {
      #expect { try table(kind) } throws: { ($0 as? PageError)?.kind == .unsuitable }
    }
    try Connection(path: path).execute("DELETE FROM R WHERE ID = 2")
    #expect(try table(.integer).rowCount == 2)
    #expect { try table(.integer, budget: 1000) } throws: { ($0 as? PageError)?.kind == .unsuitable }
  }

  @Test("random damage gives an error or an answer for every row, never a crash", arguments: 0..<4 as Range<UInt64>)
  func damaged(seed: UInt64) throws {
    var (answers, errors) = (0, 0)
    var generator = SeededGenerator(seed: seed)
    let stored = (0..<60).map { _ in Self.row(&generator) }
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/rows.sqlite"
    try Self.fill(path, stored, pageSize: 512)
    let root = try TemporaryFolder.root("R", path)
    let sound = try Data(contentsOf: URL(fileURLWithPath: path))
    for _ in 0..<150 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        bytes[Int.random(in: 100..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      do {
        let table = try RowKeyTable(
          try MappedTable(path: path, root: root), shape: Self.shape, memoryBudget: 1 << 20, workers: 2)
        let found = try Self.match(table, stored, given: stored.map { _ in [true, true, true, true] })
        #expect(found.matches.count == stored.count && found.rowIDs.count == stored.count)
        answers += 1
      } catch is PageError {
        errors += 1
      }
    }
    #expect(answers > 0 && errors > 0, "\(answers) answers, \(errors) errors")
  }
}
