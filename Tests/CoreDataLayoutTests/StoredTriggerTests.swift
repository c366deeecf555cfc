import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestQueries
import TestRows
import TestStores
import TestSupport
import Testing

/// Triggers of new stores and of stores that others made, run by plain SQLite and by this library.
@Suite("triggers in the file")
struct StoredTriggerTests {
  /// Assets with a place and a camera, under a parent entity whose table they share; details hold the camera.
  private static func photos() throws -> ManagedObjectModel {
    var item = EntityDefinition("Item")
    item.attributes = [.init("title", .string)]
    var asset = EntityDefinition("Asset")
    asset.superentityName = "Item"
    asset.attributes = [.init("latitude", .double), .init("longitude", .double), .init("altitude", .double)]
    var camera = AttributeDefinition("camera", .string)
    camera.derivation = .init(expression: "details.camera")
    var count = AttributeDefinition("tagCount", .integer64)
    count.derivation = .init(expression: "tags.@count")
    asset.attributes += [camera, count]
    asset.relationships = [
      .init("details", toOne: "Details", inverse: "asset"), .init("tags", toMany: "Tag", inverse: "asset"),
    ]
    asset.fetchIndexes = [
      .init("byLocation", elements: ["latitude", "longitude"].map { .init(.property($0), kind: .rTree) })
    ]
    var details = EntityDefinition("Details")
    details.attributes = [.init("camera", .string)]
    details.relationships = [.init("asset", toOne: "Asset", inverse: "details")]
    var tag = EntityDefinition("Tag")
    tag.relationships = [.init("asset", toOne: "Asset", inverse: "tags")]
    return try ManagedObjectModel(entities: [item, asset, details, tag])
  }

  private static let names: Set<String> = [
    "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
  ]

