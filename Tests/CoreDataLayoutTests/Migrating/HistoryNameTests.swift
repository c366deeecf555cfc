import CoreDataLayout
import ObjectModel
import SQLite
import StoreInterface
import TestSupport
import Testing

/// Names of changed properties in the history of a store that is migrated.
@Suite("Changed properties in a migrated history")
struct HistoryNameTests {
  @Test("follow their properties, also where a new one has the name of an older")
  func names() throws {
    let folder = try TemporaryFolder()
    var item = EntityDescription("Item")
    item.attributes = [.init("a", .string)]
    let older = try ManagedObjectModel(entities: [item])
    var renamed = AttributeDescription("b", .string)
    renamed.renamingIdentifier = "a"
    var fresh = AttributeDescription("a", .string)
    fresh.renamingIdentifier = "new"
    item.attributes = [fresh, renamed]
    let newer = try ManagedObjectModel(entities: [item])

    var options = SQLiteStore.Options()
    options.tracksHistory = true
    options.historyTimestamp = 5
    let path = folder.path("Shop.sqlite")
    let store = try SQLiteStore.create(path: path, model: older, options: options)
    try store.insert(
      makeBatch(try older.entity("Item"), [.init(.attribute("a"), .bytes)], [[.text("x")]]), keys: [1])
    try store.close()
    let connection = try Connection(path: path)
    try connection.execute("UPDATE ACHANGE SET ZCHANGETYPE = 1, ZCOLUMNS = x'80'")
    try connection.close()
    #expect(try Self.properties(path, older) == [["a"]])
    _ = try StoreMigration.run(storeAt: path, from: older, to: newer)
    #expect(try Self.properties(path, newer) == [["b"]])
  }

  private static func properties(_ path: String, _ model: ManagedObjectModel) throws -> [Set<String>?] {
    let store = try SQLiteStore.open(path: path, model: model)
    defer { try? store.close() }
    return try store.history(PersistentHistoryQuery()).flatMap { ($0.changes ?? []).map(\.updatedProperties) }
  }
}
