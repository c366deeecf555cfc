import ObjectModel
import SQLite
import TestSupport
import Testing

@testable import CoreDataLayout

/// Two sub-entities whose relationships have one name: each has columns of its own in the table that they share.
@Suite("Check of relationships of one name")
struct SameNameTests {
  private static func model() throws -> ManagedObjectModel {
    func entity(_ name: String, _ parent: String?, _ relationships: RelationshipDefinition...) -> EntityDefinition {
      var entity = EntityDefinition(name)
      entity.superentityName = parent
      entity.relationships = relationships
      return entity
    }
    return try ManagedObjectModel(entities: [
      entity("D1", nil, RelationshipDefinition("all", toMany: "PA", inverse: "r", ordered: true)),
      entity("D1s", "D1"),
      entity("D2", nil, RelationshipDefinition("all", toMany: "PB", inverse: "r", ordered: true)),
      entity("D2s", "D2"),
      entity("P", nil),
      entity("PA", "P", RelationshipDefinition("r", toOne: "D1", inverse: "all")),
      entity("PB", "P", RelationshipDefinition("r", toOne: "D2", inverse: "all")),
    ])
  }

  /// A store with an object of each, in which a statement was run.
  private func findings(_ forgery: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    let model = try Self.model()
    let store = try SQLiteStore.create(path: path, model: model)
    let layout = StoreLayout(model: model)
    try store.seal()
    let connection = try Connection(path: path)
    func number(_ entity: String) throws -> Int { layout.number(of: try #require(model[entity])) }
    try connection.execute(
      "INSERT INTO ZD1 (Z_PK, Z_ENT, Z_OPT) VALUES (1, \(try number("D1s")), 1);"
        + "INSERT INTO ZD2 (Z_PK, Z_ENT, Z_OPT) VALUES (1, \(try number("D2")), 1);"
        + "INSERT INTO ZP (Z_PK, Z_ENT, Z_OPT, ZR, Z1_R, Z_FOK_R) VALUES (1, \(try number("PA")), 1, 1, \(try number("D1s")), 2048);"
        + "INSERT INTO ZP (Z_PK, Z_ENT, Z_OPT, ZR1, Z3_R, Z_FOK_R1) VALUES (2, \(try number("PB")), 1, 1, \(try number("D2")), 2048);"
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2;" + forgery)
    try connection.close()
    return try StoreChecker.check(path: path, model: model).findings.map { "\($0.code) \($0.column ?? "")" }
  }

  @Test("a sound store has no finding")
  func sound() throws { #expect(try findings("") == []) }

  @Test(
    "what is missing is found at its own column",
    arguments: [
      ("UPDATE ZP SET Z1_R = NULL WHERE Z_PK = 1", "entityColumn Z1_R"),
      ("UPDATE ZP SET Z3_R = NULL WHERE Z_PK = 2", "entityColumn Z3_R"),
      ("UPDATE ZP SET Z_FOK_R1 = NULL WHERE Z_PK = 2", "orderKey Z_FOK_R1"),
      ("DELETE FROM ZP WHERE Z_PK = 1; UPDATE ZP SET Z3_R = NULL", "entityColumn Z3_R"),
    ])
  func forged(sql: String, finding: String) throws { #expect(try findings(sql) == [finding]) }
}