  /// As a program that knows nothing of this library: plain SQLite and functions that do nothing.
  private static func plainConnection(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, options: .init(trustsSchema: true))
    for name in names { try connection.registerFunction(name, argumentCount: -1) { _ in .null } }
    return connection
  }

  private static let expectedRTree = [
    """
    CREATE TRIGGER Z_RT_Asset_byLocation_INSERT AFTER INSERT ON ZITEM FOR EACH ROW BEGIN INSERT OR REPLACE INTO \
    Z_RT_Asset_byLocation (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES (NEW.Z_PK, \
    NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE) ; END
    """,
    """
    CREATE TRIGGER Z_RT_Asset_byLocation_UPDATE AFTER UPDATE ON ZITEM FOR EACH ROW BEGIN DELETE FROM \
    Z_RT_Asset_byLocation WHERE Z_PK = NEW.Z_PK ; INSERT INTO Z_RT_Asset_byLocation (Z_PK, ZLATITUDE_MIN, \
    ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES (NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, \
    NEW.ZLONGITUDE) ; END
    """,
    """
    CREATE TRIGGER Z_RT_Asset_byLocation_DELETE AFTER DELETE ON ZITEM FOR EACH ROW BEGIN DELETE FROM \
    Z_RT_Asset_byLocation WHERE Z_PK = OLD.Z_PK ; END
    """,
  ]

  private static let expectedKeyPath = [
    """
    CREATE TRIGGER Z_DA_ZITEM_Asset_camera_SOURCE_INSERT AFTER INSERT ON ZITEM FOR EACH ROW BEGIN UPDATE ZITEM SET \
    ZCAMERA = (SELECT ZCAMERA FROM ZDETAILS WHERE Z_PK = NEW.ZDETAILS) WHERE Z_PK = NEW.Z_PK; SELECT \
    NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZITEM', Z_ENT, Z_PK, 'camera', ZCAMERA) FROM ZITEM WHERE \
    Z_PK = NEW.Z_PK; END
    """,
    """
    CREATE TRIGGER Z_DA_ZITEM_Asset_camera_SOURCE_UPDATE AFTER UPDATE OF ZDETAILS ON ZITEM FOR EACH ROW BEGIN UPDATE \
    ZITEM SET ZCAMERA = (SELECT ZCAMERA FROM ZDETAILS WHERE Z_PK = NEW.ZDETAILS) WHERE Z_PK = NEW.Z_PK; SELECT \
    NSCoreDataDATriggerUpdatedAffectedObjectValue('ZITEM', Z_ENT, Z_PK, 'camera', ZCAMERA) FROM ZITEM WHERE \
    Z_PK = NEW.Z_PK; END
    """,
    """
    CREATE TRIGGER Z_DA_ZDETAILS_Asset_camera_PARAMETER_INSERT AFTER INSERT ON ZDETAILS FOR EACH ROW BEGIN UPDATE \
    ZITEM SET ZCAMERA = NEW.ZCAMERA WHERE ZDETAILS = NEW.Z_PK; SELECT \
    NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZITEM', Z_ENT, Z_PK, 'camera', ZCAMERA) FROM ZITEM WHERE \
    ZDETAILS = NEW.Z_PK; END
    """,
    """
    CREATE TRIGGER Z_DA_ZDETAILS_Asset_camera_PARAMETER_UPDATE AFTER UPDATE OF ZCAMERA ON ZDETAILS FOR EACH ROW BEGIN \
    UPDATE ZITEM SET ZCAMERA = NEW.ZCAMERA WHERE ZDETAILS = NEW.Z_PK; SELECT \
    NSCoreDataDATriggerUpdatedAffectedObjectValue('ZITEM', Z_ENT, Z_PK, 'camera', ZCAMERA) FROM ZITEM WHERE \
    ZDETAILS = NEW.Z_PK; END
    """,
  ]

  @Test("a new store has Core Data's triggers to the letter", arguments: [false, true])
  func texts(defers: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    var options = SQLiteStore.Options()
    options.defersIndexes = defers
    try SQLiteStore.create(path: path, model: try Self.photos(), options: options).seal()
    let connection = try Connection(path: path)
    for (pattern, expected) in [("Z_RT_%", Self.expectedRTree), ("Z_DA_%camera%", Self.expectedKeyPath)] {
      let found = try connection.rows(
        ofQuery: "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '\(pattern)' ORDER BY rowid")
      #expect(found == expected)
    }
  }

  /// What the triggers have to have kept, whatever ran them.
  private func expectKept(_ path: String, rows: Int64, _ place: String) throws {
    let connection = try Connection(path: path)
    try connection.set(.triggers, false)
    let wrong = [
      "ZITEM AS t WHERE ZCAMERA IS NOT (SELECT ZCAMERA FROM ZDETAILS WHERE Z_PK = t.ZDETAILS)",
      "ZITEM AS t WHERE Z_ENT = 3 AND ZTAGCOUNT IS NOT (SELECT count(*) FROM ZTAG WHERE ZASSET = t.Z_PK)",
      """
      ZITEM AS t WHERE NOT EXISTS (SELECT 1 FROM Z_RT_Asset_byLocation AS r WHERE r.Z_PK = t.Z_PK
        AND ifnull(t.ZLATITUDE, 0) BETWEEN r.ZLATITUDE_MIN AND r.ZLATITUDE_MAX
        AND ifnull(t.ZLONGITUDE, 0) BETWEEN r.ZLONGITUDE_MIN AND r.ZLONGITUDE_MAX)
      """,
      "Z_RT_Asset_byLocation WHERE Z_PK NOT IN (SELECT Z_PK FROM ZITEM)",
    ]
    for text in wrong { #expect(try connection.integer("SELECT count(*) FROM \(text)") == 0, "\(place): \(text)") }
    #expect(try connection.integer("SELECT count(*) FROM Z_RT_Asset_byLocation") == rows, "\(place)")
    #expect(try connection.integer("SELECT count(*) FROM ZITEM") == rows, "\(place)")
  }

  /// What an app does to the store, in SQL.
  private static let changes = """
    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (101, 2, 1, 'plain');
    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZLATITUDE, ZLONGITUDE, ZDETAILS) VALUES (102, 3, 1, 46.2, 7.1, 101);
    INSERT INTO ZDETAILS (Z_PK, Z_ENT, Z_OPT, ZCAMERA, ZASSET) VALUES (101, 1, 1, 'Leica', 102);
    INSERT INTO ZDETAILS (Z_PK, Z_ENT, Z_OPT, ZCAMERA) VALUES (102, 1, 1, 'Nikon');
    UPDATE ZDETAILS SET ZCAMERA = 'Canon' WHERE Z_PK = 101;
    UPDATE ZITEM SET ZDETAILS = 102, ZLATITUDE = NULL WHERE Z_PK = 102;
    UPDATE ZITEM SET ZDETAILS = NULL WHERE Z_PK = 102;
    INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZLATITUDE, ZLONGITUDE, ZDETAILS) VALUES (103, 3, 1, -1e-30, 179.99999, 102);
    DELETE FROM ZITEM WHERE Z_PK = 101;
    """

  private func insert(_ store: SQLiteStore, _ model: ManagedObjectModel, from key: Int64) throws {
    let asset = try model.required("Asset")
    try store.insert(
      makeBatch(
        try model.required("Details"), [.init(.attribute("camera"), .bytes)], [[.text("Sony")], [.text("Fuji")]]),
      keys: [key, key + 1])
    try store.insert(
      makeBatch(
        asset,
        [
          .init(.attribute("latitude"), .real), .init(.attribute("longitude"), .real),
          .init(.toOne("details"), .integer),
        ], [[.real(1), .real(2), .integer(key)], [.null, .real(3), .integer(key + 1)], [.real(4), .real(5), .null]]),
      keys: [key, key + 1, key + 2])
    try store.insert(
      makeBatch(try model.required("Item"), [.init(.attribute("title"), .bytes)], [[.text("x")]]), keys: [key + 3])
    try store.insert(
      makeBatch(try model.required("Tag"), [.init(.toOne("asset"), .integer)], [[.integer(key)], [.integer(key)]]),
      keys: [key, key + 1])
  }

  @Test("plain SQLite and this library keep the same values, each in the other's store", arguments: [false, true])
  func everybody(defers: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    let model = try Self.photos()
    var options = SQLiteStore.Options()
    options.defersIndexes = defers
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    try insert(store, model, from: 1)
    try store.seal()
    try expectKept(path, rows: 4, "new")
    let connection = try Self.plainConnection(path)
    try connection.execute(Self.changes)
    try connection.close()
    try expectKept(path, rows: 6, "after plain SQLite")
    let reopened = try SQLiteStore.open(path: path, model: model)
    #expect(reopened.foreignTriggers.isEmpty)
    try insert(reopened, model, from: 201)
    try reopened.delete(entity: try model.required("Details"), primaryKeys: [201])
    try reopened.delete(entity: try model.required("Item"), primaryKeys: [204])
    try reopened.delete(entity: try model.required("Tag"), primaryKeys: [202])
    try reopened.close()
    // The reference to deleted details stays, which the check of the store says.
    try expectKept(path, rows: 9, "after an import")
    let found = try StoreChecker.check(path: path, model: model)
    #expect(Set(found.findings.map(\.code)).isSubset(of: [.danglingReference, .keyCounter, .inverse]))
    #expect(!found.remarks.contains { $0.code == .unknownTrigger })
  }

  @Test(
    "with a foreign trigger none of the file's runs, it is named, and the values are kept all the same",
    arguments: [
      "CREATE TRIGGER foreign_one AFTER INSERT ON ZITEM BEGIN DELETE FROM ZITEM WHERE Z_PK = NEW.Z_PK; END",
      "CREATE TRIGGER foreign_one BEFORE INSERT ON ZTAG BEGIN SELECT RAISE(ABORT, 'no'); END",
      "CREATE TRIGGER foreign_one AFTER INSERT ON ZDETAILS BEGIN SELECT unheard(1); END",
      "CREATE TRIGGER foreign_one AFTER INSERT ON Z_RT_Asset_byLocation_node BEGIN DELETE FROM ZTAG; END",
      // One that is called as Core Data's and does something else.
      """
      DROP TRIGGER Z_RT_Asset_byLocation_DELETE; CREATE TRIGGER Z_RT_Asset_byLocation_DELETE AFTER DELETE ON ZITEM \
      FOR EACH ROW BEGIN DELETE FROM ZITEM; END
      """,
    ])
  func foreign(sql: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sqlite")
    let model = try Self.photos()
    let store = try SQLiteStore.create(path: path, model: model)
    try insert(store, model, from: 1)
    try store.seal()
    let connection = try Self.plainConnection(path)
    try connection.execute(sql)
    try connection.close()
    let reopened = try SQLiteStore.open(path: path, model: model)
    #expect(reopened.foreignTriggers.count == 1)
    try insert(reopened, model, from: 11)
    try reopened.delete(entity: try model.required("Item"), primaryKeys: [4])
    try reopened.delete(entity: try model.required("Tag"), primaryKeys: [1])
    try reopened.close()
    try expectKept(path, rows: 7, sql)
  }

  @Test("a trigger with some of Core Data's triggers missing changes nothing about the values")
  func incomplete() throws {
    let model = try Self.photos()
    let names =
      StoreLayout(model: model).triggers.flatMap(\.names)
      + ["INSERT", "UPDATE", "DELETE"].map {
        "Z_RT_Asset_byLocation_\($0)"
      }
    for name in names {
      let folder = try TemporaryFolder()
      let path = folder.path("a.sqlite")
      let store = try SQLiteStore.create(path: path, model: model)
      try insert(store, model, from: 1)
      try store.close()
      try Connection(path: path).execute("DROP TRIGGER \(name)")
      let reopened = try SQLiteStore.open(path: path, model: model)
      try insert(reopened, model, from: 11)
      try reopened.delete(entity: try model.required("Item"), primaryKeys: [4, 11])
      try reopened.close()
      let connection = try Connection(path: path)
      #expect(
        try connection.integer(
          "SELECT count(*) FROM ZITEM AS t WHERE ZCAMERA IS NOT (SELECT ZCAMERA FROM ZDETAILS WHERE Z_PK = t.ZDETAILS)")
          == 0,
        "\(name)")
      #expect(try StoreChecker.check(path: path, model: model).findings.allSatisfy { $0.code != .rTree }, "\(name)")
    }
  }
}
