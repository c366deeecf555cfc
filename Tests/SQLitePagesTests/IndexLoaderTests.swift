import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Indexes written page by page")
struct IndexLoaderTests {
  struct Case: CustomStringConvertible, Sendable {
    var seed: UInt64
    var rows: Int
    var pageSize: Int
    var memoryBudget: Int
    var description: String { "seed \(seed), \(rows) rows, pages of \(pageSize), \(memoryBudget) bytes of memory" }
  }

  static let cases: [Case] = (0..<24).map { seed in
    let sizes = [512, 1024, 4096, 65_536]
    return Case(
      seed: UInt64(seed), rows: [0, 1, 30, 700, 4000][seed % 5], pageSize: sizes[seed % 4],
      memoryBudget: seed % 3 == 0 ? 1 << 16 : 1 << 24)
  }

  /// Values of all kinds and sizes, with many equal ones.
  static func value(_ random: inout SeededGenerator, _ kind: Int) -> TestRecord.Value {
    let edges: [Int64] = [
      0, 1, -1, 127, 128, -128, -129, 32_767, 32_768, 8_388_607, 8_388_608, .max, .min, 1 << 53, (1 << 53) + 1,
    ]
    switch kind {
    case 0: return .integer(Int64.random(in: 0...40, using: &random))
    case 1: return Bool.random(using: &random) ? .null : .integer(Int64.random(in: 0...100_000, using: &random))
    case 2: return .integer(edges.randomElement(using: &random) ?? 0)
    case 3:
      let reals = [0.5, -0.5, 1e300, -1e300, 9_007_199_254_740_993.5, 3.25, -7.75]
      return Bool.random(using: &random)
        ? .real(reals.randomElement(using: &random) ?? 0) : .integer(edges.randomElement(using: &random) ?? 0)
    case 4: return .text(["", "a", "A", "ab", "a\0b", "a\0", "ä", "zz"].randomElement(using: &random) ?? "")
    case 5:
      return .blob((0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) })
    case 6: return .text(String(repeating: "x", count: Int.random(in: 0...900, using: &random)))
    default: return value(&random, Int.random(in: 0..<7, using: &random))
    }
  }

  @Test("an index over any values is what CREATE INDEX would have made", arguments: cases)
  func differential(test: Case) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: test.seed &+ 77)
    let kinds = (0..<4).map { _ in Int.random(in: 0..<8, using: &random) }
    var rows: [(id: Int64, values: [TestRecord.Value])] = []
    var id: Int64 = test.seed % 7 == 6 ? -20 : 0
    for _ in 0..<test.rows {
      id += Int64.random(in: 1...(test.seed % 5 == 4 ? 1 << 33 : 2), using: &random)
      rows.append((id, kinds.map { Self.value(&random, $0) }))
    }
    // Columns without affinity keep every value as it is.
    let table = "CREATE TABLE T (ID INTEGER PRIMARY KEY, A, B, C, D);"
    let definitions: [(String, [IndexShape.Column])] = [
      ("CREATE INDEX I1 ON T (A)", [.init(field: 1)]), ("CREATE INDEX I2 ON T (B)", [.init(field: 2)]),
      ("CREATE INDEX I3 ON T (C DESC)", [.init(field: 3, isDescending: true)]),
      ("CREATE INDEX I4 ON T (D, A DESC, C)", [.init(field: 4), .init(field: 1, isDescending: true), .init(field: 3)]),
      ("CREATE INDEX I5 ON T (B, ID)", [.init(field: 2), .init(field: nil)]),
      ("CREATE INDEX I6 ON T (ID DESC)", [.init(field: nil, isDescending: true)]),
    ]
    let setUp =
      "PRAGMA page_size = \(test.pageSize); PRAGMA auto_vacuum = 2; " + table + definitions.map { $0.0 + ";" }.joined()
    let fast = try folder.database("fast", setUp)
    let file = try DatabaseFile(path: fast)
    let writer = try TableTreeWriter(file: file, root: try TemporaryFolder.root("T", fast))
    for row in rows {
      try writer.append(row.id, row.values)
    }
    try writer.finish()
    try file.finish()
    let shapes = try definitions.enumerated().map { number, definition in
      IndexShape(name: "I\(number + 1)", root: try TemporaryFolder.root("I\(number + 1)", fast), columns: definition.1)
    }
    let loader = IndexLoader(
      path: fast, memoryBudget: test.memoryBudget, temporaryPath: folder.path + "/sort", workers: 1 + Int(test.seed % 3)
    )
    try loader.load(shapes, tableRoot: try TemporaryFolder.root("T", fast))

    let slow = try folder.database("slow", setUp)
    let connection = try Connection(path: slow)
    try connection.execute("BEGIN")
    let insert = try Statement(connection, "INSERT INTO T VALUES (?1, ?2, ?3, ?4, ?5)")
    for row in rows {
      try insert.bind(1, row.id)
      for (index, value) in row.values.enumerated() { try insert.bind(Int32(index + 2), value) }
      try insert.run()
    }
    insert.finalize()
    try connection.execute("COMMIT")
    let other = try Connection(path: fast)
    #expect(try other.string("PRAGMA integrity_check") == "ok")
    // No tree has more pages than VACUUM leaves it.
    let pages = try TemporaryFolder.pagesByTree(other)
    _ = try folder.vacuumed(other, "0")
    for (name, count) in try TemporaryFolder.pagesByTree(Connection(path: folder.path + "/vacuumed-0.sqlite")) {
      #expect(pages[name] ?? 0 <= count, "\(name) has \(pages[name] ?? 0) pages, \(count) after VACUUM")
    }
    #expect(try folder.vacuumed(other, "1") == folder.vacuumed(connection, "2"))
    try other.execute(
      "DELETE FROM T WHERE ID % 2 = 0; PRAGMA incremental_vacuum; INSERT INTO T (A, B, C, D) SELECT D, C, B, A FROM T")
    #expect(try other.string("PRAGMA integrity_check") == "ok")
  }

  @Test("equal keys in a unique index are an error that names the rows, nulls are never equal")
  func unique() throws {
    let rows: [[TestRecord.Value]] = [
      [.null, .integer(1)], [.null, .integer(1)], [.integer(5), .text("x")], [.real(5), .text("x")],
    ]
    for (count, isSound) in [(3, true), (4, false)] {
      let folder = try TemporaryFolder()
      let path = try folder.database(
        "a", "CREATE TABLE T (ID INTEGER PRIMARY KEY, A, B); CREATE UNIQUE INDEX I ON T (A, B)")
      let file = try DatabaseFile(path: path)
      let writer = try TableTreeWriter(file: file, root: try TemporaryFolder.root("T", path))
      for (index, row) in rows.prefix(count).enumerated() {
        try writer.append(Int64(index + 1), row)
      }
      try writer.finish()
      try file.finish()
      let shape = IndexShape(
        name: "I", root: try TemporaryFolder.root("I", path), columns: [.init(field: 1), .init(field: 2)],
        isUnique: true)
      let loader = IndexLoader(path: path, memoryBudget: 1 << 20, temporaryPath: folder.path + "/sort", workers: 2)
      let tableRoot = try TemporaryFolder.root("T", path)
      if isSound {
        try loader.load([shape], tableRoot: tableRoot)
        #expect(try Connection(path: path).string("PRAGMA integrity_check") == "ok")
      } else {
        let error = #expect(throws: PageError.self) { try loader.load([shape], tableRoot: tableRoot) }
        #expect(error?.kind == .duplicateKey)
        #expect(error?.rows == [3, 4])
      }
    }
  }

  @Test("numbers get the form that SQLite gives them in numeric and real columns")
  func numbers() throws {
    let folder = try TemporaryFolder()
    let path = try folder.database("a", "CREATE TABLE T (ID INTEGER PRIMARY KEY, I INTEGER, N TIMESTAMP, R FLOAT)")
    let connection = try Connection(path: path)
    let insert = try Statement(connection, "INSERT INTO T (I, N, R) VALUES (?1, ?2, ?2)")
    var random = SeededGenerator(seed: 5)
    var integers: [Int64] = [0, 1, -1, .max, .min]
    var reals: [Double] = [
      0, -0.0, 1, -1, 0.5, 1e18, -1e18, 9.3e18, -9.3e18, 140_737_488_355_327, 140_737_488_355_328, -140_737_488_355_328,
      -140_737_488_355_329, 1e300, .infinity, -.infinity, 0x1p63, -0x1p63,
    ]
    for shift in 0..<63 {
      for delta in [-1, 0, 1] as [Int64] {
        integers += [(1 << Int64(shift)) + delta, -(1 << Int64(shift)) + delta]
        reals += [
          Double((1 << Int64(shift)) + delta), Double(-(1 << Int64(shift)) + delta),
          Double.random(in: -1e6...1e6, using: &random),
        ]
      }
    }
    try connection.execute("BEGIN")
    for index in 0..<max(integers.count, reals.count) {
      try insert.bind(1, integers[index % integers.count])
      try insert.bind(2, reals[index % reals.count])
      try insert.run()
    }
    insert.finalize()
    try connection.execute("COMMIT")
    try connection.close()
    let reader = try TableTreeReader(path: path, root: try TemporaryFolder.root("T", path))
    var row = 0
    try unsafe reader.forEachRow(inLeaves: 0..<reader.leaves.count) { (rowID, record) throws(PageError) in
      let stored = unsafe Array(record)
      var types: [UInt8] = [0]
      var body: [UInt8] = []
      let scratch = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
      defer { unsafe scratch.deallocate() }
      for (type, count, copy) in unsafe [
        RecordEncoding.write(integers[row % integers.count], to: scratch), nil,
        nil,
      ].enumerated().map({ position, written in
        let result =
          unsafe written ?? RecordEncoding.write(reals[row % reals.count], isReal: position == 2, to: scratch)
        return unsafe (result.type, result.count, Array(UnsafeRawBufferPointer(start: scratch, count: result.count)))
      }) {
        types.append(type)
        body += copy.prefix(count)
      }
      #expect(
        [UInt8(types.count + 1)] + types + body == stored,
        "row \(rowID): \(integers[row % integers.count]) \(reals[row % reals.count])")
      row += 1
    }
    #expect(row == max(integers.count, reals.count))
  }
}

extension TemporaryFolder {
  func database(_ name: String, _ sql: String) throws -> String {
    let connection = try Connection(path: "\(path)/\(name).sqlite", options: .init(createsFile: true))
    try connection.execute(sql)
    try connection.close()
    return "\(path)/\(name).sqlite"
  }

  /// What `VACUUM INTO` makes of a database: its contents without the history of the file.
  func vacuumed(_ connection: Connection, _ name: String) throws -> Data {
    try connection.execute("VACUUM INTO '\(path)/vacuumed-\(name).sqlite'")
    return try Data(contentsOf: URL(fileURLWithPath: "\(path)/vacuumed-\(name).sqlite"))
  }

  /// Tables and indexes with the number of their pages.
  static func pagesByTree(_ connection: Connection) throws -> [String: Int64] {
    let statement = try Statement(connection, "SELECT name, count(*) FROM dbstat GROUP BY name")
    var result: [String: Int64] = [:]
    while try statement.step() { result[statement.string(at: 0) ?? ""] = statement.int64(at: 1) }
    return result
  }

  static func root(_ name: String, _ database: String) throws -> UInt32 {
    UInt32(try Connection(path: database).integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'") ?? 0)
  }
}
