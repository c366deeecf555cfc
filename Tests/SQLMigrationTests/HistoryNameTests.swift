import CoreDataLayout
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@testable import SQLMigration

/// Names of changed properties in the history of a store that is migrated.
@Suite("Changed properties in a migrated history")
struct HistoryNameTests {
  /// A store with one change in its history, of the columns whose bits a mask has.
  private static func store(_ folder: TemporaryFolder, _ model: ManagedObjectModel, mask: String) throws -> String {
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    options.historyTimestamp = 5
    let path = folder.path("Shop.sqlite")
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    let item = try model.required("Item")
    let name = try #require(item.attributes.first?.name)
    try store.insert(makeBatch(item, [.init(.attribute(name), .bytes)], [[.text("x")]]), keys: [1])
    try store.close()
    let connection = try Connection(path: path)
    try connection.execute("UPDATE ACHANGE SET ZCHANGETYPE = 1, ZCOLUMNS = x'\(mask)'")
    try connection.close()
    return path
  }

  @Test("follow their properties, also where new ones have the names of older")
  func names() throws {
    let folder = try TemporaryFolder()
    // So many that a rule which takes a name for its own source, in whatever order, is found out.
    let letters = (0..<24).map { String(UnicodeScalar(UInt8(97 + $0))) }
    var item = EntityDefinition("Item")
    item.attributes = letters.map { .init($0, .string) }
    let older = try ManagedObjectModel(entities: [item])
    item.attributes = letters.flatMap { letter in
      var renamed = AttributeDefinition(letter + "2", .string)
      renamed.renamingIdentifier = letter
      var fresh = AttributeDefinition(letter, .string)
      fresh.renamingIdentifier = "new " + letter
      return [fresh, renamed]
    }
    let newer = try ManagedObjectModel(entities: [item])
    let path = try Self.store(folder, older, mask: "AAAAAA")
    let changed = letters.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    #expect(try Self.properties(path, older) == [Set(changed)])
    _ = try StoreMigration.run(storeAt: path, from: older, to: newer)
    #expect(try Self.properties(path, newer) == [Set(changed.map { $0 + "2" })])
  }

  @Test("are no new ones where a column that said a reference's entity is gone")
  func entityColumn() throws {
    let folder = try TemporaryFolder()
    var item = EntityDefinition("Item")
    item.attributes = [.init("a", .string)]
    item.relationships = [RelationshipDefinition("r", toOne: "Place")]
    let place = EntityDefinition("Place")
    var town = EntityDefinition("Town")
    town.superentityName = "Place"
    let older = try ManagedObjectModel(entities: [item, place, town])
    // Its bit comes behind those of all others, where the column's was.
    item.attributes.append(.init("z", .string))
    let newer = try ManagedObjectModel(entities: [item, place])
    let path = try Self.store(folder, older, mask: "60")
    #expect(try Self.properties(path, older) == [["r"]])
    _ = try StoreMigration.run(storeAt: path, from: older, to: newer)
    #expect(try Self.properties(path, newer) == [["r"]])
  }

  private static func properties(_ path: String, _ model: ManagedObjectModel) throws -> [Set<String>?] {
    let store = try SQLiteStore.open(path: path, model: model)
    defer { try? store.close() }
    return try store.history(PersistentHistoryQuery()).flatMap { ($0.changes ?? []).map(\.updatedPropertyNames) }
  }
}
