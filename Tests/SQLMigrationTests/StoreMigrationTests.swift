import Foundation
import ObjectModel
import PropertyLists
import SQLite
import StoreInterface
import Synchronization
import TestQueries
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

@Suite("Migration of a store in place")
struct StoreMigrationTests {
  typealias Change = (inout [String: EntityDefinition]) -> Void

  /// Box 1 and Crate 2 hold things; a Tag is a hierarchy of its own.
  static func entities() -> [String: EntityDefinition] {
    var box = EntityDefinition("Box")
    box.attributes = [.init("code", .string), .init("photo", .binary), .init("size", .integer32)]
    box.relationships = [.init("things", toMany: "Thing", inverse: "box")]
    var thing = EntityDefinition("Thing")
    thing.attributes = [.init("name", .string)]
    thing.relationships = [.init("box", toOne: "Box", inverse: "things")]
    var tag = EntityDefinition("Tag")
    tag.attributes = [.init("word", .string)]
    return ["Box": box, "Thing": thing, "Tag": tag]
  }

  static func model(_ change: Change = { _ in }) throws -> ManagedObjectModel {
    var list = entities()
    change(&list)
    return try ManagedObjectModel(entities: Array(list.values))
  }

  /// A store of the first model: Box 1 to 4, Tag 1 and 2, Thing 1 to 3.
  static func store(in folder: TemporaryFolder, history: Bool = false, _ sql: String = "") throws -> String {
    let path = folder.path("Boxes.sqlite")
    var options = SQLiteStore.Options()
    options.tracksHistory = history
    let store = try SQLiteStore.create(path: path, model: try model(), options: options)
    try store.setMetadata(["AppKey": .string("kept")])
    try store.close()
    let connection = try Connection(path: path)
    try connection.execute(
      """
      INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZCODE, ZSIZE, ZPHOTO) VALUES
        (1, 1, 1, 'a', 10, x'0102'), (2, 1, 2, 'b', NULL, NULL), (3, 1, 1, 'a', 30, NULL), (4, 1, 1, NULL, NULL, NULL);
      INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZWORD) VALUES (1, 2, 1, 'x'), (2, 2, 1, 'y');
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZBOX, ZNAME) VALUES (1, 3, 1, 1, 'p'), (2, 3, 1, 3, 'q'), (3, 3, 1, NULL, 'r');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_ENT = 1; UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT > 1;
      """)
    if !sql.isEmpty { try connection.execute(sql) }
    try connection.close()
    return path
  }

  static func requireSound(_ path: String, _ model: ManagedObjectModel) throws {
    let report = try StoreChecker.check(path: path, model: model)
    #expect(report.isSound && report.isCompatible && report.digestMatches == true, "\(report.findings)")
    #expect(report.remarks.isEmpty, "\(report.remarks)")
  }

  static let uses: [StoreMigration.PageUse] = [.never, .always]

  static func options(_ pageUse: StoreMigration.PageUse) -> StoreMigration.Options {
    var options = StoreMigration.Options()
    options.pageUse = pageUse
    return options
  }

