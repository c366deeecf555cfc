import ObjectModel
import SQLite
import TestQueries
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// Duplicates whose removal touches more than the objects themselves.
@Suite("Removal of duplicates")
struct DuplicateRemovalTests {
  typealias Change = @Sendable (inout [String: EntityDefinition]) -> Void

  /// Items in boxes; Parts are Items; a Label is on one Item.
  private static func model(_ change: Change = { _ in }) throws -> ManagedObjectModel {
    var item = EntityDefinition("Item")
    item.attributes = [.init("code", .string), .init("serial", .string)]
    item.relationships = [
      .init("box", toOne: "Box", inverse: "items"), .init("label", toOne: "Label", inverse: "item"),
    ]
    var part = EntityDefinition("Part")
    part.superentityName = "Item"
    part.relationships = [.init("machine", toOne: "Machine", inverse: "parts")]
    var box = EntityDefinition("Box")
    box.attributes = [.init("name", .string)]
    box.relationships = [.init("items", toMany: "Item", inverse: "box")]
    var label = EntityDefinition("Label")
    label.relationships = [.init("item", toOne: "Item", inverse: "label")]
    var machine = EntityDefinition("Machine")
    machine.relationships = [.init("parts", toMany: "Part", inverse: "machine")]
    var list = ["Item": item, "Part": part, "Box": box, "Label": label, "Machine": machine]
    change(&list)
    return try ManagedObjectModel(entities: Array(list.values))
  }

  /// Makes a store, migrates it, and says how it ended.
  private func migrate(
    from older: Change = { _ in }, to newer: Change, _ policy: StoreMigration.DuplicatePolicy, _ sql: String,
    in folder: TemporaryFolder
  ) throws -> [MigrationCondition] {
    let path = folder.path("Items.sqlite")
    let model = try Self.model(older)
    let store = try SQLiteStore.create(path: path, model: model)
    try store.close()
    let connection = try Connection(path: path)
    try TriggerFunctions.register(on: connection)
    try connection.execute(sql)
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 9")
    try connection.close()
    var options = StoreMigration.Options()
    options.duplicates = policy
    do {
      let new = try Self.model(newer)
      _ = try StoreMigration.run(storeAt: path, from: model, to: new, options: options)
      let report = try StoreChecker.check(path: path, model: new)
      #expect(report.isSound && report.remarks.isEmpty, "\(report.findings) \(report.remarks)")
      return []
    } catch StoreMigrationError.conditions(_, let conditions) {
      // The store is what it was.
      let report = try StoreChecker.check(path: path, model: model)
      #expect(report.isSound && report.isCompatible, "\(report.findings)")
      return conditions
    }
  }

  // Entities are numbered by name, sub-entities behind their parents: Box 1, Item 2, Part 3, Label 4, Machine 5.
  private static let unique: Change = { $0["Item"]?.uniquenessConstraints = [["code"]] }

