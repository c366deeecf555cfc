import Foundation
import SQLite
import SQLitePages
import TestSupport
import Testing

@Suite("Rows of two tables that are not the same to the byte")
struct TableDifferenceTests {
  /// Texts of all sizes, some of which lie on other pages, by row id.
  private static func rows(_ random: inout SeededGenerator, count: Int) -> [Int64: String] {
    var rows: [Int64: String] = [:]
    for _ in 0..<count {
      let size = [3, 40, 900, 12_000][Int.random(in: 0..<40, using: &random) / 12]
      rows[Int64.random(in: -50...2_000, using: &random)] = String(repeating: "x", count: size)
    }
    return rows
  }

  private func write(_ rows: [Int64: String], to path: String) throws -> UInt32 {
    let connection = try Connection(path: path, options: .init(createsFile: true))
    try connection.execute("CREATE TABLE filler (a); CREATE TABLE rows (id INTEGER PRIMARY KEY, text, number); BEGIN")
    let insert = try Statement(connection, "INSERT INTO rows VALUES (?1, ?2, 7)")
    for (id, text) in rows.sorted(by: { $0.key < $1.key }) {
      try insert.bind(1, id)
      try insert.bind(2, text)
      try insert.run()
      insert.reset()
    }
    insert.finalize()
    try connection.execute("COMMIT")
    let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'rows'")
    try connection.close()
    return UInt32(try #require(root))
  }

  private func difference(_ left: [Int64: String], _ right: [Int64: String]) throws -> [Int64] {
    let folder = try TemporaryFolder()
    let tables = try [("a", left), ("b", right)].map { name, rows in
      let root = try write(rows, to: folder.path(name))
      return try MappedTable(path: folder.path(name), root: root)
    }
    var ids: [Int64] = []
    try TableDifference(tables[0], tables[1]).rowIDs { ids.append($0) }
    return ids
  }

  @Test("they are those that one table lacks or has with other values", arguments: UInt64(1)...12)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let left = Self.rows(&random, count: seed % 4 == 0 ? 3 : 700)
    var right = left
    for (id, text) in left.sorted(by: { $0.key < $1.key }) {
      switch Int.random(in: 0..<20, using: &random) {
      case 0: right[id] = nil
      // The last byte, which may be on another page.
      case 1: right[id] = text.dropLast() + "y"
      case 2: right[id] = text + "x"
      default: break
      }
    }
    right.merge(Self.rows(&random, count: 20)) { kept, _ in kept }
    let expected = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
    #expect(try difference(left, right) == expected)
    #expect(try difference(right, left) == expected)
    #expect(try difference(left, left).isEmpty)
  }

  @Test("a table without rows differs in all rows of the other")
  func empty() throws {
    #expect(try difference([:], [:]).isEmpty)
    #expect(try difference([:], [5: "a", 2: "b"]) == [2, 5])
    #expect(try difference([5: "a", 2: "b"], [:]) == [2, 5])
  }
}