  @Test("an attribute is appended, with its default, and the table's columns stay as they are", arguments: uses)
  func appendedAttribute(pageUse: StoreMigration.PageUse) throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let newer = try Self.model {
      var label = AttributeDefinition("label", .string)
      label.isOptional = false
      label.defaultValue = .string("it's new")
      $0["Box"]?.attributes += [label, AttributeDefinition("when", .date)]
    }
    let report = try StoreMigration.run(
      storeAt: path, from: Self.model(), to: newer, options: Self.options(pageUse))
    #expect(report.tablesOfPages == (pageUse == .always ? ["ZBOX"] : []))
    #expect(report.plan.tables.map(\.work) == [.updated, .kept, .kept])
    #expect(report.plan.tables[0].appendedColumns == ["ZWHEN", "ZLABEL"])
    #expect(try Connection.rows(at: path, "SELECT DISTINCT ZLABEL, ZWHEN FROM ZBOX") == ["it's new|∅"])
    let metadata = try StoreMetadata.read(path: path)
    #expect(metadata.values["AppKey"]?.stringValue == "kept")
    #expect(try Connection.rows(at: path, "SELECT Z_MAX FROM Z_PRIMARYKEY") == ["9", "3", "3"])
    try Self.requireSound(path, newer)
    let again = #expect(throws: StoreMigrationError.self) {
      try StoreMigration.run(storeAt: path, from: Self.model(), to: newer)
    }
    guard case .sourceModel? = again else {
      Issue.record("\(String(describing: again))")
      return
    }
  }

  @Test("a plan changes not a byte")
  func plan() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let before = try Data(contentsOf: URL(filePath: path))
    let plan = try StoreMigration.plan(
      storeAt: path, from: Self.model(),
      to: Self.model {
        $0["Tag"] = nil; $0["Box"]?.attributes.removeLast()
      })
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(
      plan.description == """
        entity Box: changed, 4 objects
        entity Thing: unchanged, 3 objects
        entity Tag: removed, 2 objects
        table ZBOX: rewritten
        table ZTHING: updated
        table ZTAG: removed
        lost: Tag: removed, its objects go
        lost: Box.size: removed, its values go
        """)
  }

  @Test(
    "hierarchies are joined: the objects of one get other keys, and what refers to them follows, history too",
    arguments: uses)
  func mergedHierarchies(pageUse: StoreMigration.PageUse) throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(
      in: folder, history: true,
      """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT) VALUES (1, 16002, 1);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_ENT > 16000;
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES
        (1, 16001, 1, 3, 2, 1, x'80'), (2, 16001, 1, 1, 2, 1, x'A0'), (3, 16001, 0, 2, 1, 1, NULL);
      """)
    let newer = try Self.model {
      $0["Base"] = EntityDefinition("Base")
      $0["Box"]?.superentityName = "Base"
      $0["Thing"]?.superentityName = "Base"
      $0["Thing"]?.attributes.append(AttributeDefinition("alpha", .string))
    }
    let report = try StoreMigration.run(
      storeAt: path, from: Self.model(), to: newer, options: Self.options(pageUse))
    #expect(report.tablesOfPages == (pageUse == .always ? ["ZBASE", "ZTAG"] : []))
    #expect(report.plan.renumbered.map(\.destination) == ["Thing"] && report.plan.mergedHierarchies.count == 1)
    #expect(
      try Connection.rows(at: path, "SELECT Z_PK, Z_ENT, ZBOX, ZNAME FROM ZBASE WHERE Z_ENT = 3")
        == ["10|3|1|p", "11|3|3|q", "12|3|∅|r"])
    // Base 1, Box 2, Thing 3, Tag 4; bits in name order: alpha, box, name.
    #expect(
      try Connection.rows(at: path, "SELECT ZENTITY, ZENTITYPK, hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK")
        == ["3|11|40", "2|2|A0", "4|1|"])
    #expect(
      try Connection.rows(at: path, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") == ["12", "0", "0", "3"])
    try Self.requireSound(path, newer)
  }

  @Test("duplicates are told with their values, and resolved as it is asked for", arguments: uses)
  func duplicates(pageUse: StoreMigration.PageUse) throws {
    let newer = try Self.model {
      $0["Box"]?.uniquenessConstraints = [["code"]]
      // Every table gets other entity numbers.
      $0["Anchor"] = EntityDefinition("Anchor")
    }
    let cases: [(StoreMigration.DuplicatePolicy, boxes: [String], things: [String])] = [
      (.keepFirst, ["1|a|10", "2|b|∅", "4|∅|∅"], ["1|1", "2|∅", "3|∅"]),
      (.keepLast, ["2|b|∅", "3|a|30", "4|∅|∅"], ["1|∅", "2|3", "3|∅"]),
      (.merge, ["1|a|10", "2|b|∅", "4|∅|∅"], ["1|1", "2|1", "3|∅"]),
    ]
    for (policy, boxes, things) in cases {
      let folder = try TemporaryFolder()
      let path = try Self.store(in: folder)
      let error = #expect(throws: StoreMigrationError.self) {
        try StoreMigration.run(storeAt: path, from: Self.model(), to: newer)
      }
      guard case .conditions(_, let conditions)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(
        conditions == [
          MigrationCondition(kind: .duplicateKeys, entity: "Box", property: "code", count: 1, examples: ["a"])
        ])
      try Self.requireSound(path, Self.model())
      var options = Self.options(pageUse)
      options.duplicates = policy
      let report = try StoreMigration.run(storeAt: path, from: Self.model(), to: newer, options: options)
      #expect(report.removedDuplicates == ["Box": 1])
      #expect(try Connection.rows(at: path, "SELECT Z_PK, ZCODE, ZSIZE FROM ZBOX ORDER BY Z_PK") == boxes)
      #expect(try Connection.rows(at: path, "SELECT Z_PK, ZBOX FROM ZTHING ORDER BY Z_PK") == things)
      try Self.requireSound(path, newer)
    }
  }

  @Test("members that come to another owner by a merge are behind its own, in their order")
  func mergedOrders() throws {
    let ordered: Change = {
      $0["Box"]?.relationships[0].isOrdered = true
      $0["Box"]?.relationships.append(.init("tags", toMany: "Tag", inverse: "boxes", ordered: true))
      $0["Tag"]?.relationships = [.init("boxes", toMany: "Box", inverse: "tags")]
    }
    let older = try Self.model(ordered)
    let newer = try Self.model {
      ordered(&$0)
      $0["Box"]?.uniquenessConstraints = [["code"]]
    }
    let folder = try TemporaryFolder()
    let path = folder.path("Boxes.sqlite")
    try SQLiteStore.create(path: path, model: older).close()
    let layout = StoreLayout(model: older)
    let box = try #require(older["Thing"]?.relationship("box"))
    let place = try #require(layout.orderColumn(of: box)?.name)
    let join = try #require(layout.joinTables.first)
    let side = try #require([join.master, join.inverse].first { $0.orderColumn != nil })
    let order = try #require(side.orderColumn)
    let connection = try Connection(path: path)
    try connection.execute(
      """
      INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZCODE) VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b'), (3, 1, 1, 'a'), (4, 1, 1, 'a');
      INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZWORD) VALUES (1, 2, 1, 'x'), (2, 2, 1, 'y'), (3, 2, 1, 'z');
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZBOX, \(place)) VALUES (1, 3, 1, 1, 10), (2, 3, 1, 1, 20), (3, 3, 1, 3, 20),
        (4, 3, 1, 3, 10), (5, 3, 1, 4, 10), (6, 3, 1, 2, 10);
      INSERT INTO \(join.name) (\(side.ownerColumn), \(side.memberColumn), \(order)) VALUES
        (1, 1, 10), (3, 2, 10), (3, 1, 20), (4, 3, 10), (2, 3, 10);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9;
      """)
    try connection.close()
    var options = StoreMigration.Options()
    options.duplicates = .merge
    let report = try StoreMigration.run(storeAt: path, from: older, to: newer, options: options)
    #expect(report.removedDuplicates == ["Box": 2])
    #expect(
      try Connection.rows(at: path, "SELECT ZBOX, Z_PK FROM ZTHING ORDER BY ZBOX, \(place)")
        == ["1|1", "1|2", "1|4", "1|3", "1|5", "2|6"])
    #expect(
      try Connection.rows(
        at: path,
        "SELECT \(side.ownerColumn), \(side.memberColumn) FROM \(join.name) ORDER BY \(side.ownerColumn), \(order)")
        == ["1|1", "1|2", "1|3", "2|3"])
    for (table, owner, order) in [("ZTHING", "ZBOX", place), (join.name, side.ownerColumn, order)] {
      #expect(
        try Connection.rows(at: path, "SELECT count(*) FROM \(table) GROUP BY \(owner), \(order) HAVING count(*) > 1")
          == [])
    }
    try Self.requireSound(path, newer)
  }

  @Test("triggers that no model explains go and are told of, and those of other tables stay")
  func triggers() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(
      in: folder,
      """
      CREATE TABLE AUDIT (LINE TEXT);
      CREATE TRIGGER audit AFTER UPDATE ON ZTHING BEGIN INSERT INTO AUDIT VALUES ('thing'); END;
      CREATE TRIGGER other AFTER INSERT ON AUDIT BEGIN SELECT 1; END;
      """)
    let newer = try Self.model { $0["Tag"]?.attributes.append(AttributeDefinition("note", .string)) }
    let plan = try StoreMigration.plan(storeAt: path, from: Self.model(), to: newer)
    #expect(plan.droppedTriggers == ["audit on ZTHING"])
    #expect(plan.description.contains("lost: the trigger audit on ZTHING, which does not belong to the model"))
    #expect(try Connection.rows(at: path, "SELECT name FROM sqlite_master WHERE type = 'trigger'").count == 2)
    let report = try StoreMigration.run(storeAt: path, from: Self.model(), to: newer)
    #expect(report.plan.droppedTriggers == ["audit on ZTHING"])
    #expect(try Connection.rows(at: path, "SELECT name FROM sqlite_master WHERE type = 'trigger'") == ["other"])
  }

  @Test("the parts of the work are told of in their order")
  func stages() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let told = Mutex<[StoreMigration.Stage]>([])
    var options = StoreMigration.Options()
    options.willBegin = { stage in told.withLock { $0.append(stage) } }
    _ = try StoreMigration.run(storeAt: path, from: Self.model(), to: Self.model { $0["Tag"] = nil }, options: options)
    #expect(told.withLock { $0 } == StoreMigration.Stage.allCases)
  }

  @Test("what the data break is told with entity, property and count, and nothing is changed")
  func conditions() throws {
    let cases: [(Change, MigrationCondition)] = [
      (
        { $0["Thing"]?.relationships[0].isOptional = false },
        .init(kind: .missingValue, entity: "Thing", property: "box", count: 1)
      ),
      (
        {
          $0["Box"]?.relationships[0].isOptional = false
          $0["Box"]?.relationships[0].minimumCount = 1
        }, .init(kind: .objectCount, entity: "Box", property: "things", count: 2)
      ),
      ({ $0["Tag"]?.isAbstract = true }, .init(kind: .abstractEntity, entity: "Tag", property: nil, count: 2)),
    ]
    for (change, condition) in cases {
      let folder = try TemporaryFolder()
      let path = try Self.store(in: folder)
      let error = #expect(throws: StoreMigrationError.self) {
        try StoreMigration.run(storeAt: path, from: Self.model(), to: Self.model(change))
      }
      guard case .conditions(_, let found)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(found == [condition])
      try Self.requireSound(path, Self.model())
    }
  }

  @Test("a store that others use is busy, in both journal modes, and one that may not be written is left alone")
  func inUse() throws {
    for mode in ["WAL", "DELETE"] {
      let folder = try TemporaryFolder()
      let path = try Self.store(in: folder)
      let other = try Connection(path: path)
      _ = try other.string("PRAGMA journal_mode = \(mode)")
      try other.begin(.immediate)
      var options = StoreMigration.Options()
      options.busyTimeoutMilliseconds = 10
      let newer = try Self.model { $0["Tag"] = nil }
      let error = #expect(throws: StoreError.self) {
        try StoreMigration.run(storeAt: path, from: Self.model(), to: newer, options: options)
      }
      guard case .busy? = error else {
        Issue.record("\(mode): \(String(describing: error))")
        return
      }
      try other.rollback()
      try other.close()
      _ = try StoreMigration.run(storeAt: path, from: Self.model(), to: newer, options: options)
      try Self.requireSound(path, newer)
    }
  }
}
