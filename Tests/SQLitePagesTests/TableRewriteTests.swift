import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("A table whose rows change is written anew")
struct TableRewriteTests {
  struct Case: CustomStringConvertible, Sendable {
    var form: FileForm
    var old: Int
    var changed: Int
    var new: Int
    var longest: Int
    var description: String {
      "\(changed) changes of \(old) rows up to \(longest) bytes, \(new) new ones, \(form)"
    }
  }

  static let cases: [Case] = (0..<40).map { seed in
    let old = [1, 2, 70, 900, 2500][seed % 5]
    return Case(
      form: FileForm(seed), old: old, changed: [old, max(old / 10, 1), max(old / 2, 1)][seed / 3 % 3],
      new: [0, 0, 1, 1500][seed / 2 % 4], longest: [40, 9000, 3000][seed % 3])
  }

  /// The columns after the version: an integer, a number that belongs to it, a real, a text, and one that no change
  /// names.
  private typealias Row = [TestRecord.Value]

  private static func row(_ random: inout SeededGenerator, longest: Int) -> Row {
    let length = Int.random(in: 0..<20, using: &random) == 0 ? longest : 30
    let text = String(repeating: "xyz", count: Int.random(in: 0...length / 3, using: &random))
    let number = Int64.random(in: -2...3, using: &random)
    return [
      number == 3 ? .null : .integer(number), number == 3 ? .null : .integer(Int64.random(in: 5...6, using: &random)),
      [.null, .real(0.5), .integer(3), .real(-2.25)][Int.random(in: 0..<4, using: &random)],
      Int.random(in: 0..<8, using: &random) == 0 ? .null : .text(text),
      .text(String(repeating: "k", count: Int.random(in: 0...length, using: &random))),
    ]
  }

  private static func insert(_ rows: [(Int64, Row)], _ connection: Connection) throws {
    let insert = try Statement(connection, "INSERT INTO T VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    for (id, values) in rows {
      try insert.bind(1, id)
      try insert.bind(2, Int64(1))
      for (index, value) in values.enumerated() { try insert.bind(Int32(index + 3), value) }
      try insert.run()
    }
  }

  /// A change of the first four columns; nil where it says nothing.
  private typealias Change = [TestRecord.Value?]

  private static func change(of row: Row, _ random: inout SeededGenerator, longest: Int) -> Change {
    let fresh = Self.row(&random, longest: longest)
    var change: Change = (0..<4).map { index in
      switch Int.random(in: 0..<4, using: &random) {
      case 0: nil
      case 1: row[index]
      default: fresh[index]
      }
    }
    // What belongs to a number is only given with it, and null where that is.
    if change[0] == nil || change[0] == .null { change[1] = .null } else { change[1] = fresh[1] }
    if case .null? = change[1], change[0] != nil, change[0] != .null { change[1] = .integer(7) }
    return change
  }

  /// The change's record, with the type that says that there is no value.
  private static func encode(_ change: Change) -> [UInt8] {
    var record = TestRecord.encode(change.map { $0 ?? .null })
    // The lengths of texts take several bytes, and come last.
    for (index, value) in change.enumerated() where value == nil {
      record[TestRecord.headerSizeLength(record) + index] = UInt8(RowChanges.absentType)
    }
    return record
  }

  /// The same through SQLite, value by value.
  private static func update(_ id: Int64, _ change: Change, _ connection: Connection) throws -> Bool {
    let select = try Statement(
      connection,
      "SELECT A IS NOT ?2, E IS NOT ?3 AND E IS NOT NULL AND ?3 IS NOT NULL, R IS NOT ?4, B IS NOT ?5 "
        + "FROM T WHERE ID = ?1")
    try select.bind(1, id)
    for (index, value) in change.enumerated() { try select.bind(Int32(index + 2), value ?? .null) }
    guard try select.step() else { return false }
    var differs = (0..<4).map { change[$0] != nil && select.int64(at: Int32($0)) == 1 }
    if differs[0] { differs[1] = true }
    select.reset()
    guard differs.contains(true) else { return false }
    let names = ["A", "E", "R", "B"]
    let set = (0..<4).filter { differs[$0] }.map { ", \(names[$0]) = ?\($0 + 2)" }.joined()
    let update = try Statement(connection, "UPDATE T SET V = IFNULL(V, 1) + 1\(set) WHERE ID = ?1")
    try update.bind(1, id)
    for index in 0..<4 where differs[index] { try update.bind(Int32(index + 2), change[index] ?? .null) }
    try update.run()
    return true
  }

  private static let fields: [RowChanges.Field] = [
    .init(position: 2, comparison: .integer), .init(position: 3, comparison: .integer, isDependent: true, leader: 0),
    .init(position: 4, comparison: .real), .init(position: 5, comparison: .bytes),
  ]

  private static func changes(_ folder: TemporaryFolder) -> RowChanges {
    RowChanges(
      fields: fields, width: 7, versionPosition: 1, memoryBudget: 1 << 16, temporaryPath: folder.path + "/changes")
  }

