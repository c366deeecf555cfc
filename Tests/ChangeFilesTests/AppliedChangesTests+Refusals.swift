import ChangeFiles
import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Pipelines
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Changes that do not fit the store they are applied to.
extension AppliedChangesTests {
  /// The library with books that are known by a number, novels among them, and chapters up to 1,000.
  private static func model() throws -> ManagedObjectModel {
    var library = LibraryModel()
    library.book.attributes.append(AttributeDefinition("pages", .integer32))
    library.book.uniquenessConstraints = [["isbn"]]
    library.chapter.attributes[0].maximumValue = .integer(1_000)
    var novel = EntityDefinition("Novel")
    novel.superentityName = "Book"
    return try library.model(novel)
  }

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
      ("\"entity\":\"Author\"", "\"entity\":\"Autor\"", "no entity \"Autor\""),
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
