import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("indexes of every sort")
struct LayoutIndexTests {
  private static func item(
    _ index: FetchIndexDefinition? = nil, change: (inout EntityDefinition) -> Void = { _ in }
  ) throws -> ManagedObjectModel {
    var item = EntityDefinition("Item")
    item.attributes = [
      .init("code", .string), .init("rank", .integer32), .init("day", .date), .init("flag", .boolean),
      .init("order", .string),
    ]
    item.relationships = [.init("parent", toOne: "Item", inverse: "children")]
    item.relationships.append(.init("children", toMany: "Item", inverse: "parent"))
    item.fetchIndexes = [index].compactMap { $0 }
    change(&item)
    return try ManagedObjectModel(entities: [item])
  }

  private static func partial(_ predicate: String) -> FetchIndexDefinition {
    FetchIndexDefinition(
      "some", elements: [.init(.property("code")), .init(.property("rank"), isAscending: false)],
      partialIndexPredicate: predicate)
  }

  private static let prefix = "CREATE INDEX Z_Item_some ON ZITEM (ZCODE COLLATE BINARY ASC, ZRANK COLLATE BINARY DESC)"

  static let conditions: [(predicate: String, sql: String)] = [
    ("rank == 1", "ZRANK = 1"), ("rank = 1", "ZRANK = 1"), ("1 == rank", "ZRANK = 1"), ("3 < rank", "ZRANK > 3"),
    ("rank != -2.5e3", "ZRANK <> -2500.0"), ("rank > 1.50", "ZRANK > 1.5"), ("rank <> 7", "ZRANK <> 7"),
    ("rank =< 7", "ZRANK <= 7"),
    ("rank => 7", "ZRANK >= 7"), ("code == nil", "ZCODE IS NULL"), ("code != NULL", "ZCODE IS NOT NULL"),
    ("nil == parent", "ZPARENT IS NULL"), ("flag == YES", "ZFLAG = 1"), ("flag == false", "ZFLAG = 0"),
    ("code == \"it's \\\"so\\\"\"", "ZCODE = 'it''s \"so\"'"), ("code == 'x'", "ZCODE = 'x'"),
    ("#order == 'x'", "ZORDER = 'x'"), ("day > CAST(1234.5, \"NSDate\")", "ZDAY > 1234.5"),
    ("rank == 1 AND code != nil", "(ZRANK = 1 AND ZCODE IS NOT NULL)"),
    ("rank == 0 AND flag == YES AND rank != -1", "(ZRANK = 0 AND ZFLAG = 1 AND ZRANK <> -1)"),
    ("rank == 2 OR rank == 16 OR rank == 65538", "(ZRANK = 2 OR ZRANK = 16 OR ZRANK = 65538)"),
    (
      "code == nil AND rank == 0 AND (flag != NO OR rank == 0)",
      "(ZCODE IS NULL AND ZRANK = 0 AND (ZFLAG <> 0 OR ZRANK = 0))"
    ), ("rank == 1 || rank == 2 && flag == 1", "(ZRANK = 1 OR (ZRANK = 2 AND ZFLAG = 1))"),
    ("(rank == 1 or rank == 2) and not flag == 1", "((ZRANK = 1 OR ZRANK = 2) AND NOT (ZFLAG = 1))"),
    ("!(rank == 1 AND flag == 1)", "NOT (ZRANK = 1 AND ZFLAG = 1)"), ("rank IN {1, 2}", "ZRANK IN (1, 2)"),
    ("rank BETWEEN {1, 9}", "ZRANK BETWEEN 1 AND 9"), ("TRUEPREDICATE", "1 = 1"), ("FALSEPREDICATE", "1 = 0"),
  ]

  @Test("a partial index has the model's predicate with its constants in the text", arguments: conditions)
  func partialIndex(predicate: String, sql: String) throws {
    let model = try Self.item(Self.partial(predicate))
    let layout = StoreLayout(model: model)
    #expect(layout.indexes.last?.createStatement == Self.prefix + " WHERE " + sql)
    let isConfirmed = !["NOT (", "BETWEEN", "IN (", ">=", "<=", "'", "1 = ", "ZRANK > 1.5", "2500.0", "ZDAY"].contains(
      where: sql.contains)
    #expect(layout.notes.isEmpty == isConfirmed)
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    try store.seal()
    let connection = try Connection(path: folder.path("a.sqlite"))
    let text = try connection.string("SELECT sql FROM sqlite_schema WHERE name = 'Z_Item_some'")
    #expect(text == Self.prefix + " WHERE " + sql)
  }

