import ObjectModel
import SQLite
import TestQueries
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// Objects whose optional composite has no value, and what its mandatory elements ask of them.
@Suite("Migration of optional composites")
struct CompositeMigrationTests {
  /// A thing with a composite of x, which is mandatory, and y.
  private static func model(
    entity: String = "Thing", key: String = "k", more: Bool = false, isOptional: Bool = true,
    _ change: (inout [AttributeDefinition]) -> Void = { _ in }
  ) throws -> ManagedObjectModel {
    var elements = [AttributeDefinition("x", .integer32), AttributeDefinition("y", .integer32)]
    elements[0].isOptional = false
    change(&elements)
    var composite = AttributeDefinition("c", .composite)
    composite.composite = .init(name: "P", elements: elements)
    composite.isOptional = isOptional
    var text = AttributeDefinition(key, .string)
    text.renamingIdentifier = "k"
    var thing = EntityDefinition(entity)
    thing.renamingIdentifier = "Thing"
    thing.attributes = [text, composite] + (more ? [AttributeDefinition("n", .integer32)] : [])
    return try ManagedObjectModel(entities: [thing])
  }

  /// A store of three things: without a composite, with x and y, and with x alone.
  private static func store(in folder: TemporaryFolder) throws -> String {
    let path = folder.path("Things.sqlite")
    try SQLiteStore.create(path: path, model: try model()).close()
    let connection = try Connection(path: path)
    try connection.execute(
      """
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZK, ZX, ZY) VALUES
        (1, 1, 1, 'a', NULL, NULL), (2, 1, 1, 'b', 1, 2), (3, 1, 1, 'c', 3, NULL);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 3;
      """)
    try connection.close()
    return path
  }

  @Test("an object without the composite is no obstacle to a change of something else")
  func otherChanges() throws {
    let cases: [(String, ManagedObjectModel)] = [
      ("an attribute more", try Self.model(more: true)), ("another name of the entity", try Self.model(entity: "Item")),
      ("another name of an attribute", try Self.model(key: "key")),
      (
        "an element that may be null now",
        try Self.model(more: true) { $0[0].isOptional = true }
      ),
      ("a default for the other element", try Self.model(more: true) { $0[1].defaultValue = .integer(7) }),
    ]
    for (name, newer) in cases {
      let folder = try TemporaryFolder()
      let path = try Self.store(in: folder)
      _ = try StoreMigration.run(storeAt: path, from: Self.model(), to: newer)
      let table = newer.entities[0].name.uppercased()
      #expect(
        try Connection.rows(at: path, "SELECT Z_PK, ZX, ZY FROM Z\(table) ORDER BY 1") == ["1|∅|∅", "2|1|2", "3|3|∅"],
        "\(name)")
      let report = try StoreChecker.check(path: path, model: newer)
      #expect(report.isSound && report.remarks.isEmpty, "\(name): \(report.findings) \(report.remarks)")
    }
  }

  @Test("a default that makes a composite of nothing is refused where another element must have a value then")
  func defaults() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let newer = try Self.model {
      $0[1].isOptional = false
      $0[1].defaultValue = .integer(7)
    }
    let error = #expect(throws: StoreMigrationError.self) {
      try StoreMigration.run(storeAt: path, from: Self.model(), to: newer)
    }
    guard case .conditions(_, let found)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found == [.init(kind: .missingValue, entity: "Thing", property: "c.x", count: 1)])
  }
}
