import CoreDataLayout
import ObjectModel
import SQLite
import StoreInterface
import TestQueries
import TestRows
import TestStores
import TestSupport
import Testing

@testable import SQLMigration

/// Primary keys below 1, which no framework gives out and which a file may have all the same.
@Suite("Negative primary keys in hierarchies that become one")
struct NegativeKeyTests {
  private static func model(_ isNew: Bool) throws -> ManagedObjectModel {
    var item = EntityDefinition("Item")
    item.attributes = [.init("name", .string)]
    item.relationships = [
      .init("tag", toOne: "Tag", inverse: "items"), .init("owners", toMany: "Owner", inverse: "items"),
    ]
    var tag = EntityDefinition("Tag")
    tag.attributes = [.init("name", .string)]
    tag.relationships = [.init("items", toMany: "Item", inverse: "tag")]
    var owner = EntityDefinition("Owner")
    owner.attributes = [.init("name", .string)]
    owner.relationships = [.init("items", toMany: "Item", inverse: "owners")]
    guard isNew else { return try ManagedObjectModel(entities: [item, tag, owner]) }
    item.superentityName = "Base"
    tag.superentityName = "Base"
    owner.superentityName = "Base"
    return try ManagedObjectModel(entities: [EntityDefinition("Base"), item, tag, owner])
  }

  /// Each with a name of its own by which it is known, whatever its key: `item` with its tag, and its owners.
  private static func store(_ folder: TemporaryFolder) throws -> String {
    let path = folder.path("Shop.sqlite")
    let model = try model(false)
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    // In the order of names: Item is 1, Owner 2, Tag 3.
    for name in ["Item", "Owner", "Tag"] {
      let batch = makeBatch(try model.required(name), [.init(.attribute("name"), .bytes)], [[.text("\(name) 1")]])
      try store.insert(batch, keys: [1])
    }
    try store.close()
    let connection = try Connection(path: path)
    let join = try #require(
      try connection.string("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_1%' ESCAPE '\\'"))
    let columns = try Connection.rows(at: path, "SELECT name FROM pragma_table_info('\(join)') ORDER BY cid")
    let items = try #require(columns.first { $0.hasPrefix("Z_1") })
    let owners = try #require(columns.first { $0.hasPrefix("Z_2") })
    try connection.execute(
      """
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZTAG)
        VALUES (-3, 1, 1, 'Item -3', -9), (0, 1, 1, 'Item 0', 1), (5, 1, 1, 'Item 5', -1);
      INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (-9, 3, 1, 'Tag -9'), (-1, 3, 1, 'Tag -1'), (0, 3, 1, 'Tag 0');
      INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (-40, 2, 1, 'Owner -40'), (7, 2, 1, 'Owner 7');
      INSERT INTO \(join) (\(items), \(owners)) VALUES (-3, -40), (-3, 7), (5, -40), (0, 1);
      INSERT INTO ACHANGE (Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) SELECT Z_ENT, 1, 2, 3, -12, ZTRANSACTIONID
        FROM ACHANGE LIMIT 1;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 20 WHERE Z_ENT < 16000;
      UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = 16001
      """)
    try connection.close()
    return path
  }

  @Test("every object has a key of its own afterwards, and references and the history lead to it")
  func merged() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let (older, newer) = (try Self.model(false), try Self.model(true))
    let tables = try PageMigrationTests.twins(path, from: older, to: newer, "negative keys")
    #expect(tables != nil)
    let report = try StoreMigration.run(storeAt: path, from: older, to: newer)
    #expect(report.plan.renumbered.count == 2)
    // Each entity has a column of its own for its name.
    let named = "(SELECT Z_PK AS key, ZTAG AS tag, coalesce(ZNAME, ZNAME1, ZNAME2) AS name FROM ZBASE)"
    #expect(
      try Connection.rows(at: path, "SELECT name FROM \(named) ORDER BY name")
        == [
          "Item -3", "Item 0", "Item 1", "Item 5", "Owner -40", "Owner 1", "Owner 7", "Tag -1", "Tag -9", "Tag 0",
          "Tag 1",
        ])
    #expect(
      try Connection.rows(
        at: path, "SELECT i.name, t.name FROM \(named) AS i JOIN \(named) AS t ON t.key = i.tag ORDER BY i.name")
        == ["Item -3|Tag -9", "Item 0|Tag 1", "Item 5|Tag -1"])
    let join = try #require(
      try Connection.rows(
        at: path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'"
      ).first)
    let columns = try Connection.rows(at: path, "SELECT name FROM pragma_table_info('\(join)') ORDER BY name")
    #expect(
      try Connection.rows(
        at: path,
        "SELECT a.name, b.name FROM \(join) AS j JOIN \(named) AS a ON a.key = j.\(columns[0]) "
          + "JOIN \(named) AS b ON b.key = j.\(columns[1]) ORDER BY 1, 2")
        == ["Item -3|Owner -40", "Item -3|Owner 7", "Item 0|Owner 1", "Item 5|Owner -40"])
    // A change of a deleted object is not taken for one of another that is there.
    #expect(
      try Connection.rows(
        at: path,
        "SELECT ZCHANGETYPE, name FROM ACHANGE LEFT JOIN \(named) ON key = ZENTITYPK ORDER BY name IS NULL, name")
        == ["0|Item 1", "0|Owner 1", "0|Tag 1", "2|∅"])
    let check = try StoreChecker.check(path: path, model: newer)
    #expect(check.isCompatible && check.findings.isEmpty, "\(check.findings)")
  }

  @Test("a hierarchy that stays keeps its keys")
  func kept() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    var item = EntityDefinition("Item")
    item.attributes = [.init("name", .string)]
    _ = try StoreMigration.run(
      storeAt: path, from: Self.model(false), to: ManagedObjectModel(entities: [item]))
    #expect(try Connection.rows(at: path, "SELECT Z_PK FROM ZITEM ORDER BY Z_PK") == ["-3", "0", "1", "5"])
  }
}