  @Test(
    "a predicate that has no meaning in a schema leaves the index over all rows, and a note",
    arguments: [
      "code BEGINSWITH 'a'", "code ==[c] 'a'", "parent.code == 'a'", "nothing == 1", "ANY children.rank == 1",
      "rank == code", "rank ==", "(rank == 1", "rank == 1 rank", "rank < nil", "rank IN 1", "code == 'open",
      "code == 'a\\q'", "FUNCTION(rank) == 1", "rank + 1 == 2", "$x == rank", "", "#", "rank == 1.2.3",
      String(repeating: "(", count: 5_000) + "rank == 1" + String(repeating: ")", count: 5_000),
      String(repeating: "NOT ", count: 5_000) + "rank == 1", "code == 'a\u{0}b'",
    ])
  func refusedPredicate(predicate: String) throws {
    let layout = StoreLayout(model: try Self.item(Self.partial(predicate)))
    #expect(layout.indexes.last?.createStatement == Self.prefix)
    #expect(layout.notes.contains { $0.hasPrefix("Index Item.some is partial in the model") })
  }

  @Test("an index of one attribute is called as the framework calls it")
  func singleAttribute() throws {
    let model = try Self.item(.init("byRank", elements: [.init(.property("rank"))]))
    func names(_ generation: FrameworkGeneration) -> [String] {
      StoreLayout(model: model, generation: generation).indexes.map(\.name).filter { !$0.contains("PARENT") }
    }
    #expect(names(.newest) == ["Z_Item_rank", "Z_Item_byRank"])
    #expect(names(FrameworkGeneration(version: 1_251, repeatsSingleAttributeIndexes: false)) == ["Z_Item_byRank"])
    #expect(names(FrameworkGeneration(version: 836)) == ["Z_Item_rank"])
    #expect(names(FrameworkGeneration(version: 754)) == ["ZITEM_ZRANK_INDEX"])
  }

