import Foundation
import ObjectModel
import SQLite
import SQLiteStore
import StoreInterface
import Testing

@Suite("layout against stores of Apple's", .enabled(if: Fixtures.areAvailable, "\(Fixtures.absenceReason)"))
struct FixtureLayoutTests {
  /// Stores of which some table was altered or renamed by a migration: their statements differ by history.
  static let migrated: Set<String> = ["stores/coredataplus/SampleModel_V2.sqlite"]

  private func schema(_ path: String, type: String) throws -> [String] {
    let connection = try Connection(path: path)
    let statement = try Statement(
      connection, "SELECT sql FROM sqlite_master WHERE type = ?1 AND sql IS NOT NULL AND name NOT LIKE 'A%'")
    try statement.bind(1, type)
    var result: [String] = []
    while try statement.step() { result.append(statement.string(at: 0) ?? "") }
    return result
  }

  @Test("every table is what Apple's framework made", arguments: Fixtures.pairedStorePaths)
  func tables(store: String) throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy(store, to: folder)
    let expected = try Fixtures.expected(store)
    let layout = StoreLayout(
      model: try Fixtures.model(of: store), generation: FrameworkGeneration(version: expected.frameworkVersion ?? 519))
    let bookkeeping = ["Z_PRIMARYKEY ", "Z_METADATA ", "Z_MODELCACHE "]
    let found = try schema(path, type: "table").filter { text in !bookkeeping.contains { text.contains($0) } }
    if Self.migrated.contains(store) {
      #expect(Set(found) == Set(layout.tableStatements))
    } else {
      #expect(found == layout.tableStatements)
    }
  }

  @Test("every index is one that Apple's framework made", arguments: Fixtures.pairedStorePaths)
  func indexes(store: String) throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy(store, to: folder)
    let expected = try Fixtures.expected(store)
    let layout = StoreLayout(
      model: try Fixtures.model(of: store),
      generation: FrameworkGeneration(version: expected.frameworkVersion ?? 519, repeatsSingleAttributeIndexes: true))
    let found = try Set(schema(path, type: "index"))
    let made = Set(layout.indexes.map(\.createStatement))
    #expect(found.subtracting(made).isEmpty)
    // Some frameworks make a one-attribute index under one name, some under another, some under both.
    func place(_ statement: String) -> Substring? { statement.range(of: " ON ").map { statement[$0.upperBound...] } }
    let places = Set(found.map { place($0) })
    #expect(made.subtracting(found).allSatisfy { places.contains(place($0)) })
  }

  @Test("entity numbers are those of the store", arguments: Fixtures.pairedStorePaths)
  func numbers(store: String) throws {
    let model = try Fixtures.model(of: store)
    let layout = StoreLayout(model: model)
    for (name, number) in try Fixtures.expected(store).numbers where number < 16_000 {
      // A renamed entity keeps its old name in the table: only the model's names are compared.
      guard let entity = model[name] else { continue }
      #expect(layout.number(of: entity) == number)
    }
  }

  /// The model of a store that only comes with a compiled cache, written anew from its schema.
  private func libraryModel() throws -> ManagedObjectModel {
    var book = EntityDescription("Book")
    var pagesCount = AttributeDescription("pagesCount", .integer64)
    pagesCount.derivation = .init(expression: "count:(pages)")
    book.attributes = [
      pagesCount, .init("publishedAt", .date), .init("price", .decimal), .init("title", .string),
      .init("uniqueID", .uuid), .init("cover", .transformable),
    ]
    book.relationships = [
      .init("author", toOne: "Author", inverse: "books"), .init("pages", toMany: "Page", inverse: "book"),
    ]
    book.uniquenessConstraints = [["uniqueID"]]
    var novel = EntityDescription("GraphicNovel")
    novel.superentityName = "Book"
    novel.attributes = [.init("isBlackAndWhite", .boolean)]
    var feedback = EntityDescription("Feedback")
    feedback.attributes = [
      .init("authorAlias", .string), .init("bookID", .uuid), .init("comment", .string), .init("rating", .double),
    ]
    var page = EntityDescription("Page")
    page.attributes = [.init("content", .binary), .init("isBookmarked", .boolean), .init("number", .integer32)]
    page.relationships = [.init("book", toOne: "Book", inverse: "pages")]
    var writer = EntityDescription("Writer")
    writer.attributes = [.init("age", .integer16)]
    var author = EntityDescription("Author")
    author.superentityName = "Writer"
    author.attributes = [.init("alias", .string), .init("siteURL", .uri)]
    author.relationships = [.init("books", toMany: "Book", inverse: "author")]
    author.uniquenessConstraints = [["alias"]]
    return try ManagedObjectModel(entities: [book, novel, feedback, page, writer, author])
  }

  @Test("triggers of a counted relationship, history tables and the rest of the schema are Apple's to the letter")
  func libraryStore() throws {
    let folder = try TemporaryFolder()
    let apples = try Fixtures.copy("stores/coredataplus/SampleModel2_V1.sqlite", to: folder)
    let model = try libraryModel()
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    try SQLiteStore.create(path: folder.path("ours.sqlite"), model: model, options: options).close()
    func everything(_ path: String) throws -> Set<String> {
      let connection = try Connection(path: path)
      let statement = try Statement(connection, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
      var result: Set<String> = []
      while try statement.step() { result.insert(statement.string(at: 0) ?? "") }
      return result
    }
    #expect(try everything(apples) == everything(folder.path("ours.sqlite")))
  }

  @Test("Apple's triggers and history run when rows are written")
  func libraryWrites() throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy("stores/coredataplus/SampleModel2_V1.sqlite", to: folder)
    let model = try libraryModel()
    var options = SQLiteStore.Options()
    options.checksVersionHashes = false
    let store = try SQLiteStore.open(path: path, model: model, options: options)
    let page = try model.entity("Page")
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
