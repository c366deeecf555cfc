import Foundation
import ObjectModel
import SQLite
import TestQueries
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// Derived attributes that keep their expression while what it reads changes.
@Suite("Migration of derived attributes")
struct DerivedMigrationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let older: [EntityDefinition]
    let newer: [EntityDefinition]
    let sql: String
    let query: String
    let rows: [String]
    var testDescription: String { name }
  }

  private static func entity(
    _ name: String, _ attributes: [AttributeDefinition], _ relationships: [RelationshipDefinition] = []
  ) -> EntityDefinition {
    var entity = EntityDefinition(name)
    entity.attributes = attributes
    entity.relationships = relationships
    return entity
  }

  private static func text(_ name: String, was: String? = nil, default value: String? = nil) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, .string)
    attribute.renamingIdentifier = was
    if let value {
      attribute.isOptional = false
      attribute.defaultValue = .string(value)
    }
    return attribute
  }

  private static func derived(
    _ name: String, _ expression: String, _ type: AttributeType = .string, was: String? = nil
  ) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, type)
    attribute.derivation = .init(expression: expression)
    attribute.renamingIdentifier = was
    return attribute
  }

  private static func list(_ name: String, _ inverse: String, was: String? = nil) -> RelationshipDefinition {
    var relationship = RelationshipDefinition(name, toMany: "Part", inverse: inverse)
    relationship.renamingIdentifier = was
    return relationship
  }

  private static func count(_ lists: [RelationshipDefinition], _ i: String, _ j: String) -> [EntityDefinition] {
    [
      entity("Item", [text("n"), derived("u", "p.@count", .integer64)], lists),
      entity(
        "Part", [text("n")],
        [
          RelationshipDefinition("i", toOne: "Item", inverse: i),
          RelationshipDefinition("j", toOne: "Item", inverse: j),
        ]),
    ]
  }

  private static let upper = derived("u", "uppercase:(a)")
  private static let values = "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZU) VALUES (1, 1, 1, 'a', 'b', 'A')"

  static let cases = [
    Case(
      name: "a source gets its default", older: [entity("Item", [text("a"), upper])],
      newer: [entity("Item", [text("a", default: "none"), upper])],
      sql: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)", query: "SELECT ZA, ZU FROM ZITEM",
      rows: ["none|NONE"]),
    Case(
      name: "a source changes its name with another attribute",
      older: [entity("Item", [text("a"), text("b"), upper])],
      newer: [entity("Item", [text("b", was: "a"), text("a", was: "b"), upper])], sql: values,
      query: "SELECT ZA, ZB, ZU FROM ZITEM", rows: ["b|a|B"]),
    Case(
      name: "a source's name goes to another attribute", older: [entity("Item", [text("a"), text("b"), upper])],
      newer: [entity("Item", [text("c", was: "a"), text("a", was: "b"), upper])], sql: values,
      query: "SELECT ZC, ZA, ZU FROM ZITEM", rows: ["a|b|B"]),
    Case(
      name: "one is derived from a derived one that changes",
      older: [entity("Item", [text("a"), text("b"), upper, derived("v", "lowercase:(u)")])],
      newer: [entity("Item", [text("a"), text("b"), derived("u", "uppercase:(b)"), derived("v", "lowercase:(u)")])],
      sql: values + "; UPDATE ZITEM SET ZV = 'a'", query: "SELECT ZU, ZV FROM ZITEM", rows: ["B|b"]),
    Case(
      name: "a time of now() has another name", older: [entity("Item", [text("a"), derived("t", "now()", .date)])],
      newer: [entity("Item", [text("a"), derived("z", "now()", .date, was: "t"), text("b")])],
      sql: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZT) VALUES (1, 1, 1, 5)", query: "SELECT ZZ = 5 FROM ZITEM",
      rows: ["1"]),
    Case(
      name: "lists that are counted change their names", older: count([list("p", "i"), list("q", "j")], "p", "q"),
      newer: count([list("q", "i", was: "p"), list("p", "j", was: "q")], "q", "p"),
      sql: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZU) VALUES (1, 1, 1, 2); "
        + "INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZI, ZJ) VALUES (1, 2, 1, 1, 1), (2, 2, 1, 1, NULL)",
      query: "SELECT ZU FROM ZITEM", rows: ["1"]),
  ]

  @Test("its value is that of what it is derived from then", arguments: cases, [false, true])
  func migrates(test: Case, byPages: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("derived.sqlite")
    let (older, newer) = (
      try ManagedObjectModel(entities: test.older), try ManagedObjectModel(entities: test.newer)
    )
    try SQLiteStore.create(path: path, model: older).close()
    let connection = try Connection(path: path)
    try connection.set(.triggers, false)
    try connection.execute(test.sql + "; UPDATE Z_PRIMARYKEY SET Z_MAX = 9")
    try connection.close()
    var options = StoreMigration.Options()
    options.pageUse = byPages ? .always : .never
    _ = try StoreMigration.run(storeAt: path, from: older, to: newer, options: options)
    #expect(try Connection.rows(at: path, test.query) == test.rows)
    let report = try StoreChecker.check(path: path, model: newer)
    #expect(report.isCompatible && report.findings.isEmpty, "\(report.findings)")
  }

  private static let twice =
    "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 1, 1, 'x'), (2, 1, 1, 'X'), (3, 1, 1, 'y')"

  /// Models, rows, and what is there more than once under the constraint of the newer.
  private static let unique: [(older: [EntityDefinition], newer: [EntityDefinition], sql: String, example: String)] =
    [
      (
        [entity("Item", [text("a")])], [constrained(entity("Item", [text("a"), upper]))], twice, "X"
      ),
      (
        [constrained(entity("Item", [text("a"), text("b"), upper]))],
        [constrained(entity("Item", [text("a", was: "b"), text("b", was: "a"), upper]))],
        "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZU) VALUES (1, 1, 1, 'x', 'q', 'X'), (2, 1, 1, 'y', 'q', 'Y')",
        "Q"
      ),
      (
        [constrained(entity("Item", [text("a"), upper]))],
        [constrained(entity("Item", [text("a", default: "none"), upper]))],
        "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1)", "NONE"
      ),
    ]

  private static func constrained(_ entity: EntityDefinition) -> EntityDefinition {
    var entity = entity
    entity.uniquenessConstraints = [["u"]]
    return entity
  }

  @Test("values that are derived are duplicates as others are", arguments: unique.indices, [false, true])
  func duplicates(index: Int, byPages: Bool) throws {
    let test = Self.unique[index]
    let (older, newer) = (
      try ManagedObjectModel(entities: test.older), try ManagedObjectModel(entities: test.newer)
    )
    for policy in StoreMigration.DuplicatePolicy.allCases {
      let folder = try TemporaryFolder()
      let path = folder.path("derived.sqlite")
      try SQLiteStore.create(path: path, model: older).close()
      let connection = try Connection(path: path)
      try connection.set(.triggers, false)
      try connection.execute(test.sql + "; UPDATE Z_PRIMARYKEY SET Z_MAX = 9")
      try connection.close()
      #expect(try !StoreMigration.plan(storeAt: path, from: older, to: newer).isComplete)
      var options = StoreMigration.Options()
      options.pageUse = byPages ? .always : .never
      options.duplicates = policy
      do {
        let report = try StoreMigration.run(storeAt: path, from: older, to: newer, options: options)
        #expect(policy != .refuse && report.removedDuplicates == ["Item": 1])
        let key = policy == .keepLast ? "max(Z_PK)" : "min(Z_PK)"
        #expect(
          try Connection.rows(at: path, "SELECT \(key) FROM ZITEM WHERE ZU = '\(test.example)'")
            == [policy == .keepLast ? "2" : "1"])
        let check = try StoreChecker.check(path: path, model: newer)
        #expect(check.isCompatible && check.findings.isEmpty && check.remarks.isEmpty, "\(check.findings)")
      } catch StoreMigrationError.conditions(_, let conditions) {
        #expect(policy == .refuse && conditions.map(\.examples) == [[test.example]], "\(conditions)")
        #expect(try StoreChecker.check(path: path, model: older).findings.isEmpty)
      }
    }
  }

  @Test("values of an attribute that becomes derived are told as lost")
  func loss() throws {
    let older = try ManagedObjectModel(entities: [Self.entity("Item", [Self.text("a"), Self.text("u")])])
    let newer = try ManagedObjectModel(entities: [Self.entity("Item", [Self.text("a"), Self.upper])])
    #expect(older.lightweightMigration(to: newer).losses.map(\.description) == ["Item.u: derived now, its values go"])
    #expect(newer.lightweightMigration(to: older).losses.isEmpty)
  }
}