  private static func append(_ id: Int64, tag: Int, _ change: Change, to changes: RowChanges) throws {
    let record = encode(change)
    try unsafe record.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      try unsafe changes.append(rowID: id, tag: UInt64(tag), record: base, count: bytes.count)
    }
  }

  private static let setUp = """
    CREATE TABLE O (ID INTEGER PRIMARY KEY, A);
    CREATE TABLE T (ID INTEGER PRIMARY KEY, V INTEGER, A INTEGER, E INTEGER, R FLOAT, B VARCHAR, K VARCHAR);
    CREATE INDEX TA ON T (A, E); CREATE INDEX TB ON T (B); CREATE INDEX TK ON T (K);
    """

  @Test("the rows, pages and indexes are those that SQLite makes of the same changes", arguments: cases)
  func differential(test: Case) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: test.form.seed)
    let ids = Array(Set((1...Int64(test.old * 2)).filter { _ in Bool.random(using: &random) } + [1])).sorted()
    let old = ids.shuffled(using: &random).map { ($0, Self.row(&random, longest: test.longest)) }
    var paths: [String] = []
    for name in ["fast", "slow"] {
      let path = try folder.database(
        name, test.form.pragmas + Self.setUp)
      let connection = try Connection(path: path)
      try connection.execute("BEGIN; INSERT INTO O (A) VALUES (zeroblob(20000)), (7)")
      try Self.insert(old, connection)
      try connection.execute("DELETE FROM T WHERE ID % 7 = 3 AND ID > 1; DELETE FROM O WHERE ID = 1")
      try connection.execute("UPDATE T SET V = NULL WHERE ID % 5 = 2; UPDATE T SET V = 127 WHERE ID % 5 = 3; COMMIT")
      try connection.close()
      paths.append(path)
    }
    let rows = Dictionary(uniqueKeysWithValues: old)
    var changed = old.map(\.0).shuffled(using: &random).prefix(test.changed)
    if test.form.seed % 4 == 1 { changed.sort() }
    var id = Int64(test.old * 2)
    let new = (0..<test.new).map { _ -> (Int64, Row) in
      id += Int64.random(in: 1...3, using: &random)
      return (id, Self.row(&random, longest: test.longest))
    }

    let changes = Self.changes(folder)
    var expected: (updated: Int, unchanged: Int, refused: [UInt64]) = (0, 0, [])
    let slow = try Connection(path: paths[1])
    try slow.execute("BEGIN")
    for (tag, id) in changed.enumerated() {
      let change = Self.change(of: rows[id] ?? [], &random, longest: test.longest)
      try Self.append(id, tag: tag, change, to: changes)
      if tag % 11 == 10 { changes.excluded.insert(id) }
      if id % 7 == 3 && id > 1 || tag % 11 == 10 {
        expected.refused.append(UInt64(tag))
      } else if try Self.update(id, change, slow) {
        expected.updated += 1
      } else {
        expected.unchanged += 1
      }
    }
    try Self.insert(new, slow)
    try slow.execute("COMMIT")

    let file = try DatabaseFile(path: paths[0])
    let root = try TemporaryFolder.root("T", paths[0])
    let writer = try TableTreeWriter(file: file, root: root, after: Int64(test.old * 2))
    for (id, values) in new { try writer.append(id, [.integer(1)] + values) }
    try writer.finish(changing: changes)
    try file.finish()
    #expect(writer.isEmpty == new.isEmpty)
    #expect(changes.updatedCount == expected.updated)
    #expect(changes.unchangedCount == expected.unchanged)
    #expect(changes.refused.sorted() == expected.refused)
    #expect(changes.changedPositions.isSubset(of: [2, 3, 4, 5]))
    let shapes = try ["TA": [2, 3], "TB": [5], "TK": [6]]
      .filter { _, fields in !new.isEmpty || !changes.changedPositions.isDisjoint(with: fields) }
      .map { name, fields in
        IndexShape(
          name: name, root: try TemporaryFolder.root(name, paths[0]), columns: fields.map { .init(field: $0) },
          isUnique: false)
      }
    try IndexLoader(
      path: paths[0], memoryBudget: 1 << 20, temporaryPath: folder.path + "/sort", workers: 2
    ).load(shapes.sorted { $0.root < $1.root }, tableRoot: root, replacing: true)

    let fast = try Connection(path: paths[0])
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
    #expect(try folder.vacuumed(fast, "fast") == folder.vacuumed(slow, "slow"))
    let trees = try ["O", "T", "TA", "TB", "TK"].map { name in
      DatabaseCheck.Tree(
        name: name, root: try TemporaryFolder.root(name, paths[0]), isIndex: name.count == 2,
        tableRoot: name.count == 2 ? root : nil)
    }
    #expect(try DatabaseCheck(path: paths[0], trees: trees, workers: 2).problems() == [])
    let pages = try TemporaryFolder.pagesByTree(fast)
    for (name, count) in try TemporaryFolder.pagesByTree(slow) {
      // A page may hold the rest of the old rows alone.
      #expect(pages[name] ?? 0 <= count + 2, "\(name)")
    }
    // The file grows only where the first rows need more room than they had, and the others less.
    let count = try fast.integer("PRAGMA page_count") ?? 0
    let slowCount = try slow.integer("PRAGMA page_count") ?? 0
    #expect(count <= slowCount + max(slowCount / 20, 4))
    // SQLite moves, frees and fills pages by what it finds.
    try fast.execute("DELETE FROM T WHERE ID % 3 = 0; UPDATE T SET B = B || 'x' WHERE ID % 5 = 0")
    try fast.execute("PRAGMA incremental_vacuum; INSERT INTO T (A, B) SELECT A, B || 'y' || ID FROM T")
    #expect(try fast.string("PRAGMA integrity_check") == "ok")
  }

  @Test("what only SQLite can compare or count up is refused, and stays as it is")
  func refused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.database(
      "a",
      Self.setUp.replacing("B VARCHAR", with: "B") + """
        INSERT INTO T VALUES (1, 1, 'x', 1, 1, 'a', 'k'), (2, 1, 1, 1, 'y', 'a', 'k'), (3, 1, 1, 1, 1, 5.5, 'k'),
          (4, 9223372036854775807, 1, 1, 1, 'a', 'k'), (5, 'z', 1, 1, 1, 'a', 'k'), (6, 1, 1, 'e', 1, 'a', 'k'),
          (7, 1, 1, 1, 1, 'a', 'k')
        """)
    let before = try Connection(path: path).string("SELECT group_concat(ID || quote(V) || quote(A) || quote(B)) FROM T")
    let changes = Self.changes(folder)
    for id in 1...8 {
      try Self.append(
        Int64(id), tag: id * 10, [.integer(1), .integer(id < 7 ? 2 : 1), .real(1), .text("b")], to: changes)
    }
    changes.excluded = [7]
    let file = try DatabaseFile(path: path)
    let writer = try TableTreeWriter(file: file, root: try TemporaryFolder.root("T", path), after: 7)
    try writer.finish(changing: changes)
    try file.finish()
    #expect(changes.refused == [10, 20, 30, 40, 50, 60, 70, 80])
    #expect(changes.updatedCount == 0 && changes.unchangedCount == 0 && changes.changedPositions == [])
    let connection = try Connection(path: path)
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
    #expect(
      try connection.string("SELECT group_concat(ID || quote(V) || quote(A) || quote(B)) FROM T") == before)
  }

  @Test("records that end before a column was added get it")
  func shortRecords() throws {
    let folder = try TemporaryFolder()
    let path = try folder.database(
      "a",
      """
      CREATE TABLE O (ID INTEGER PRIMARY KEY, A);
      CREATE TABLE T (ID INTEGER PRIMARY KEY, V INTEGER, A INTEGER);
      INSERT INTO T VALUES (1, 1, 5), (2, 1, 6), (3, 1, 7);
      ALTER TABLE T ADD COLUMN E INTEGER; ALTER TABLE T ADD COLUMN R FLOAT; ALTER TABLE T ADD COLUMN B VARCHAR;
      ALTER TABLE T ADD COLUMN K VARCHAR
      """)
    let changes = Self.changes(folder)
    try Self.append(1, tag: 0, [nil, .null, nil, .text("new")], to: changes)
    try Self.append(2, tag: 1, [.integer(6), .integer(4), nil, .null], to: changes)
    let file = try DatabaseFile(path: path)
    let writer = try TableTreeWriter(file: file, root: try TemporaryFolder.root("T", path), after: 3)
    try writer.finish(changing: changes)
    try file.finish()
    #expect(changes.updatedCount == 1 && changes.unchangedCount == 1 && changes.changedPositions == [5])
    let connection = try Connection(path: path)
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
    #expect(
      try connection.string("SELECT group_concat(ID || quote(V) || quote(A) || quote(B) || quote(K)) FROM T")
        == "125'new'NULL,216NULLNULL,317NULLNULL")
  }

  @Test("changes of a position that records do not have are a mistake of the program")
  func positions() async {
    await #expect(processExitsWith: .failure) {
      _ = RowChanges(
        fields: [RowChanges.Field(position: -1, comparison: .integer)], width: 2, versionPosition: 0, memoryBudget: 0,
        temporaryPath: "none")
    }
    await #expect(processExitsWith: .failure) {
      let changes = RowChanges(fields: [], width: 2, versionPosition: 0, memoryBudget: 0, temporaryPath: "none")
      changes.watchedPositions = [1, 2]
    }
    await #expect(processExitsWith: .success) {
      let changes = RowChanges(fields: [], width: 2, versionPosition: 0, memoryBudget: 0, temporaryPath: "none")
      changes.watchedPositions = [1]
      exit(0)
    }
  }
}
