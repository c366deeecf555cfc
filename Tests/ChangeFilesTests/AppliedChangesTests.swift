import ChangeFiles
import CoreDataLayout
import Exports
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Pipelines
import StoreInterface
import TestStores
import TestSupport
import Testing

/// What was done to one store, done to another one.
@Suite("Applied changes")
struct AppliedChangesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Books (novels among them) with an author, an editor without inverse, tags and ordered chapters, and one of each
  /// kind of value.
  private static func model() throws -> ManagedObjectModel {
    var book = EntityDefinition("Book")
    var isbn = AttributeDefinition("isbn", .string)
    isbn.preservesValueInHistoryOnDeletion = true
    var count = AttributeDefinition("chapterCount", .integer64)
    count.derivation = .init(expression: "chapters.@count")
    book.attributes = [
      isbn, AttributeDefinition("pages", .integer32), AttributeDefinition("large", .integer64),
      AttributeDefinition("isOut", .boolean), AttributeDefinition("ratio", .double),
      AttributeDefinition("weight", .float), AttributeDefinition("price", .decimal),
      AttributeDefinition("printed", .date), AttributeDefinition("cover", .binary),
      AttributeDefinition("token", .uuid), AttributeDefinition("page", .uri), count,
    ]
    book.uniquenessConstraints = [["isbn"]]
    book.relationships = [
      RelationshipDefinition("author", toOne: "Author", inverse: "books"),
      RelationshipDefinition("tags", toMany: "Tag", inverse: "books"),
      RelationshipDefinition("chapters", toMany: "Chapter", inverse: "book", ordered: true),
    ]
    var novel = EntityDefinition("Novel")
    novel.superentityName = "Book"
    novel.attributes = [AttributeDefinition("genre", .string)]
    var author = EntityDefinition("Author")
    author.attributes = [AttributeDefinition("name", .string)]
    author.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "author")]
    var tag = EntityDefinition("Tag")
    tag.attributes = [AttributeDefinition("name", .string)]
    tag.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "tags")]
    var chapter = EntityDefinition("Chapter")
    var number = AttributeDefinition("number", .integer16)
    number.maximumValue = .integer(1_000)
    chapter.attributes = [number]
    chapter.relationships = [RelationshipDefinition("book", toOne: "Book", inverse: "chapters")]
    return try ManagedObjectModel(entities: [author, book, chapter, novel, tag])
  }

  /// Stores that are changed alike.
  private struct Library {
    let model: ManagedObjectModel
    let store: any PersistentStore
    let container: PersistentContainer

    init(_ store: any PersistentStore) throws {
      self.store = store
      model = store.model
      container = try PersistentContainer(name: "library", model: store.model, store: store)
    }

    func save(_ work: (ManagedObjectContext) throws -> Void) throws {
      let context = container.newBackgroundContext()
      try context.performAndWait {
        context.transactionAuthor = "librarian"
        try work(context)
        try context.save()
      }
    }

    /// Every object with its values and destinations.
    func contents() throws -> [String] {
      var lines: [String] = []
      for entity in model.entities {
        var request = FetchSpecification(entity)
        request.includesSubentities = false
        for row in try store.snapshots(request) {
          var parts = ["\(entity.name)/\(row.objectID.primaryKey ?? 0)"]
          for (attribute, value) in zip(entity.attributes, row.attributes) {
            parts.append("\(attribute.name) \(value)")
          }
          for (index, relationship) in entity.relationships.enumerated() {
            let ids =
              relationship.isToMany
              ? try store.members(of: row.objectID, relationship: relationship) : [row.toOne[index]].compactMap(\.self)
            parts.append("\(relationship.name) \(ids.map { $0.primaryKey ?? 0 })")
          }
          lines.append(parts.joined(separator: "; "))
        }
      }
      return lines
    }
  }

  private func library(_ name: String, model: ManagedObjectModel) throws -> Library {
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    return try Library(SQLiteStore.create(path: folder.path(name), model: model, options: options))
  }

  /// Random changes, the same in every store.
  private static func change(_ library: Library, seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try library.save { context in
      func all(_ entity: Entity) throws -> [ManagedObject] {
        try context.fetch(FetchSpecification(entity)).filter { !$0.isDeleted }
      }
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        guard let entity = library.model.entities.randomElement(using: &random) else { continue }
        let known = try all(entity)
        var object = known.randomElement(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: object = context.insert(entity)
        case 3: if let gone = object { context.delete(gone) }
        default: break
        }
        guard let object, !object.isDeleted else { continue }
        for attribute in entity.attributes where attribute.derivation == nil && Bool.random(using: &random) {
          object[attribute.name] = value(of: attribute, object, &random)
        }
        for relationship in entity.relationships where Int.random(in: 0..<3, using: &random) == 0 {
          let others = try all(relationship.destination)
          if relationship.isToMany {
            let members = others.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            try object.setObjects(members.shuffled(using: &random), for: relationship.name)
          } else {
            object.setObject(others.randomElement(using: &random), for: relationship.name)
          }
        }
      }
    }
  }

  private static func value(
    of attribute: AttributeDefinition, _ object: ManagedObject, _ random: inout SeededGenerator
  ) -> Value {
    let number = Int64.random(in: -3...3, using: &random)
    if number == 0 { return .null }
    switch attribute.type {
    case .integer16, .integer32: return .integer(number)
    case .integer64: return .integer(.max + min(number, 0))
    case .boolean: return .boolean(number > 0)
    case .double: return .double(Double(number) / 3)
    case .float: return .double(Double(Float(number) / 3))
    // Stores keep decimals as doubles.
    case .decimal: return .decimal(Decimal(string: "\(number)234567.125") ?? 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) / 7))
    case .binary: return .data(Data([UInt8(bitPattern: Int8(number)), 0, 255]))
    case .uuid:
      return .uuid(UUID(uuidString: "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B1\(number.magnitude)") ?? UUID())
    case .uri: return URL(string: "https://example.com/a%20b?c=\(number)").map { .uri($0) } ?? .null
    // Texts are unique where they have to be.
    default: return .string("text \"\(Int64.random(in: 0..<(.max), using: &random))\" \u{2028}\n☂ \(number)")
    }
  }

  /// The lines that one of two stores has alone.
  private static func difference(_ left: [String], _ right: [String]) -> [String] {
    left.filter { !right.contains($0) }.map { "+ " + $0 } + right.filter { !left.contains($0) }.map { "- " + $0 }
  }

  private func write(_ library: Library, since number: Int64, to name: String) throws {
    let path = folder.path("source.sqlite")
    var text = ""
    _ = try StoreHistory(storePath: path, model: library.model).writeChanges(since: HistoryStart("\(number)")) {
      text += $0 + "\n"
    }
    try folder.write(text, to: name)
  }

  @Test("changes of a store, applied to a copy of what it was, make it equal", arguments: 0..<12)
  func copy(seed: Int) throws {
    let model = try Self.model()
    let source = try library("source.sqlite", model: model)
    let memory = try Library(InMemoryStore(model: model))
    for step in 0..<6 {
      for library in [source, memory] { try Self.change(library, seed: seed * 1_000 + step) }
    }
    let store = try #require(source.store as? SQLiteStore)
    let place = try store.lastTransactionNumber()
    try store.checkpoint()
    try FileManager.default.copyItem(at: folder.file("source.sqlite"), to: folder.file("copy.sqlite"))
    for step in 6..<16 {
      for library in [source, memory] { try Self.change(library, seed: seed * 1_000 + step) }
    }
    let difference = Self.difference(try source.contents(), try memory.contents())
    #expect(difference.isEmpty, "\(difference.joined(separator: "\n"))")

    try write(source, since: place, to: "changes.ndjson")
    let application = ChangeApplication(
      changesPath: folder.path("changes.ndjson"), storePath: folder.path("copy.sqlite"), model: model)
    let dry = try application.run(isDryRun: true)
    #expect(try application.run() == dry)
    let copy = try SQLiteStore.open(path: folder.path("copy.sqlite"), model: model)
    let left = Self.difference(try Library(copy).contents(), try memory.contents())
    #expect(left.isEmpty, "\(left.joined(separator: "\n"))")
    // Keys that were given out by the file are not given out again.
    for entity in model.entities where entity.superentity == nil {
      let greatest = try copy.objectIDs(FetchSpecification(entity)).compactMap(\.primaryKey).max() ?? 0
      #expect(try copy.reservePrimaryKeys(1, for: entity) > greatest)
    }
    #expect(try copy.history(PersistentHistoryQuery(after: .transaction(place))).map(\.author) == ["librarian"])
    try copy.close()
    let report = try StoreChecker.check(path: folder.path("copy.sqlite"), model: model)
    #expect(report.problems.isEmpty, "\(report.problems)")
  }

  // MARK: - Failures

  /// A source with a book, its author and a chapter; then the book has other pages, another chapter and no author.
  private func changed(_ model: ManagedObjectModel) throws -> Library {
    let source = try library("source.sqlite", model: model)
    try source.save { context in
      let author = context.insert(try model.required("Author"))
      author["name"] = .string("Ada")
      let book = context.insert(try model.required("Book"))
      book["isbn"] = .string("978")
      book.setObject(author, for: "author")
      context.insert(try model.required("Chapter")).setObject(book, for: "book")
    }
    let store = try #require(source.store as? SQLiteStore)
    try store.checkpoint()
    try FileManager.default.copyItem(at: folder.file("source.sqlite"), to: folder.file("copy.sqlite"))
    try source.save { context in
      let book = try #require(try context.fetch(FetchSpecification(try model.required("Book"))).first)
      book["pages"] = .integer(7)
      let chapter = context.insert(try model.required("Chapter"))
      chapter["number"] = .integer(2)
      chapter.setObject(book, for: "book")
      context.delete(try #require(try context.fetch(FetchSpecification(try model.required("Author"))).first))
    }
    try write(source, since: 1, to: "changes.ndjson")
    return source
  }

  private func apply(_ model: ManagedObjectModel, to name: String = "copy.sqlite") throws -> ChangeApplication.Outcome {
    try ChangeApplication(
      changesPath: folder.path("changes.ndjson"), storePath: folder.path(name), model: model
    ).run()
  }

  @Test(
    "a line that does not fit is named with its object, and the store stays as it is to the byte",
    arguments: [
      ("\"pages\":7", "\"pages\":\"7\"", "Book/1 has a value for pages"),
      ("\"pages\":7", "\"sides\":7", "Book/1 has a value for sides"),
      ("\"number\":2", "\"number\":2000", "Chapter/2 cannot have this number"),
      (
        "\"primaryKey\":1,\"key\":{\"isbn\":\"978\"},\"values\"", "\"primaryKey\":5,\"values\"",
        "Book/5 cannot be updated"
      ),
      ("\"change\":\"insert\"", "\"change\":\"update\"", "Chapter/2 cannot be updated"),
      ("\"change\":\"update\"", "\"change\":\"insert\"", "Book/1 cannot be inserted"),
      ("\"change\":\"delete\"", "\"change\":\"lose\"", "\"change\" is not insert"),
      ("\"entity\":\"Author\"", "\"entity\":\"Autor\"", "no entity Autor"),
      ("\"author\":null", "\"author\":{\"entity\":\"Author\",\"primaryKey\":1}", "which the file deletes"),
      ("\"author\":null", "\"author\":{\"entity\":\"Author\",\"primaryKey\":8}", "neither"),
      ("\"author\":null,", "", "Author/1 cannot be deleted: Book/1.author leads to it"),
      ("{\"change\":\"delete\"", "{\"change\" \"delete\"", "it is no JSON object"),
      (
        "{\"change\":\"delete\"", "{\"change\":\"update\",\"ch\\u0061nge\":\"delete\"",
        "\"change\" is there twice in one object"
      ),
      ("\"pages\":", "\"pages\":1,\"pages\":", "\"pages\" is there twice in one object"),
      ("\"changesOf\"", "\"changes\"", "does not begin as a file of changes does"),
    ])
  func refused(part: String, other: String, message: String) throws {
    let model = try Self.model()
    _ = try changed(model)
    let text = try String(contentsOf: folder.file("changes.ndjson"), encoding: .utf8)
    try #require(text.contains(part), "\(text)")
    var lines = text.split(separator: "\n").map(String.init)
    let index = try #require(lines.firstIndex { $0.contains(part) })
    lines[index] = lines[index].replacingOccurrences(of: part, with: other)
    try folder.write(lines.joined(separator: "\n"), to: "changes.ndjson")
    let before = try Data(contentsOf: folder.file("copy.sqlite"))
    let error = #expect(throws: RunError.self) { try apply(model) }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    #expect(error?.description.contains("changes.ndjson:") == true, "\(String(describing: error))")
    #expect(try Data(contentsOf: folder.file("copy.sqlite")) == before)
    #expect(try folder.names().filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
  }

  @Test("a file that was cut off between two lines is refused")
  func cutOff() throws {
    let model = try Self.model()
    _ = try changed(model)
    let text = try String(contentsOf: folder.file("changes.ndjson"), encoding: .utf8)
    let lines = text.split(separator: "\n")
    try #require(lines.count == 4)
    for count in 1..<lines.count {
      try folder.write(lines.prefix(count).joined(separator: "\n") + "\n", to: "changes.ndjson")
      let before = try Data(contentsOf: folder.file("copy.sqlite"))
      let error = #expect(throws: RunError.self) { try apply(model) }
      #expect(error?.code == "changes.cut-off" && error?.description.contains("of the 3") == true)
      #expect(try Data(contentsOf: folder.file("copy.sqlite")) == before)
    }
    // A file that does not say how many lines it has is taken as it is.
    try folder.write(text.replacing(",\"objects\":3", with: ""), to: "changes.ndjson")
    #expect(try apply(model) == ChangeApplication.Outcome(inserted: 1, updated: 1, deleted: 1))
  }

  @Test("changes that were applied before are refused")
  func twice() throws {
    let model = try Self.model()
    _ = try changed(model)
    #expect(try apply(model) == ChangeApplication.Outcome(inserted: 1, updated: 1, deleted: 1))
    let error = #expect(throws: RunError.self) { try apply(model) }
    #expect(error?.description.contains("Author/1 cannot be deleted") == true, "\(String(describing: error))")
  }

  @Test("another store's objects are known by a uniqueness constraint, and those without one are refused")
  func otherStore() throws {
    let model = try Self.model()
    let source = try library("source.sqlite", model: model)
    try source.save { context in
      for (isbn, pages) in [("a", 1), ("b", 2)] {
        let book = context.insert(try model.required("Book"))
        book["isbn"] = .string(isbn)
        book["pages"] = .integer(Int64(pages))
      }
    }
    let other = try library("other.sqlite", model: model)
    try other.save { context in
      for isbn in ["z", "b"] { context.insert(try model.required("Book"))["isbn"] = .string(isbn) }
    }
    let store = try #require(other.store as? SQLiteStore)
    try source.save { context in
      for book in try context.fetch(FetchSpecification(try model.required("Book"))) {
        if book["isbn"] == "a" { context.delete(book) } else { book["pages"] = .integer(20) }
      }
      context.insert(try model.required("Novel"))["isbn"] = .string("c")
    }
    try write(source, since: 1, to: "changes.ndjson")
    let missing = #expect(throws: RunError.self) { try apply(model, to: "other.sqlite") }
    #expect(missing?.description.contains("Book/1 cannot be deleted") == true, "\(String(describing: missing))")
    try other.save { context in context.insert(try model.required("Book"))["isbn"] = .string("a") }
    #expect(
      try apply(model, to: "other.sqlite") == ChangeApplication.Outcome(inserted: 1, updated: 1, deleted: 1))
    let context = other.container.newBackgroundContext()
    let books = try context.performAndWait {
      try context.fetch(FetchSpecification(try model.required("Book"))).map {
        "\($0["isbn"] as String? ?? "") \($0["pages"] as Int? ?? 0)"
      }
    }
    #expect(books.sorted() == ["b 20", "c 0", "z 0"])
    try store.close()

    try source.save { context in context.insert(try model.required("Tag")) }
    try write(source, since: 2, to: "changes.ndjson")
    let error = #expect(throws: RunError.self) { try apply(model, to: "other.sqlite") }
    #expect(error?.description.contains("Tag has no uniqueness constraint") == true, "\(String(describing: error))")
  }
}
