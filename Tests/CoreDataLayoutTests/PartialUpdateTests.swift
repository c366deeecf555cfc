import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("updates of rows that exist")
struct PartialUpdateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The columns of one row as literals with their storage classes.
  private func literals(_ path: String, _ table: String, _ key: Int) throws -> [String: String] {
    let connection = try Connection(path: path, options: .init(isReadOnly: true))
    let names = try Statement(connection, "SELECT name FROM pragma_table_info('\(table)')")
    var result: [String: String] = [:]
    while try names.step() {
      let name = names.string(at: 0) ?? ""
      result[name] = try connection.string(
        "SELECT quote(\(name)) || ' ' || typeof(\(name)) FROM \(table) WHERE Z_PK = \(key)")
    }
    return result
  }

  @Test("only columns whose values differ are written", arguments: ["save", "upsert"])
  func untouchedColumns(way: String) throws {
    let model = try Models.types()
    let sample = try model.required("Sample")
    let path = folder.path("a.sqlite")
    let created = try SQLiteStore.create(path: path, model: model)
    try created.insert(makeBatch(sample, [.init(.attribute("text"), .bytes)], [[.text("key")]]), keys: [1])
    try created.seal()
    // Values of storage classes that Core Data does not write, which a conversion there and back would change.
    let connection = try Connection(path: path)
    try connection.execute(
      """
      UPDATE ZSAMPLE SET ZLARGE = 'text', ZFLAG = 7, ZSMALL = 2.5, ZDAY = 'never', ZEXACT = x'31', ZBYTES = 'text',
        ZIMAGE = x'01FF', ZNAMED = 12, ZSINGLE = 0.1, ZOBJECT = x'00'
      """)
    try connection.close()
    let before = try literals(path, "ZSAMPLE", 1)

    let store = try SQLiteStore.open(path: path, model: model)
    if way == "save" {
      var snapshot = try #require(try store.snapshots(FetchSpecification(sample)).first)
      snapshot.attributes[try #require(sample.attributes.firstIndex { $0.name == "medium" })] = .integer(5)
      var request = SaveRequest()
      request.updated = [snapshot]
      try store.save(request)
    } else {
      var outcomes: [RowOutcome] = []
      var keys: [Int64] = []
      try store.upsert(
        makeBatch(
          sample, [.init(.attribute("text"), .bytes), .init(.attribute("medium"), .integer)],
          [[.text("key"), .integer(5)]]), keyColumns: [0], outcomes: &outcomes, primaryKeys: &keys)
      #expect(outcomes == [.updated])
    }
    try store.seal()
    var expected = before
    expected["ZMEDIUM"] = "5 integer"
    expected["Z_OPT"] = "2 integer"
    #expect(try literals(path, "ZSAMPLE", 1) == expected)
  }

  private static let changing: [RowBatch.Column] = [
    .init(.attribute("text"), .bytes), .init(.attribute("medium"), .integer), .init(.attribute("day"), .real),
    .init(.attribute("exact"), .bytes), .init(.attribute("flag"), .integer),
  ]

  /// Records for rows 1 to `count`, some of them twice; those that change one change the same two columns mostly.
  private static func changes(_ count: Int, seed: UInt64) -> [[Cell]] {
    var random = SeededGenerator(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    return (0..<count * 2).map { _ -> [Cell] in
      let row = number(count) + 1
      let isPlain = number(3) > 0
      let medium: Cell = isPlain ? .integer(Int64(number(9))) : .absent
      let day: Cell = isPlain ? .real(Double(number(9))) : .absent
      let exact: Cell = number(9) > 0 ? .absent : [.null, .text("1.5"), .text("-2")][number(3)]
      return [.text("row \(row)"), medium, number(7) == 0 ? .null : day, exact, number(5) == 0 ? .integer(1) : .absent]
    }
  }

  @Test(
    "rows that are changed by one statement are what they are changed one by one",
    arguments: 1...8 as ClosedRange<UInt64>, [false, true])
  func groups(seed: UInt64, hasForeignIndex: Bool) throws {
    let model = try Models.types()
    let sample = try model.required("Sample")
    let changes = Self.changes(150, seed: seed)
    var results: [(rows: [Snapshot], outcomes: [RowOutcome])] = []
    for rowsPerBatch in [changes.count, 1] {
      let path = folder.path("\(seed)-\(rowsPerBatch).sqlite")
      let created = try SQLiteStore.create(path: path, model: model)
      let names = (1...150).map { [Cell.text("row \($0)")] }
      try created.insert(makeBatch(sample, [Self.changing[0]], names), keys: Array(1...150))
      try created.seal()
      if hasForeignIndex {
        // Another program's, of which the model knows nothing.
        let connection = try Connection(path: path)
        try connection.execute("CREATE UNIQUE INDEX OTHER ON ZSAMPLE (ZDAY, ZMEDIUM)")
        try connection.close()
      }
      let store = try SQLiteStore.open(path: path, model: model)
      var all: [RowOutcome] = []
      for start in stride(from: 0, to: changes.count, by: rowsPerBatch) {
        var outcomes: [RowOutcome] = []
        var keys: [Int64] = []
        let batch = makeBatch(sample, Self.changing, Array(changes[start..<min(start + rowsPerBatch, changes.count)]))
        try store.upsert(batch, keyColumns: [0], outcomes: &outcomes, primaryKeys: &keys)
        all += outcomes
      }
      results.append((try store.snapshots(FetchSpecification(sample)), all))
      try store.close()
    }
    #expect(results[0].outcomes.count { $0 == .updated } > 60)
    if !hasForeignIndex {
      #expect(results[0].outcomes == results[1].outcomes)
      #expect(results[0].rows.map(\.attributes) == results[1].rows.map(\.attributes))
      #expect(results[0].rows.map(\.version) == results[1].rows.map(\.version))
    } else {
      // Which of two rows that exclude each other comes first may differ; none is lost and none is there by half.
      #expect(results[0].outcomes.contains(.conflict) && !results[0].outcomes.contains(.missing))
      #expect(results[0].rows.count == 150)
    }
  }

  @Test("a count that a trigger has changed since the object was read is not written back")
  func derivedAttribute() throws {
    let model = try Models.library()
    let shelf = try model.required("Shelf")
    let book = try model.required("Book")
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    try store.insert(makeBatch(shelf, [.init(.attribute("label"), .bytes)], [[.text("A")]]), keys: [1])
    try store.insert(
      makeBatch(book, [.init(.toOne("shelf"), .integer)], [[.integer(1)], [.integer(1)]]), keys: [1, 2])
    let count = try #require(shelf.attributes.firstIndex { $0.name == "bookCount" })
    var snapshot = try #require(try store.snapshots(FetchSpecification(shelf)).first)
    #expect(snapshot.attributes[count] == .integer(2))
    snapshot.attributes[try #require(shelf.attributes.firstIndex { $0.name == "label" })] = .string("B")
    var request = SaveRequest()
    request.updated = [snapshot]
    request.deleted = [(store.id(of: book, 2), 1)]
    try store.save(request)
    #expect(try store.snapshots(FetchSpecification(shelf)).map { $0.attributes[count] } == [.integer(1)])
  }

  @Test("rows that lack an order key are left alone when others get one")
  func orderKeys() throws {
    let model = try Models.transit()
    let stop = try model.required("Stop")
    let station = try model.required("Station")
    let path = folder.path("a.sqlite")
    let identifier = [RowBatch.Column(.attribute("identifier"), .bytes)]
    let parent: [RowBatch.Column] = [.init(.toOne("parent"), .integer), .init(.toOneEntity("parent"), .integer)]
    let created = try SQLiteStore.create(path: path, model: model)
    try created.insert(makeBatch(station, identifier, [[.text("s")]]), keys: [1])
    let child: [Cell] = [.integer(1), .integer(Int64(station.index))]
    try created.insert(
      makeBatch(stop, identifier + parent, (2...6).map { [.text("\($0)")] + child }), keys: [2, 3, 4, 5, 6])
    try created.insert(makeBatch(stop, identifier, [[.text("x")], [.text("y")]]), keys: [7, 8])
    try created.seal()
    // As after a migration that made the relationship ordered.
    let connection = try Connection(path: path, options: .init(trustsSchema: true))
    try connection.execute("UPDATE ZPLACE SET Z_FOK_PARENT = NULL WHERE Z_PK IN (3, 4)")
    try connection.close()

    let store = try SQLiteStore.open(path: path, model: model)
    var outcomes: [RowOutcome] = []
    try store.begin()
    try unsafe ([7, 8] as [Int64]).withUnsafeBufferPointer { keys in
      unsafe try store.update(makeBatch(stop, parent, [child, child]), primaryKeys: keys, outcomes: &outcomes)
    }
    try store.insert(makeBatch(stop, identifier + parent, [[.text("new")] + child]), keys: [9])
    try store.commit()
    try store.seal(verification: .none)
    #expect(
      try Connection(path: path, options: .init(isReadOnly: true)).string(
        "SELECT group_concat(IFNULL(Z_FOK_PARENT, '-')) FROM (SELECT * FROM ZPLACE ORDER BY Z_PK)")
        == "-,2048,-,-,5120,6144,7168,8192,9216")
  }
}
