import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

/// A record encoder for tests: slow and plain.
enum TestRecord {
  enum Value: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  static func varint(_ value: UInt64) -> [UInt8] {
    var groups: [UInt8] = []
    if value >> 56 != 0 {
      groups.append(UInt8(truncatingIfNeeded: value))
      var rest = value >> 8
      for _ in 0..<8 {
        groups.append(UInt8(rest & 0x7f) | 0x80)
        rest >>= 7
      }
      return groups.reversed()
    }
    var rest = value
    repeat {
      groups.append(UInt8(rest & 0x7f) | (groups.isEmpty ? 0 : 0x80))
      rest >>= 7
    } while rest > 0
    return groups.reversed()
  }

  /// Bytes that a record's header begins with before the types.
  static func headerSizeLength(_ record: [UInt8]) -> Int { (record.firstIndex { $0 < 0x80 } ?? 0) + 1 }

  static func encode(_ values: [Value]) -> [UInt8] {
    var types: [UInt8] = []
    var body: [UInt8] = []
    func bigEndian(_ value: Int64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    for value in values {
      switch value {
      case .null: types += [0]
      case .integer(0): types += [8]
      case .integer(1): types += [9]
      case .integer(let value):
        let sizes: [(UInt8, Int)] = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (6, 8)]
        for (type, size) in sizes
        where size == 8 || (-(Int64(1) << (size * 8 - 1))..<(Int64(1) << (size * 8 - 1))).contains(value) {
          types.append(type)
          body += bigEndian(value, size)
          break
        }
      case .real(let value):
        types.append(7)
        body += bigEndian(Int64(bitPattern: value.bitPattern), 8)
      case .text(let value):
        types += varint(UInt64(value.utf8.count * 2 + 13))
        body += Array(value.utf8)
      case .blob(let value):
        types += varint(UInt64(value.count * 2 + 12))
        body += value
      }
    }
    var headerSize = types.count + 1
    while varint(UInt64(headerSize)).count + types.count != headerSize { headerSize += 1 }
    return varint(UInt64(headerSize)) + types + body
  }
}

@Suite("B-trees written page by page")
struct TreeTests {
  struct Case: CustomStringConvertible, Sendable {
    var pageSize: Int
    var rows: Int
    var maximumLength: Int
    var autoVacuum: Int
    var description: String {
      "\(rows) rows of up to \(maximumLength) bytes, pages of \(pageSize), auto-vacuum \(autoVacuum)"
    }
  }

  static let cases: [Case] = [512, 1024, 4096, 8192, 65_536].flatMap { pageSize in
    [(0, 10), (1, 10), (7, 40), (500, 40), (3000, 30), (40, 5000), (300, 700), (3, 200_000)].map { rows, length in
      Case(pageSize: pageSize, rows: rows, maximumLength: length, autoVacuum: rows % 2 == 0 ? 2 : 0)
    }
  }

  @Test("a table and its index are what SQLite itself would have written", arguments: cases)
  func differential(test: Case) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: UInt64(test.rows * 31 + test.pageSize + test.maximumLength))
    var rows: [(id: Int64, number: Int64?, text: String)] = []
    var id: Int64 = test.rows == 7 ? -3 : 0
    for _ in 0..<test.rows {
      id += Int64.random(in: 1...(test.rows == 40 ? 1 << 40 : 3), using: &random)
      let length = Int.random(in: 0...test.maximumLength, using: &random)
      let text = String(decoding: (0..<length).map { _ in UInt8.random(in: 97...122, using: &random) }, as: UTF8.self)
      rows.append(
        (id, Int.random(in: 0..<9, using: &random) == 0 ? nil : Int64.random(in: -300...70_000, using: &random), text))
    }
    let schema = """
      PRAGMA page_size = \(test.pageSize); PRAGMA auto_vacuum = \(test.autoVacuum);
      CREATE TABLE T (ID INTEGER PRIMARY KEY, N INTEGER, S VARCHAR);
      CREATE INDEX TN ON T (N); CREATE INDEX TS ON T (S);
      """
    let fast = folder.path("fast.sqlite")
    let slow = folder.path("slow.sqlite")
    var roots: [UInt32] = []
    do {
      let connection = try Connection(path: fast, options: .init(createsFile: true))
      try connection.execute(schema)
      for name in ["T", "TN", "TS"] {
        roots.append(UInt32(try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'") ?? 0))
      }
      try connection.close()
    }
    let file = try DatabaseFile(path: fast)
    let table = try TableTreeWriter(file: file, root: roots[0])
    for row in rows {
      try table.append(row.id, [row.number.map { .integer($0) } ?? .null, .text(row.text)])
    }
    try table.finish()
    let byNumber = rows.sorted { ($0.number ?? Int64.min, $0.id) < ($1.number ?? Int64.min, $1.id) }
    let byText = rows.sorted { ($0.text, $0.id) < ($1.text, $1.id) }
    for (root, keys) in [
      (roots[1], byNumber.map { TestRecord.encode([$0.number.map { .integer($0) } ?? .null, .integer($0.id)]) }),
      (roots[2], byText.map { TestRecord.encode([.text($0.text), .integer($0.id)]) }),
    ] {
      let index = try IndexTreeWriter(file: file, root: root)
      for key in keys {
        try unsafe key.withUnsafeBytes { try unsafe index.append(payload: $0.baseAddress!, count: $0.count) }
      }
      try index.finish()
    }
    try file.finish()

    let connection = try Connection(path: slow, options: .init(createsFile: true))
    try connection.execute(schema)
    let insert = try Statement(connection, "INSERT INTO T VALUES (?1, ?2, ?3)")
    try connection.execute("BEGIN")
    for row in rows {
      try insert.bind(1, row.id)
      if let number = row.number { try insert.bind(2, number) } else { try insert.bindNull(2) }
      try insert.bind(3, row.text)
      try insert.run()
    }
    try connection.execute("COMMIT")
    insert.finalize()
    let other = try Connection(path: fast)
    #expect(try other.string("PRAGMA integrity_check") == "ok")
    for (index, database) in [connection, other].enumerated() {
      try database.execute("VACUUM INTO '\(folder.path)/\(index).sqlite'")
    }
    let vacuumed = try (0..<2).map { try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\($0).sqlite")) }
    #expect(vacuumed[0] == vacuumed[1])
    let pages = try other.integer("PRAGMA page_count") ?? 0
    let pagesOfSQLite = try connection.integer("PRAGMA page_count") ?? 0
    #expect(pages <= pagesOfSQLite + 2, "\(pages) pages, SQLite has \(pagesOfSQLite)")
    // What SQLite does with the file afterwards must work: it moves and frees pages by the pointer map.
    try other.execute(
      "DELETE FROM T WHERE ID % 3 = 0; UPDATE T SET S = S || 'x' WHERE ID % 5 = 0; PRAGMA incremental_vacuum")
    try other.execute("INSERT INTO T (N, S) SELECT N, S FROM T")
    #expect(try other.string("PRAGMA integrity_check") == "ok")
  }
}
