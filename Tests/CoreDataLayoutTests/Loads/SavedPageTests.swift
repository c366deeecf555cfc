import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestMigrations
import TestQueries
import TestRows
import TestStores
import TestSupport
import Testing

/// New objects that are saved while rows are written as finished pages, beside the same saves through SQLite.
@Suite("Saves of new objects as pages")
struct SavedPageTests {
  private static let options = SQLiteStore.Options.construction

  /// A random model without constraints, which random values would break.
  private func randomStores(_ random: inout SeededGenerator) throws -> RandomStores {
    try RandomStores(&random) { entities, _ in
      for index in entities.indices { entities[index].uniquenessConstraints = [] }
    }
  }

  private func id(_ entity: Entity, _ key: Int64) -> ObjectID {
    ObjectID(entity: entity, reference: .permanent(store: Self.options.uuid ?? "", primaryKey: key))
  }

  /// New objects of some entities with random values and destinations, and with the next keys of a store.
  private func request(
    _ entities: [Entity], _ stores: inout RandomStores, _ store: SQLiteStore, _ random: inout SeededGenerator
  ) throws -> SaveRequest {
    let objects = try entities.map { (entity: $0, key: try store.reservePrimaryKeys(1, for: $0)) }
    let links = RandomLinks(stores.model, objects, &random)
    var request = SaveRequest()
    for (entity, key) in objects {
      let end = RandomLinks.End(entity: entity, key: key)
      request.inserted.append(
        Snapshot(
          objectID: id(entity, key), version: 1, attributes: entity.attributes.map { stores.value($0) },
          toOne: entity.relationships.map { relationship in
            links.toOne[RandomLinks.Side(owner: end, name: relationship.name)].map { id($0.entity, $0.key) }
          }))
    }
    return request
  }

  /// All columns of all rows with their storage classes, by table.
  private func rows(_ path: String) throws -> [String: [String]] {
    let connection = try Connection(path: path, options: .init(isReadOnly: true))
    defer { try? connection.close() }
    #expect(try connection.rows(ofQuery: "PRAGMA integrity_check") == ["ok"])
    var rows: [String: [String]] = [:]
    for table in try connection.rows(
      ofQuery:
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'Z!_RT!_%' ESCAPE '!'")
    {
      let columns = try connection.rows(ofQuery: "SELECT name FROM pragma_table_xinfo('\(table)')")
        .map { "typeof(\"\($0)\") || ' ' || quote(\"\($0)\")" }.joined(separator: " || '|' || ")
      rows[table] = try connection.rows(ofQuery: "SELECT \(columns) FROM \"\(table)\" ORDER BY 1")
    }
    return rows
  }

  @Test("the rows are those that statements write", arguments: 1...20 as ClosedRange<UInt64>)
  func sameRows(seed: UInt64) throws {
    var found: [[String: [String]]] = []
    for loads in [false, true] {
      var random = SeededGenerator(seed: seed)
      var stores = try randomStores(&random)
      let path = stores.folder.path("pages.sqlite")
      let store = try SQLiteStore.create(path: path, model: stores.model, options: Self.options)
      if loads { #expect(try store.beginPageLoad(stores.model.entities)) }
      for _ in 0..<3 {
        let entities = stores.model.entities.filter { !$0.isAbstract }.flatMap {
          Array(repeating: $0, count: Int.random(in: 0...300, using: &random))
        }
        try store.save(try request(entities.shuffled(using: &random), &stores, store, &random))
      }
      #expect(store.isPageLoading == loads)
      try store.endPageLoad(memoryBudget: 1 << 16)
      try store.seal()
      let findings = try StoreChecker.check(path: path, model: stores.model).findings
      #expect(findings.isEmpty, "\(findings)")
      found.append(try rows(path))
    }
    for (table, rows) in found[0] {
      let differing = zip(rows, found[1][table] ?? []).filter { $0 != $1 }
      #expect(rows.count == found[1][table]?.count && differing.isEmpty, "\(table): \(differing.prefix(2))")
    }
  }

  @Test("a save that has to do with other rows ends the load first", arguments: 0..<3)
  func otherRows(kind: Int) throws {
    let folder = try TemporaryFolder()
    var item = EntityDefinition("Item")
    item.attributes = [.init("name", .string)]
    item.relationships = [.init("tags", toMany: "Tag", inverse: "items")]
    var tag = EntityDefinition("Tag")
    tag.relationships = [.init("items", toMany: "Item", inverse: "tags")]
    let model = try ManagedObjectModel(entities: [item, tag])
    let items = try model.required("Item")
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model, options: Self.options)
    #expect(try store.beginPageLoad([items]))
    func snapshot(_ entity: Entity, _ name: String = "") throws -> Snapshot {
      Snapshot(
        objectID: id(entity, try store.reservePrimaryKeys(1, for: entity)), version: 1,
        attributes: entity.attributes.map { _ in .string(name) }, toOne: [nil])
    }
    var request = SaveRequest()
    request.inserted = try ["a", "b", "c"].map { try snapshot(items, $0) }
    try store.save(request)
    #expect(store.isPageLoading)
    var other = SaveRequest()
    other.inserted = [try snapshot(items, "d")]
    switch kind {
    case 0:
      var changed = request.inserted[0]
      changed.attributes = [.string("z")]
      other.updated = [changed]
    case 1: other.deleted = [(request.inserted[1].objectID, 1)]
    default: other.inserted.append(try snapshot(try model.required("Tag")))
    }
    try store.save(other)
    #expect(!store.isPageLoading)
    try store.seal()
    let names = try Connection.rows(at: folder.path("a.sqlite"), "SELECT ZNAME FROM ZITEM ORDER BY Z_PK")
    #expect(names == [["z", "b", "c", "d"], ["a", "c", "d"], ["a", "b", "c", "d"]][kind])
    #expect(try StoreChecker.check(path: folder.path("a.sqlite"), model: model).findings.isEmpty)
  }

  @Test("a value that does not fit is refused as without pages", arguments: [false, true])
  func misfits(loads: Bool) throws {
    let folder = try TemporaryFolder()
    var item = EntityDefinition("Item")
    item.attributes = [.init("number", .integer32), .init("weight", .double), .init("price", .decimal)]
    let model = try ManagedObjectModel(entities: [item])
    let items = try model.required("Item")
    for values: [Value] in [
      [.string("a"), .null, .null], [.null, .double(.nan), .null], [.null, .null, .decimal(.nan)],
      [.null, .null, .string("5")],
    ] {
      let store = try SQLiteStore.create(
        path: folder.path("\(UUID()).sqlite"), model: model, options: Self.options)
      if loads { #expect(try store.beginPageLoad([items])) }
      var request = SaveRequest()
      request.inserted = [
        Snapshot(
          objectID: id(items, try store.reservePrimaryKeys(1, for: items)), version: 1,
          attributes: items.attributes.map {
            ["number": values[0], "weight": values[1], "price": values[2]][$0.name] ?? .null
          },
          toOne: [])
      ]
      #expect(throws: StoreError.self, "\(values)") { try store.save(request) }
      #expect(store.isPageLoading == loads)
    }
  }
}