  @Test("references to sub-entities are kept from objects that are none")
  func subentities() throws {
    let folder = try TemporaryFolder()
    let many: Change = {
      $0["Machine"]?.relationships = [.init("parts", toMany: "Part", inverse: "machines")]
      $0["Part"]?.relationships = [.init("machines", toMany: "Machine", inverse: "parts")]
    }
    let layout = StoreLayout(model: try Self.model(many))
    let join = try #require(layout.joinTables.first)
    let (item, part, machine) = try (
      layout.number(of: #require(layout.model["Item"])), layout.number(of: #require(layout.model["Part"])),
      layout.number(of: #require(layout.model["Machine"]))
    )
    let isMaster = join.master.relationship.entity.name == "Part"
    let columns =
      isMaster
      ? [join.master.ownerColumn, join.master.memberColumn] : [join.master.memberColumn, join.master.ownerColumn]
    let conditions = try migrate(
      from: many,
      to: {
        many(&$0)
        Self.unique(&$0)
      }, .merge,
      """
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCODE) VALUES (1, \(item), 1, 'a'), (2, \(part), 1, 'a');
      INSERT INTO ZMACHINE (Z_PK, Z_ENT, Z_OPT) VALUES (1, \(machine), 1);
      INSERT INTO \(join.name) (\(columns.joined(separator: ", "))) VALUES (2, 1);
      """, in: folder)
    #expect(conditions.map(\.kind) == [.unresolvedDuplicates], "\(conditions)")
    #expect(conditions.first?.description.contains("points at objects that are no Part") == true, "\(conditions)")
  }

  @Test("an object that may have one partner does not come to be that of two")
  func partners() throws {
    let folder = try TemporaryFolder()
    let layout = StoreLayout(model: try Self.model())
    let (item, label) = try (
      layout.number(of: #require(layout.model["Item"])), layout.number(of: #require(layout.model["Label"]))
    )
    let sql = """
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCODE, ZLABEL) VALUES (1, \(item), 1, 'a', 1), (2, \(item), 1, 'a', 2);
      INSERT INTO ZLABEL (Z_PK, Z_ENT, Z_OPT, ZITEM, Z2_ITEM) VALUES (1, \(label), 1, 1, \(item)), (2, \(label), 1, 2, \(item));
      """
    let conditions = try migrate(to: Self.unique, .merge, sql, in: folder)
    #expect(conditions.map(\.kind) == [.unresolvedDuplicates], "\(conditions)")
    let second = try TemporaryFolder()
    #expect(try migrate(to: Self.unique, .keepFirst, sql, in: second).isEmpty)
    #expect(
      try Connection.rows(at: second.path("Items.sqlite"), "SELECT ZITEM FROM ZLABEL ORDER BY Z_PK") == ["1", "∅"])
  }

  @Test("members of merged owners are counted against the greatest number, and a mandatory list is not emptied")
  func counts() throws {
    let sql = """
      INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a'), (2, 1, 1, 'a'), (3, 1, 1, 'b');
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZBOX, ZCODE) VALUES (1, 2, 1, 1, 'p'), (2, 2, 1, 1, 'q'), (3, 2, 1, 2, 'r'), (4, 2, 1, 3, 'p');
      """
    let limited: Change = { $0["Box"]?.relationships[0].maximumCount = 2 }
    let conditions = try migrate(
      from: limited,
      to: {
        limited(&$0)
        $0["Box"]?.uniquenessConstraints = [["name"]]
      }, .merge, sql, in: try TemporaryFolder())
    #expect(conditions.map(\.kind) == [.unresolvedDuplicates], "\(conditions)")
    let mandatory: Change = { $0["Box"]?.relationships[0].isOptional = false }
    let emptied = try migrate(
      from: mandatory,
      to: {
        mandatory(&$0)
        Self.unique(&$0)
      }, .keepFirst, sql, in: try TemporaryFolder())
    #expect(emptied.map(\.kind) == [.unresolvedDuplicates], "\(emptied)")
    #expect(emptied.first?.description.contains("Box.items is mandatory and has no object") == true, "\(emptied)")
  }

  @Test("a merge that breaks another constraint is refused in words")
  func otherConstraint() throws {
    let older: Change = { $0["Item"]?.uniquenessConstraints = [["serial"]] }
    let conditions = try migrate(
      from: older, to: { $0["Item"]?.uniquenessConstraints = [["serial"], ["code"]] }, .merge,
      "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCODE, ZSERIAL) VALUES (1, 2, 1, 'a', NULL), (2, 2, 1, 'a', 'q');",
      in: try TemporaryFolder())
    #expect(conditions.map(\.kind) == [.unresolvedDuplicates], "\(conditions)")
    #expect(conditions.first?.description.contains("another uniqueness constraint") == true, "\(conditions)")
  }

  @Test("derived attributes follow", arguments: [StoreMigration.DuplicatePolicy.keepFirst, .keepLast, .merge])
  func derived(policy: StoreMigration.DuplicatePolicy) throws {
    let folder = try TemporaryFolder()
    let counting: Change = {
      var count = AttributeDefinition("count", .integer64)
      count.derivation = .init(expression: "items.@count")
      $0["Box"]?.attributes.append(count)
    }
    let conditions = try migrate(
      from: counting,
      to: {
        counting(&$0)
        Self.unique(&$0)
      }, policy,
      """
      INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZCOUNT) VALUES (1, 1, 1, 3);
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZBOX, ZCODE) VALUES (1, 2, 1, 1, 'p'), (2, 2, 1, 1, 'p'), (3, 2, 1, 1, 'q');
      """, in: folder)
    #expect(conditions.isEmpty)
    #expect(try Connection.rows(at: folder.path("Items.sqlite"), "SELECT ZCOUNT FROM ZBOX") == ["2"])
  }
}
