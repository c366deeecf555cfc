import Foundation
import ModelFiles
import Testing

@testable import ImportEngine
@testable import Pipelines

@Suite("The strategy restore")
struct RestoreStrategyTests {
  private static let books = """
    - from: books.ndjson
      entity: Book
      key: id
      strategy: restore
      map: { title: title, pages: pages, author: { key: author } }
    """

  @Test("takes values as they are, whatever the model demands")
  func values() throws {
    let library = try LibraryRun()
    try library.write(
      "books.ndjson", #"{"id": 1, "title": null, "pages": -70000}"#, #"{"title": "a\u0000b", "pages": 1}"#)
    try library.run(Self.books)
    #expect(
      try library.query("SELECT ZTITLE, ZPAGES, hex(ZTITLE) FROM ZBOOK ORDER BY Z_PK") == [
        "∅|-70000|", "a\0b|1|610062",
      ])
    // What is no value of the type at all is refused as ever.
    try library.write("books.ndjson", #"{"title": "a", "pages": "many"}"#)
    #expect(throws: RunError.self) { try library.run(Self.books) }
  }

  @Test("leaves the other side of a relationship to its records")
  func oneSide() throws {
    let library = try LibraryRun()
    try library.write("people.ndjson", #"{"id": "p", "name": "Ann", "desk": "d"}"#)
    try library.write("desks.ndjson", #"{"id": "d", "place": "there", "person": null}"#)
    let people =
      "- { from: people.ndjson, entity: Person, key: id, strategy: restore, map: { name: name, desk: { key: desk } } }"
    let desks =
      "- { from: desks.ndjson, entity: Desk, key: id, strategy: restore, map: { place: place, person: { key: person } } }"
    for steps in [people + "\n" + desks, desks + "\n" + people] {
      try library.run(steps)
      #expect(try library.query("SELECT ZDESK FROM ZPERSON") == ["1"])
      #expect(try library.query("SELECT ZPERSON FROM ZDESK") == ["∅"])
    }
  }

  @Test("fails as a whole when a key leads nowhere")
  func dangling() throws {
    let library = try LibraryRun()
    try library.write("books.ndjson", #"{"title": "A"}"#, #"{"title": "B", "author": "Person/p9"}"#)
    let error = #expect(throws: RunError.self) { try library.run(Self.books, rejects: 100) }
    #expect(error?.kind == .badData)
    #expect(
      error?.message.contains("books.ndjson:2:26: \"Person/p9\" matches no object (Book.author)") == true,
      "\(error?.message ?? "")")
    try library.run(Self.books.replacing("{ key: author }", with: "{ key: author, missing: \"null\" }"))
    #expect(try library.query("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IS NULL") == ["2"])
  }

  @Test("wants an empty table, no match and no nested objects")
  func refusals() throws {
    let library = try LibraryRun()
    try library.write("books.ndjson", #"{"title": "A"}"#)
    try library.run(Self.books)
    func refusal(_ steps: String, isNew: Bool = true) -> String {
      do {
        try library.run(steps, isNew: isNew)
        return ""
      } catch {
        return (error as? RunError)?.message ?? "\(error)"
      }
    }
    #expect(
      refusal(Self.books, isNew: false).hasSuffix("strategy restore is not possible: Book had rows before the run"))
    let matching = Self.books.replacing("strategy: restore", with: "strategy: restore\n  match: [title]")
    #expect(refusal(matching).contains("matches none"))
    let file = try library.read(matching)
    let model = try ModelReader.readFile(path: file.modelPath).model
    #expect(PipelineLinter.lint(file, model: model).contains { $0.code == "lint.restore-match" })
    let nested = Self.books.replacing("{ key: author }", with: "{ from: author, map: { name: name } }")
    #expect(refusal(nested).hasSuffix("author is a nested object"))
    // Two steps may fill one table, when it was empty at the start.
    try library.write("ebooks.ndjson", #"{"title": "E"}"#)
    try library.run(
      Self.books + "\n- { from: ebooks.ndjson, entity: Ebook, strategy: restore, map: { title: title } }")
    #expect(try library.query("SELECT count(*) FROM ZBOOK") == ["2"])
  }
}
