import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("The check of a file's pages")
struct DatabaseCheckTests {
  static let setUp = """
    PRAGMA page_size = 1024; PRAGMA auto_vacuum = 2;
    CREATE TABLE T (ID INTEGER PRIMARY KEY, A INTEGER, B VARCHAR); CREATE TABLE E (ID INTEGER PRIMARY KEY);
    CREATE INDEX TA ON T (A); CREATE INDEX TB ON T (B) WHERE A > 50;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
    INSERT INTO T SELECT i, i % 97, CASE WHEN i % 50 = 0 THEN hex(zeroblob(1500)) ELSE 'row ' || i END FROM n;
    DELETE FROM T WHERE ID BETWEEN 300 AND 700;
    """

  static func trees(_ path: String) throws -> [DatabaseCheck.Tree] {
    try ["T", "E", "TA", "TB"].map { name in
      DatabaseCheck.Tree(
        name: name, root: try TemporaryFolder.root(name, path), isIndex: name.count == 2,
        tableRoot: name == "TA" ? try TemporaryFolder.root("T", path) : nil)
    }
  }

  static func problems(_ path: String) throws -> [String] {
    try DatabaseCheck(path: path, trees: trees(path), workers: 2).problems()
  }

  @Test("nothing is wrong with what SQLite wrote, with free pages and long values")
  func sound() throws {
    let folder = try TemporaryFolder()
    let path = try folder.database("a", Self.setUp)
    #expect(try Connection(path: path).integer("PRAGMA freelist_count") ?? 0 > 0)
    #expect(try Self.problems(path) == [])
    for pageSize in [512, 4096, 65_536] {
      let other = try folder.database("b\(pageSize)", Self.setUp.replacing("1024", with: String(pageSize)))
      #expect(try Self.problems(other) == [])
    }
    let plain = try folder.database("c", Self.setUp.replacing("auto_vacuum = 2", with: "auto_vacuum = 0"))
    #expect(try Self.problems(plain) == [])
  }

  /// A change of some bytes of a page, found through SQL; 0-based offset.
  struct Damage: CustomStringConvertible, Sendable {
    var description: String
    var page: @Sendable (_ roots: [String: UInt32], _ bytes: [UInt8]) -> Int
    var offset: Int
    var bytes: [UInt8]
    var expected: String
  }

  static func firstChild(_ root: UInt32, _ bytes: [UInt8]) -> Int {
    let start = Int(root - 1) * 1024
    let cell = Int(bytes[start + 12]) << 8 | Int(bytes[start + 13])
    return (0..<4).reduce(0) { $0 << 8 | Int(bytes[start + cell + $1]) }
  }

  static let damages: [Damage] = [
    Damage(
      description: "the kind of a root", page: { roots, _ in Int(roots["T"] ?? 0) }, offset: 0, bytes: [7],
      expected: "has the kind 7"),
    Damage(
      description: "a table's root of an index", page: { roots, _ in Int(roots["TA"] ?? 0) }, offset: 0, bytes: [5],
      expected: "has the kind 5"),
    Damage(
      description: "the number of cells", page: { firstChild($0["T"] ?? 1, $1) }, offset: 3, bytes: [255, 255],
      expected: "has cells in its header"),
    Damage(
      description: "the place of a cell", page: { firstChild($0["T"] ?? 1, $1) }, offset: 8, bytes: [3, 255],
      expected: "does not lie within it"),
    Damage(
      description: "a repeated cell", page: { firstChild($0["T"] ?? 1, $1) }, offset: 10, bytes: [], expected: "has row"
    ),
    Damage(
      description: "a rightmost child that does not exist", page: { roots, _ in Int(roots["T"] ?? 0) }, offset: 8,
      bytes: [0, 15, 0, 0], expected: "leads to page"),
    Damage(
      description: "a child of another tree", page: { roots, _ in Int(roots["TA"] ?? 0) }, offset: 8,
      bytes: [0, 0, 0, 1],
      expected: "has the kind"),
    Damage(
      description: "the pointer map", page: { _, _ in 2 }, offset: 40, bytes: [9, 9, 9, 9, 9], expected: "pointer map"),
    Damage(
      description: "the number of free pages", page: { _, _ in 1 }, offset: 39, bytes: [200], expected: "pages are free"
    ),
  ]

  @Test("damage is found and named", arguments: damages)
  func damage(damage: Damage) throws {
    let folder = try TemporaryFolder()
    let path = try folder.database("a", Self.setUp)
    let trees = try Self.trees(path)
    var roots: [String: UInt32] = [:]
    for tree in trees { roots[tree.name] = tree.root }
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let start = (damage.page(roots, bytes) - 1) * 1024 + damage.offset
    if damage.bytes.isEmpty {
      // The pointer of the cell before.
      bytes[start] = bytes[start - 2]
      bytes[start + 1] = bytes[start - 1]
    }
    for (index, byte) in damage.bytes.enumerated() { bytes[start + index] = byte }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let problems = try DatabaseCheck(path: path, trees: trees, workers: 2).problems()
    #expect(problems.contains { $0.contains(damage.expected) }, "\(problems)")
  }

  @Test("an index without an entry for every row is found")
  func missingEntry() throws {
    let folder = try TemporaryFolder()
    let path = try folder.database("a", "CREATE TABLE T (ID INTEGER PRIMARY KEY, A); CREATE INDEX I ON T (A)")
    let table = DatabaseCheck.Tree(name: "T", root: try TemporaryFolder.root("T", path), isIndex: false)
    let index = DatabaseCheck.Tree(
      name: "I", root: try TemporaryFolder.root("I", path), isIndex: true, tableRoot: table.root)
    let file = try DatabaseFile(path: path)
    let rows = try TableTreeWriter(file: file, root: table.root)
    let keys = try IndexTreeWriter(file: file, root: index.root)
    for id in 1...3 as ClosedRange<Int64> {
      let record = TestRecord.encode([.null, .integer(id)])
      let key = TestRecord.encode([.integer(id), .integer(id)])
      try unsafe record.withUnsafeBytes { try unsafe rows.append(rowID: id, payload: $0.baseAddress!, count: $0.count) }
      if id == 2 { continue }
      try unsafe key.withUnsafeBytes { try unsafe keys.append(payload: $0.baseAddress!, count: $0.count) }
    }
    try rows.finish()
    try keys.finish()
    try file.finish()
    let problems = try DatabaseCheck(path: path, trees: [table, index], workers: 1).problems()
    #expect(problems == ["the index I has 2 entries for 3 rows"])
  }

  @Test("random damage gives problems or an error, never a crash", arguments: 0..<4)
  func random(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let path = try folder.database("a", Self.setUp)
    let trees = try Self.trees(path)
    let sound = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var random = SeededGenerator(seed: seed)
    var found = 0
    for _ in 0..<100 {
      var bytes = sound
      for _ in 0..<4 {
        bytes[
          Int.random(in: 0..<bytes.count, using: &random) / 64 * 64 % bytes.count
            + Int.random(in: 0..<16, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let problems = try? DatabaseCheck(path: path, trees: trees, workers: 2).problems()
      if problems != [] { found += 1 }
    }
    #expect(found > 0)
  }
}
