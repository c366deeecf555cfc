import Foundation
import ModelFiles
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

@Suite("Record keys")
struct RecordKeyTests {
  private static let people = """
    - from: people.ndjson
      entity: Person
      key: id
      strategy: @
      map: { name: name }
    """
  private static func books(_ more: String = "") -> String {
    """
    - from: books.ndjson
      entity: Book
      key: id
      strategy: @
      map: { title: title, author: { key: author\(more) } }
    """
  }

  private func steps(_ steps: [String], _ strategy: String = "automatic") -> String {
    steps.joined(separator: "\n").replacing("@", with: strategy)
  }

  private func library() throws -> LibraryRun {
    let library = try LibraryRun()
    try library.write("people.ndjson", #"{"id": 7, "name": "Ann"}"#, #"{"id": "8", "name": "Bo"}"#, #"{"name": "Cy"}"#)
    try library.write(
      "books.ndjson", #"{"id": "x", "title": "A", "author": "7"}"#, #"{"id": "y", "title": "B", "author": 8}"#,
      #"{"id": "z", "title": "C", "author": null}"#, #"{"title": "D"}"#)
    return library
  }

  @Test(
    "references find the objects of this run by keys that the model has not",
    arguments: ["automatic", "bulk", "find-or-create"], [1, 2, 8192])
  func found(strategy: String, recordsPerBatch: Int) throws {
    for order in [[Self.people, Self.books()], [Self.books(), Self.people]] {
      let library = try library()
      let file = try library.read(steps(order, strategy))
      let model = try ModelReader.readFile(path: file.modelPath).model
      #expect(PipelineLinter.lint(file, model: model).filter { $0.severity == .error } == [])
      let report = try library.run(steps(order, strategy), recordsPerBatch: recordsPerBatch)
      #expect(report.steps.map(\.counts.inserted).sorted() == [3, 4])
      #expect(try library.authors() == ["A|Ann", "B|Bo", "C|∅", "D|∅"])
    }
  }

  @Test(
    "a key that leads nowhere rejects its record, or leaves the relationship null",
    arguments: ["bulk", "find-or-create"])
  func missing(strategy: String) throws {
    let library = try library()
    try library.write("books.ndjson", #"{"title": "A", "author": "7"}"#, #"{"title": "B", "author": "9"}"#)
    let order = [Self.books(), Self.people]
    let report = try library.run(steps(order, strategy), rejects: 1)
    #expect(report.rejects.map(\.code) == ["reference.unresolved"])
    #expect(report.rejects.map(\.line) == [2])
    #expect(report.rejects[0].message == #""9" matches no object (Book.author, by the record key of Person)"#)
    #expect(try library.authors() == ["A|Ann"])
    try library.run(steps([Self.books(", missing: \"null\""), Self.people], strategy))
    #expect(try library.authors() == ["A|Ann", "B|∅"])
  }

  @Test("a key that two objects have is ambiguous")
  func ambiguous() throws {
    let library = try library()
    try library.write("people.ndjson", #"{"id": 7, "name": "Ann"}"#, #"{"id": 7, "name": "Bo"}"#)
    try library.write("books.ndjson", #"{"title": "A", "author": "7"}"#)
    let report = try library.run(steps([Self.people, Self.books()]), rejects: 1)
    #expect(report.rejects.map(\.code) == ["reference.ambiguous"])
    #expect(report.rejects[0].hint == "give every record a key of its own")
  }

  @Test("two records of one object may have keys of their own", arguments: ["find-or-create"])
  func twoKeys(strategy: String) throws {
    let library = try library()
    try library.write("people.ndjson", #"{"id": 7, "name": "Ann"}"#)
    try library.write("more.ndjson", #"{"id": 8, "name": "Ann"}"#)
    let more = "- { from: more.ndjson, entity: Person, key: id, match: [name], map: { name: name } }"
    try library.run(steps([Self.people, more, Self.books()], strategy))
    #expect(try library.authors() == ["A|Ann", "B|Ann", "C|∅", "D|∅"])
    #expect(try library.query("SELECT count(*) FROM ZPERSON") == ["1"])
  }

  @Test("an object that was there before the run has the key of the record that matches it")
  func existing() throws {
    let library = try library()
    try library.run(steps([Self.people]))
    let matching = Self.people.replacing("strategy: @", with: "match: [name]")
    try library.run(steps([Self.books(), matching]), isNew: false)
    #expect(try library.authors() == ["A|Ann", "B|Bo", "C|∅", "D|∅"])
    // Without such a record nothing is known of it: keys are not stored.
    #expect(throws: RunError.self) { try library.run(steps([Self.books()]), isNew: false) }
  }

  @Test(
    "a key leads to objects of sub-entities, and a list holds several", arguments: ["bulk", "find-or-create"],
    [1, 8192])
  func polymorphic(strategy: String, recordsPerBatch: Int) throws {
    let library = try library()
    try library.write("ebooks.ndjson", #"{"id": "e", "title": "E", "format": "pdf"}"#)
    try library.write("shelves.csv", "name,books,best", "s,x; e ;y,e", "t,e;x,x", "u,,")
    let ebooks = "- { from: ebooks.ndjson, entity: Ebook, key: id, map: { title: title, format: format } }"
    let shelves = """
      - from: shelves.csv
        entity: Shelf
        strategy: @
        map: { name: name, books: { key: books, separator: ";" }, best: { key: best } }
      """
    for order in [[Self.people, Self.books(), ebooks, shelves], [shelves, ebooks, Self.books(), Self.people]] {
      try library.run(steps(order, strategy == "bulk" ? "automatic" : strategy), recordsPerBatch: recordsPerBatch)
      #expect(try library.shelves() == ["s|AEB", "t|EA"])
      #expect(
        try library.query("SELECT s.ZNAME, b.ZTITLE FROM ZSHELF s LEFT JOIN ZBOOK b ON b.Z_PK = s.ZBEST ORDER BY 1")
          == ["s|E", "t|A", "u|∅"])
    }
  }

  @Test(
    "lists that are ordered on both sides keep both orders", arguments: ["automatic", "find-or-create"], [1, 2, 8192])
  func bothOrders(strategy: String, recordsPerBatch: Int) throws {
    let library = try library()
    try library.write(
      "books.ndjson", #"{"id": "x", "title": "A", "shelves": ["t", "s"]}"#,
      #"{"id": "y", "title": "B", "shelves": ["s", "t"]}"#,
      #"{"id": "z", "title": "C", "shelves": ["t", "s", "u"]}"#)
    try library.write(
      "shelves.ndjson", #"{"id": "s", "name": "S", "books": ["z", "x", "y"]}"#,
      #"{"id": "t", "name": "T", "books": ["y", "z", "x"]}"#, #"{"id": "u", "name": "U", "books": ["z"]}"#)
    let books = """
      - from: books.ndjson
        entity: Book
        key: id
        strategy: @
        map: { title: title, shelves: { key: shelves } }
      """
    let shelves = """
      - from: shelves.ndjson
        entity: Shelf
        key: id
        strategy: @
        map: { name: name, books: { key: books } }
      """
    for order in [[books, shelves], [shelves, books]] {
      try library.run(steps(order, strategy), recordsPerBatch: recordsPerBatch)
      #expect(try library.shelves() == ["S|CAB", "T|BCA", "U|C"])
      #expect(try library.shelves(ofBooks: true) == ["A|TS", "B|ST", "C|TSU"])
    }
  }

  @Test("references by record key need a step with keys")
  func lint() throws {
    let library = try library()
    let file = try library.read(steps([Self.books()]))
    let model = try ModelReader.readFile(path: file.modelPath).model
    #expect(PipelineLinter.lint(file, model: model).map(\.code) == ["lint.no-record-keys"])
  }
}