  @Test("old frameworks have no fetch indexes, and say which are left out; compound indexes lack a suffix there")
  func oldIndexes() throws {
    let model = try Self.item(.init("both", elements: [.init(.property("rank")), .init(.property("code"))])) { item in
      item.compoundIndexes = [["code", "rank"]]
      item.uniquenessConstraints = [["code"], ["code", "rank"]]
    }
    let layout = StoreLayout(model: model, generation: FrameworkGeneration(version: 754))
    #expect(
      layout.indexes.map(\.createStatement) == [
        "CREATE INDEX ZITEM_ZCODE_ZRANK ON ZITEM (ZCODE, ZRANK)",
        "CREATE INDEX ZITEM_ZPARENT_INDEX ON ZITEM (ZPARENT)",
        "CREATE UNIQUE INDEX Z_Item_UNIQUE_code_rank ON ZITEM (ZCODE COLLATE BINARY ASC, ZRANK COLLATE BINARY ASC)",
      ])
    #expect(layout.tables[0].createStatement.contains("ZCODE VARCHAR UNIQUE"))
    #expect(layout.notes == ["Index Item.both is left out: the framework has no fetch indexes."])
  }

  @Test("a broken inline UNIQUE names the model's constraint")
  func inlineUnique() throws {
    let model = try Self.item { $0.uniquenessConstraints = [["code"]] }
    let folder = try TemporaryFolder()
    var options = SQLiteStore.Options()
    options.generation = FrameworkGeneration(version: 851)
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model, options: options)
    let batch = makeBatch(
      try model.required("Item"), [.init(.attribute("code"), .bytes)], [[.text("x")], [.text("x")]])
    let error = #expect(throws: StoreError.self) { try store.insert(batch, keys: [1, 2]) }
    guard case .constraintConflict("Item", ["code"], _) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
  }

  @Test("indexes name to-many relationships, the row and its entity; what has no column is passed over")
  func rowElements() throws {
    let elements: [(String, [FetchIndexDefinition.Element.Content])] = [
      ("alone", [.property("children")]), ("key", [.property("parent"), .property("children")]),
      ("kind", [.property("code"), .property("entity")]),
      ("row", [.expression("self", type: nil), .property("children")]),
      ("both", [.expression("entity", type: nil), .property("rank"), .property("self")]),
    ]
    let model = try Self.item { item in
      item.fetchIndexes = elements.map { .init($0.0, elements: $0.1.map { .init($0) }) }
      item.compoundIndexes = [
        ["rank", "entity"], ["self", "children", "code"], ["children"], ["parent", "children"],
      ]
    }
    func made(_ version: Int) -> [String] {
      StoreLayout(model: model, generation: FrameworkGeneration(version: version)).indexes.map(\.createStatement)
        .filter { !$0.contains("_ZPARENT_INDEX") }
    }
    #expect(
      made(FrameworkGeneration.newest.version) == [
        "CREATE INDEX Z_Item_rank_entity ON ZITEM (ZRANK COLLATE BINARY ASC, Z_ENT COLLATE BINARY ASC)",
        "CREATE INDEX Z_Item_self_children_code ON ZITEM (Z_PK COLLATE BINARY ASC, ZCODE COLLATE BINARY ASC)",
        "CREATE INDEX Z_Item_kind ON ZITEM (ZCODE COLLATE BINARY ASC, Z_ENT COLLATE BINARY ASC)",
        "CREATE INDEX Z_Item_row ON ZITEM (Z_PK COLLATE BINARY ASC)",
        "CREATE INDEX Z_Item_both ON ZITEM (Z_ENT COLLATE BINARY ASC, ZRANK COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)",
      ])
    #expect(
      made(754) == [
        "CREATE INDEX ZITEM_ZRANK_Z_ENT ON ZITEM (ZRANK, Z_ENT)",
        "CREATE INDEX ZITEM_Z_PK_ZCODE ON ZITEM (Z_PK, ZCODE)",
      ])
    for defers in [false, true] {
      let folder = try TemporaryFolder()
      var options = SQLiteStore.Options()
      options.defersIndexes = defers
      let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model, options: options)
      try store.insert(
        makeBatch(try model.required("Item"), [.init(.attribute("code"), .bytes)], [[.text("x")], [.text("y")]]),
        keys: [1, 2])
      try store.seal()
      #expect(try StoreChecker.check(path: folder.path("a.sqlite"), model: model).findings.isEmpty)
    }
  }

  @Test("indexes whose names differ in case only cannot both be made")
  func equalNames() throws {
    let model = try Self.item(.init("byRank", elements: [.init(.property("rank")), .init(.property("code"))])) {
      $0.fetchIndexes.append(.init("BYRANK", elements: [.init(.property("code")), .init(.property("rank"))]))
    }
    let layout = StoreLayout(model: model)
    #expect(layout.notes == ["Index Z_Item_BYRANK is left out: another index has its name."])
    let folder = try TemporaryFolder()
    try SQLiteStore.create(path: folder.path("a.sqlite"), model: model).seal()
  }

  @Test("constraints belong to the entity that declares them, and sub-entities share the index")
  func inheritedConstraints() throws {
    var child = EntityDefinition("Special")
    child.superentityName = "Item"
    child.attributes = [.init("extra", .integer16)]
    child.uniquenessConstraints = [["extra", "code"]]
    let parent = try Self.item { $0.uniquenessConstraints = [["code"], ["parent", "rank"]] }.definitions[0]
    let layout = StoreLayout(model: try ManagedObjectModel(entities: [parent, child]))
    #expect(
      layout.indexes.filter { $0.kind == .unique }.map(\.createStatement) == [
        "CREATE UNIQUE INDEX Z_Item_UNIQUE_code ON ZITEM (ZCODE COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Item_UNIQUE_parent_rank ON ZITEM (ZPARENT COLLATE BINARY ASC, ZRANK COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Special_UNIQUE_extra_code ON ZITEM (ZEXTRA COLLATE BINARY ASC, ZCODE COLLATE BINARY ASC)",
      ])
  }

  // MARK: - R-trees

  @Test("an R-tree holds every row of its table, however rows come and go", arguments: [false, true])
  func rTree(defers: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    let model = try Models.transit()
    let stop = try model.required("Stop")
    var options = SQLiteStore.Options()
    options.defersIndexes = defers
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    let columns: [RowBatch.Column] = [
      .init(.attribute("identifier"), .bytes), .init(.attribute("latitude"), .real),
      .init(.attribute("longitude"), .real),
    ]
    let rows: [[Cell]] = [
      [.text("a"), .real(46.1), .real(7.2)], [.text("b"), .null, .real(7)], [.text("c"), .real(-1), .real(179.9)],
    ]
    try store.insert(makeBatch(stop, columns, rows), keys: [1, 2, 3])
    try store.insert(
      makeBatch(try model.required("Station"), columns, [[.text("s"), .real(1), .real(2)]]), keys: [4])
    try store.buildDeferredIndexes()
    func held() throws -> [Int64] {
      let connection = try Connection(path: path)
      let statement = try Statement(
        connection,
        """
        SELECT r.Z_PK FROM Z_RT_Stop_byPlace AS r JOIN ZPLACE AS t ON t.Z_PK = r.Z_PK
        WHERE ifnull(t.ZLATITUDE, 0) BETWEEN ZLATITUDE_MIN AND ZLATITUDE_MAX
          AND ifnull(t.ZLONGITUDE, 0) BETWEEN ZLONGITUDE_MIN AND ZLONGITUDE_MAX ORDER BY 1
        """)
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.int64(at: 0)) }
      #expect(try connection.integer("SELECT count(*) FROM Z_RT_Stop_byPlace") == Int64(keys.count))
      return keys
    }
    #expect(try held() == [1, 2, 3, 4])
    var outcomes: [RowOutcome] = []
    var keys: [Int64] = []
    try store.upsert(
      makeBatch(
        stop, columns,
        [[.text("a"), .null, .real(1)], [.text("b"), .real(5), .absent], [.text("d"), .real(1), .real(1)]]),
      keyColumns: [0], outcomes: &outcomes, primaryKeys: &keys)
    #expect(try held() == [1, 2, 3, 4, 5])
    var request = SaveRequest()
    var fetch = FetchSpecification(stop)
    fetch.predicate = .comparison(["identifier"], .equal, .string("c"))
    var snapshot = try #require(try store.snapshots(fetch).first)
    let position = try #require(stop.attributes.firstIndex { $0.name == "latitude" })
    snapshot.attributes[position] = .double(88)
    request.updated = [snapshot]
    try store.save(request)
    #expect(try held() == [1, 2, 3, 4, 5])
    try store.delete(entity: stop, primaryKeys: [1, 3, 4])
    #expect(try held() == [2, 5])
    try store.begin()
    try store.delete(entity: stop, primaryKeys: [2])
    try store.rollback()
    #expect(try held() == [2, 5])
    try store.close()
    #expect(try StoreChecker.check(path: path, model: model).findings.isEmpty)

    let reopened = try SQLiteStore.open(path: path, model: model)
    try reopened.delete(entity: stop, primaryKeys: [5])
    try reopened.close()
    #expect(try held() == [2])
    // A row without a coordinate is in it as well, at 0.
    try Connection(path: path).execute("PRAGMA trusted_schema = ON; UPDATE ZPLACE SET ZLATITUDE = NULL WHERE Z_PK = 2")
    #expect(try StoreChecker.check(path: path, model: model).findings.isEmpty)
    try Connection(path: path).execute("DELETE FROM Z_RT_Stop_byPlace")
    #expect(try StoreChecker.check(path: path, model: model).findings.map(\.code) == [.rTree])
  }

  @Test("an R-tree without triggers keeps the rows that lose a coordinate, and gets those without one")
  func rTreeWithoutTriggers() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    let model = try Models.transit()
    let stop = try model.required("Stop")
    let columns: [RowBatch.Column] = [
      .init(.attribute("identifier"), .bytes), .init(.attribute("latitude"), .real),
      .init(.attribute("longitude"), .real),
    ]
    let store = try SQLiteStore.create(path: path, model: model)
    try store.insert(
      makeBatch(stop, columns, [[.text("a"), .real(46.1), .real(7.2)], [.text("b"), .real(5), .real(7)]]), keys: [1, 2])
    try store.close()
    let connection = try Connection(path: path)
    for event in ["INSERT", "UPDATE", "DELETE"] { try connection.execute("DROP TRIGGER Z_RT_Stop_byPlace_\(event)") }
    let reopened = try SQLiteStore.open(path: path, model: model)
    var outcomes: [RowOutcome] = []
    var keys: [Int64] = []
    try reopened.upsert(
      makeBatch(stop, columns, [[.text("a"), .null, .real(1)], [.text("c"), .null, .null]]), keyColumns: [0],
      outcomes: &outcomes, primaryKeys: &keys)
    try reopened.close()
    #expect(
      try connection.string(
        "SELECT group_concat(Z_PK || ':' || ZLATITUDE_MIN || ':' || ZLONGITUDE_MAX) FROM "
          + "(SELECT * FROM Z_RT_Stop_byPlace ORDER BY Z_PK)") == "1:0.0:1.0,2:5.0:7.0,3:0.0:0.0")
    #expect(try StoreChecker.check(path: path, model: model).findings.isEmpty)
  }

  @Test("a store without the model's R-tree, or with one that the model does not have, is written all the same")
  func foreignRTrees() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    let model = try Self.item(.init("area", elements: [.init(.property("rank"), kind: .rTree)]))
    let item = try model.required("Item")
    try SQLiteStore.create(path: path, model: model).close()
    try Connection(path: path).execute(
      """
      DROP TABLE Z_RT_Item_area;
      CREATE VIRTUAL TABLE Z_RT_Item_days USING RTREE (Z_PK INTEGER PRIMARY KEY, ZDAY_MIN FLOAT, ZDAY_MAX FLOAT)
      """)
    let store = try SQLiteStore.open(path: path, model: model)
    try store.insert(makeBatch(item, [.init(.attribute("day"), .real)], [[.real(1.5)]]), keys: [1])
    try store.close()
    #expect(try Connection(path: path).integer("SELECT count(*) FROM Z_RT_Item_days WHERE ZDAY_MAX >= 1.5") == 1)
  }

  @Test("an R-tree of more dimensions than SQLite has is left out")
  func tooManyDimensions() throws {
    let names = (0..<6).map { "axis\($0)" }
    let model = try Self.item { item in
      item.attributes += names.map { .init($0, .double) }
      item.fetchIndexes = [.init("space", elements: names.map { .init(.property($0), kind: .rTree) })]
    }
    let layout = StoreLayout(model: model)
    #expect(layout.notes == ["R-tree Item.space is left out: SQLite's have at most 5 dimensions."])
  }

  // MARK: - Generations

  @Test("tables of one generation only", arguments: [519, 754, 969, 1_523])
  func generations(version: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    var options = SQLiteStore.Options()
    options.generation = FrameworkGeneration(version: version)
    options.modelCache = [1, 2, 3]
    try SQLiteStore.create(path: path, model: try Self.item(), options: options).close()
    let tables = try Connection(path: path).integer("SELECT count(*) FROM sqlite_schema WHERE name = 'Z_MODELCACHE'")
    #expect(tables == (version >= 640 ? 1 : 0))
    let metadata = try StoreMetadata.read(path: path)
    #expect((metadata.versionHashesDigest != nil) == (version >= 969))
    #expect((metadata.versionChecksum != nil) == (version >= 1_321))
    #expect((metadata.values["NSPersistenceMaximumFrameworkVersion"] != nil) == (version >= 1_522))
    options.tracksHistory = true
    if version < 969 {
      #expect(throws: StoreError.self) {
        try SQLiteStore.create(path: folder.path("b.sqlite"), model: try Self.item(), options: options)
      }
    }
  }
}
