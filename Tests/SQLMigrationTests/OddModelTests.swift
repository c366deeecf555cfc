import Foundation
import ObjectModel
import SQLite
import TestMigrations
import TestQueries
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// Models that are rare and allowed: each is migrated with generated objects, and compared with what it has to become.
@Suite("Migration of odd models")
struct OddModelTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let older: [EntityDefinition]
    let newer: [EntityDefinition]
    /// What is done to the store after it was filled.
    var sql = ""
    /// What a query gives afterwards.
    var query = ""
    var rows: [String] = []
    var configurations: [[String: [String]]] = [[:], [:]]
    var testDescription: String { name }
  }

  private static func entity(
    _ name: String, _ attributes: [AttributeDefinition] = [], _ relationships: [RelationshipDefinition] = [],
    parent: String? = nil, abstract: Bool = false, was: String? = nil
  ) -> EntityDefinition {
    var entity = EntityDefinition(name)
    entity.attributes = attributes
    entity.relationships = relationships
    entity.superentityName = parent
    entity.isAbstract = abstract
    entity.renamingIdentifier = was
    return entity
  }

  private static func text(_ name: String, was: String? = nil) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, .string)
    attribute.renamingIdentifier = was
    return attribute
  }

  private static func number(_ name: String, _ type: AttributeType = .integer32, was: String? = nil)
    -> AttributeDefinition
  {
    var attribute = AttributeDefinition(name, type)
    attribute.renamingIdentifier = was
    return attribute
  }

  private static func toOne(_ name: String, _ other: String, _ inverse: String?, was: String? = nil)
    -> RelationshipDefinition
  {
    var relationship = RelationshipDefinition(name, toOne: other, inverse: inverse)
    relationship.renamingIdentifier = was
    return relationship
  }

  private static let names = [
    Case(
      name: "SQL's words as names, renamed to others",
      older: [
        entity(
          "Select", [text("order"), text("group"), text("where")], [toOne("from", "Table", "references")]),
        entity("Table", [text("index")], [.init("references", toMany: "Select", inverse: "from")]),
      ],
      newer: [
        entity(
          "Update", [text("values", was: "order"), text("group"), text("default")],
          [toOne("from", "Table", "references")], was: "Select"),
        entity("Table", [text("index"), text("primary")], [.init("references", toMany: "Update", inverse: "from")]),
      ],
      sql: "UPDATE ZSELECT SET ZORDER = 'o', ZGROUP = 'g'",
      query: "SELECT DISTINCT ZVALUES, ZGROUP, count(ZFROM) FROM ZUPDATE", rows: ["o|g|6"]),
    Case(
      name: "properties that differ by case",
      older: [entity("Item", [text("name"), text("Name")])],
      newer: [entity("Item", [text("NAME", was: "name"), text("Name"), text("nAme")])]),
    Case(
      name: "names with the marks of other columns",
      older: [entity("Z", [text("pk"), text("_ent"), text("opt_")])],
      newer: [entity("Z", [text("pk_", was: "pk"), text("_ent"), text("opt_"), text("Z_PK")])]),
    Case(
      name: "very long names",
      older: [entity("L" + String(repeating: "o", count: 300), [text("a" + String(repeating: "b", count: 300))])],
      newer: [
        entity(
          "L" + String(repeating: "o", count: 300),
          [text("a" + String(repeating: "b", count: 300)), text("a" + String(repeating: "b", count: 299))])
      ]),
  ]

  private static let renames = [
    Case(
      name: "two attributes that change names", older: [entity("Thing", [text("a"), number("b")])],
      newer: [entity("Thing", [number("a", was: "b"), text("b", was: "a")])],
      sql: "UPDATE ZTHING SET ZA = 'a', ZB = 2", query: "SELECT DISTINCT ZA, ZB FROM ZTHING", rows: ["2|a"]),
    Case(
      name: "three attributes in a ring",
      older: [entity("Thing", [text("a"), number("b"), number("c", .integer64)])],
      newer: [
        entity("Thing", [number("a", .integer64, was: "c"), text("b", was: "a"), number("c", was: "b")])
      ],
      sql: "UPDATE ZTHING SET ZA = 'a', ZB = 2, ZC = 3", query: "SELECT DISTINCT ZA, ZB, ZC FROM ZTHING",
      rows: ["3|a|2"]),
    Case(
      name: "a name that is given on, and taken by a new attribute", older: [entity("Thing", [text("a")])],
      newer: [entity("Thing", [text("b", was: "a"), text("a", was: "nothing")])],
      sql: "UPDATE ZTHING SET ZA = 'a'", query: "SELECT DISTINCT ZA, ZB FROM ZTHING", rows: ["∅|a"]),
    Case(
      name: "two entities that change names", older: [entity("A", [text("x")]), entity("B", [text("y")])],
      newer: [entity("A", [text("y")], was: "B"), entity("B", [text("x")], was: "A")],
      sql: "UPDATE ZA SET ZX = 'x'; UPDATE ZB SET ZY = 'y'",
      query: "SELECT DISTINCT ZX, (SELECT min(ZY) FROM ZA) FROM ZB", rows: ["x|y"]),
    Case(
      name: "two entities of one hierarchy that change names",
      older: [entity("P", [text("x")]), entity("A", [text("a")], parent: "P"), entity("B", [text("b")], parent: "P")],
      newer: [
        entity("P", [text("x")]), entity("A", [text("b")], parent: "P", was: "B"),
        entity("B", [text("a")], parent: "P", was: "A"),
      ],
      sql: "UPDATE ZP SET ZA = 'a' WHERE Z_ENT = 2; UPDATE ZP SET ZB = 'b' WHERE Z_ENT = 3",
      // In the order of names, A is 2 and B is 3, before and after.
      query: "SELECT DISTINCT Z_ENT, ZA, ZB FROM ZP ORDER BY Z_ENT", rows: ["1|∅|∅", "2|∅|b", "3|a|∅"]),
    Case(
      name: "two relationships that change names",
      older: [
        entity("Node", [], [toOne("left", "Leaf", "lefts"), toOne("right", "Leaf", "rights")]),
        entity(
          "Leaf", [],
          [.init("lefts", toMany: "Node", inverse: "left"), .init("rights", toMany: "Node", inverse: "right")]),
      ],
      newer: [
        entity(
          "Node", [],
          [toOne("left", "Leaf", "rights", was: "right"), toOne("right", "Leaf", "lefts", was: "left")]),
        entity(
          "Leaf", [],
          [.init("lefts", toMany: "Node", inverse: "right"), .init("rights", toMany: "Node", inverse: "left")]),
      ],
      sql: "UPDATE ZNODE SET ZLEFT = 1, ZRIGHT = 2", query: "SELECT DISTINCT ZLEFT, ZRIGHT FROM ZNODE", rows: ["2|1"]),
  ]

  private static let shapes: [Case] = {
    let levels = (0..<12).map { level in
      entity("Level\(level)", [text("a\(level)")], parent: level == 0 ? nil : "Level\(level - 1)")
    }
    var short = levels
    // The one in the middle goes, and its attribute moves to its children.
    short.remove(at: 6)
    short[6].superentityName = "Level5"
    short[6].attributes.append(text("a6"))
    var composite = AttributeDefinition("place", .composite)
    composite.composite = .init(name: "Place", elements: [text("street"), AttributeDefinition("number", .integer32)])
    var fetched = entity("Reader", [text("name")])
    fetched.fetchedProperties = [
      FetchedPropertyDefinition(
        "namesakes",
        fetchRequest: FetchRequestTemplate(
          "namesakes", entityName: "Reader", predicate: "name == $FETCH_SOURCE.name"))
    ]
    var fetchedLater = fetched
    fetchedLater.attributes.append(text("nick"))
    fetchedLater.fetchedProperties = []
    return [
      Case(
        name: "an entity without properties, which gets some and loses them",
        older: [entity("Empty"), entity("Full", [text("a")])],
        newer: [entity("Empty", [text("a")]), entity("Full")], query: "SELECT count(*) FROM ZFULL", rows: ["6"]),
      Case(
        name: "a hierarchy of nothing but abstract entities, and one that is not",
        older: [
          entity("Base", [text("a")], abstract: true), entity("Middle", [text("b")], parent: "Base", abstract: true),
          entity("Other", [text("x")]),
        ],
        newer: [
          entity("Base", [text("a")], abstract: true), entity("Middle", [text("b")], parent: "Base", abstract: true),
          entity("Bottom", [text("c")], parent: "Middle"), entity("Other", [text("x")]),
        ],
        query: "SELECT count(*) FROM ZBASE", rows: ["0"]),
      Case(
        name: "twelve levels, of which one goes", older: levels, newer: short,
        sql: "UPDATE ZLEVEL0 SET ZA6 = 'kept' WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Level7')",
        query: "SELECT count(*) FROM ZLEVEL0 WHERE ZA6 = 'kept'", rows: ["6"]),
      Case(
        name: "relationships to the own entity, with and without inverse",
        older: [
          entity(
            "Node", [text("name")],
            [
              toOne("parent", "Node", "children"), .init("children", toMany: "Node", inverse: "parent"),
              toOne("next", "Node", nil), .init("friends", toMany: "Node", inverse: "friends"),
            ])
        ],
        newer: [
          entity(
            "Node", [text("name"), text("note")],
            [
              toOne("above", "Node", "below", was: "parent"),
              {
                var below = RelationshipDefinition("below", toMany: "Node", inverse: "above")
                below.renamingIdentifier = "children"
                return below
              }(), toOne("next", "Node", nil), .init("friends", toMany: "Node", inverse: "friends"),
            ])
        ],
        sql: "UPDATE ZNODE SET ZPARENT = 1, ZNEXT = 2", query: "SELECT DISTINCT ZABOVE, ZNEXT FROM ZNODE", rows: ["1|2"]
      ),
      Case(
        name: "composite attributes", older: [entity("Shop", [text("name"), composite])],
        newer: [entity("Shop", [text("name"), text("note"), composite])]),
      Case(name: "fetched properties", older: [fetched], newer: [fetchedLater]),
      Case(
        name: "configurations that come and go", older: [entity("A", [text("x")]), entity("B", [text("y")])],
        newer: [entity("A", [text("x"), text("z")]), entity("B", [text("y")])],
        query: "SELECT count(*) FROM ZA", rows: ["6"],
        configurations: [["One": ["A"], "Two": ["A", "B"]], ["Two": ["B"], "Three": ["A"]]]),
    ]
  }()

  @Test(
    "its objects are there afterwards, in the schema of a new store", arguments: names + renames + shapes)
  func migrates(odd: Case) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("odd.sqlite")
    let older = try ManagedObjectModel(entities: odd.older, configurations: odd.configurations[0])
    let newer = try ManagedObjectModel(entities: odd.newer, configurations: odd.configurations[1])
    try GeneratedObjects.fill(path, older)
    if !odd.sql.isEmpty {
      let connection = try Connection(path: path)
      try connection.execute(odd.sql)
      try connection.close()
    }
    let before = try StoreChecker.check(path: path, model: older)
    #expect(before.findings.isEmpty)
    let mapping = try older.inferredMappingModel(to: newer)
    let report = try StoreMigration.run(storeAt: path, from: older, to: newer, mapping: mapping)
    let after = try StoreChecker.check(path: path, model: newer)
    #expect(after.isCompatible && after.findings.isEmpty, "\(after.findings)")
    let gone = report.plan.entities.filter { $0.destination == nil }.compactMap(\.source)
    let kept = before.rowCounts.filter { !gone.contains($0.key) }.values.reduce(0, +)
    #expect(after.rowCounts.values.reduce(0, +) == kept)
    if !odd.query.isEmpty {
      let found = try Connection.rows(at: path, odd.query)
      #expect(found == odd.rows, "\(report.plan)")
    }
    let fresh = folder.path("fresh.sqlite")
    try SQLiteStore.create(path: fresh, model: newer).close()
    let appended = Dictionary(
      report.plan.tables.map { ($0.name, $0.appendedColumns) }, uniquingKeysWith: { first, _ in first })
    #expect(try SchemaText(path: path).difference(from: SchemaText(path: fresh), appended: appended) == nil)
  }
}
