import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("New rows behind those of a table that has some")
struct TableAppendTests {
  struct Case: CustomStringConvertible, Sendable {
    var form: FileForm
    var old: Int
    var new: Int
    var description: String { "\(old) and \(new) rows, \(form)" }
  }

  static let cases: [Case] = (0..<24).map { seed in
    Case(
      form: FileForm(seed, pageSizes: [512, 1024, 4096, 65_536]), old: [1, 2, 60, 900, 2500][seed % 5],
      new: [0, 1, 40, 1500][seed / 4 % 4])
  }

  private static func row(_ random: inout SeededGenerator) -> [TestRecord.Value] {
    let length = Int.random(in: 0..<30, using: &random) == 0 ? 9000 : 30
    let text = String(repeating: "xyz", count: Int.random(in: 0...length / 3, using: &random))
    return [
      .integer(Int64.random(in: 0...500, using: &random)),
      .text(text + "\(Int.random(in: 0...1 << 40, using: &random))"),
    ]
  }

  private static func insert(_ rows: [(Int64, [TestRecord.Value])], _ connection: Connection) throws {
    let insert = try Statement(connection, "INSERT INTO T VALUES (?1, ?2, ?3)")
    for (id, values) in rows {
      try insert.bind(1, id)
      for (index, value) in values.enumerated() { try insert.bind(Int32(index + 2), value) }
      try insert.run()
    }
  }

  @Test("the table and its indexes are those that SQLite makes of the same rows", arguments: cases)
  func differential(test: Case) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: test.form.seed)
    let setUp = """
      \(test.form.pragmas)
      CREATE TABLE O (ID INTEGER PRIMARY KEY, A); CREATE TABLE T (ID INTEGER PRIMARY KEY, A, B);
      CREATE INDEX TA ON T (A); CREATE INDEX TB ON T (B); CREATE UNIQUE INDEX TU ON T (B, A); CREATE INDEX OA ON O (A);
      """
    var paths: [String] = []
    // Rows in any order, and some of them deleted, so that pages are neither full nor in order, and some are free.
    var ids = (1...Int64(test.old * 2)).filter { _ in Bool.random(using: &random) } + [1]
    ids.shuffle(using: &random)
    let old = Array(Set(ids)).sorted().shuffled(using: &random).map { ($0, Self.row(&random)) }
    for name in ["fast", "slow"] {
      let path = try folder.database(name, setUp)
      let connection = try Connection(path: path)
      try connection.execute("BEGIN; INSERT INTO O (A) VALUES (zeroblob(20000)), (7)")
      try Self.insert(old, connection)
      try connection.execute("DELETE FROM T WHERE ID % 7 = 3 AND ID > 1; DELETE FROM O WHERE ID = 1; COMMIT")
      try connection.close()
      paths.append(path)
    }
    var id = Int64(test.old * 2)
    let new = (0..<test.new).map { _ -> (Int64, [TestRecord.Value]) in
      id += Int64.random(in: 1...3, using: &random)
      return (id, Self.row(&random))
    }

    let file = try DatabaseFile(path: paths[0])
    let root = try TemporaryFolder.root("T", paths[0])
    let writer = try TableTreeWriter(file: file, root: root, after: Int64(test.old * 2))
    for (id, values) in new {
      try writer.append(id, values)
    }
    #expect(writer.isEmpty == new.isEmpty)
    try writer.finish()
    try file.finish()
    let shapes = try ["TA": [1], "TB": [2], "TU": [2, 1]].map { name, fields in
      IndexShape(
        name: name, root: try TemporaryFolder.root(name, paths[0]), columns: fields.map { .init(field: $0) },
        isUnique: name == "TU")
    }
    try IndexLoader(
      path: paths[0], memoryBudget: 1 << 20, temporaryPath: folder.path + "/sort", workers: 1 + Int(test.form.seed % 3)
    ).load(shapes.sorted { $0.root < $1.root }, tableRoot: root, replacing: true)

    let fast = try Connection(path: paths[0])
    let slow = try Connection(path: paths[1])
    try slow.execute("BEGIN")
    try Self.insert(new, slow)
    try slow.execute("COMMIT")
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
    #expect(try folder.vacuumed(fast, "fast") == folder.vacuumed(slow, "slow"))
    let trees = try ["O", "T", "OA", "TA", "TB", "TU"].map { name in
      DatabaseCheck.Tree(
        name: name, root: try TemporaryFolder.root(name, paths[0]), isIndex: name.count == 2,
        tableRoot: name.count == 2 ? try TemporaryFolder.root(String(name.prefix(1)), paths[0]) : nil)
    }
    #expect(try DatabaseCheck(path: paths[0], trees: trees, workers: 2).problems() == [])
    let pages = try TemporaryFolder.pagesByTree(fast)
    for (name, count) in try TemporaryFolder.pagesByTree(slow) {
      // The last of the old leaves is not filled up, and the order of a packed index is SQLite's own.
      #expect(pages[name] ?? 0 <= count + 2, "\(name)")
    }
    // SQLite moves, frees and fills pages by what it finds.
    try fast.execute("DELETE FROM T WHERE ID % 3 = 0; UPDATE T SET B = B || 'x' WHERE ID % 5 = 0")
    try fast.execute("PRAGMA incremental_vacuum; INSERT INTO T (A, B) SELECT A, B || 'y' || ID FROM T")
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
  }

  @Test("rows that do not come behind the old ones are refused")
  func disorder() throws {
    let folder = try TemporaryFolder()
    let path = try folder.database(
      "a", "CREATE TABLE T (ID INTEGER PRIMARY KEY, A); INSERT INTO T VALUES (1, 2), (9, 3)")
    let file = try DatabaseFile(path: path)
    let writer = try TableTreeWriter(file: file, root: try TemporaryFolder.root("T", path), after: 4)
    #expect(throws: PageError.self) { try writer.append(4, [.integer(1)]) }
    try writer.append(5, [.integer(1)])
    #expect(throws: PageError.self) { try writer.finish() }
  }
}
