import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("layout against stores of Apple's", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct FixtureLayoutTests {
  @Test("entity numbers are those of the store", arguments: Fixtures.pairedStorePaths)
  func numbers(store: String) throws {
    let model = try Fixtures.model(of: store)
    let layout = StoreLayout(model: model)
    let numbers = try Fixtures.expected(store).numbers
    // A renamed entity keeps its old name in the table: only the model's names are compared.
    let entities = model.entities.filter { numbers[$0.name] != nil }
    #expect(entities.count >= model.entities.count - 1 && !entities.isEmpty)
    for entity in entities { #expect(layout.number(of: entity) == numbers[entity.name]) }
  }

  @Test("Apple's triggers and history run when rows are written")
  func libraryWrites() throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy("stores/coredataplus/SampleModel2_V1.sqlite", to: folder)
    let model = try #require(try Fixtures.cachedModel(of: path))
    var options = SQLiteStore.Options()
    options.checksVersionHashes = false
    let store = try SQLiteStore.open(path: path, model: model, options: options)
    let page = try model.required("Page")
    let key = try store.reservePrimaryKeys(1, for: page)
    #expect(key == 4_971)
    try store.insert(makeBatch(page, [.init(.toOne("book"), .integer)], [[.integer(1)]]), keys: [key])
    try store.close()
    let connection = try Connection(path: path)
    let counted = try connection.integer("SELECT count(*) FROM ZPAGE WHERE ZBOOK = 1")
    #expect(try connection.integer("SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = 1") == counted)
    #expect(
      try connection.integer("SELECT Z1_BOOK = (SELECT Z_ENT FROM ZBOOK WHERE Z_PK = 1) FROM ZPAGE WHERE Z_PK = 4971")
        == 1)
    #expect(try connection.integer("SELECT count(*) FROM ACHANGE WHERE ZENTITYPK = 4971 AND ZENTITY = 4") == 1)
    #expect(try connection.string("PRAGMA integrity_check") == "ok")
  }
}
