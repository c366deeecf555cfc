import FileStores
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Folders of record files as stores")
struct RecordFileStoreTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    model = try Library.model()
  }

  private func open(_ format: RecordFileFormat, options: [String: Value] = [:]) throws -> any PersistentStore {
    let description = PersistentStoreDescription(type: RecordFolderType(format: format), url: folder.url)
    description.typeOptions = options
    return try description.type.load(description, model: model)
  }

  private func write(_ name: String, _ text: String) throws {
    try text.write(to: folder.file(name), atomically: true, encoding: .utf8)
  }

  private func text(_ name: String) throws -> String { try String(contentsOf: folder.file(name), encoding: .utf8) }

  @Test("files hold what people can read")
  func form() throws {
    try Library.fill(try open(.csv))
    #expect(try folder.names() == ["Book.csv", "Shelf.csv", "Subject.csv", "store.json"])
    #expect(
      try text("Book.csv") == """
        added,cover,title,year,shelf,subjects
        2001-01-02T00:00:00Z,AP8=,Dune <1>,1965,A,"[""sand""]"
        ,,Emma,,,

        """)
    #expect(try text("Shelf.csv") == "label\nA\n")
  }

  @Test("NDJSON files have JSON's types, and no keys for what is missing")
  func ndjsonForm() throws {
    try Library.fill(try open(.ndjson))
    #expect(
      try text("Book.ndjson") == """
        {"added":"2001-01-02T00:00:00Z","cover":"AP8=","title":"Dune <1>","year":1965,"shelf":"A","subjects":["sand"]}
        {"title":"Emma"}

        """)
  }

  @Test("JSON files are arrays, with an object on each line")
  func jsonForm() throws {
    try Library.fill(try open(.json))
    #expect(try folder.names() == ["Book.json", "Shelf.json", "Subject.json", "store.json"])
    #expect(
      try text("Book.json") == """
        [
        {"added":"2001-01-02T00:00:00Z","cover":"AP8=","title":"Dune <1>","year":1965,"shelf":"A","subjects":["sand"]},
        {"title":"Emma"}
        ]

        """)
    let store = try open(.json)
    var request = SaveRequest()
    request.deleted = try store.snapshots(FetchSpecification(try model.required("Book"))).map {
      (objectID: $0.objectID, version: $0.version)
    }
    try store.save(request)
    #expect(try text("Book.json") == "[]\n")
    #expect(try open(.json).snapshots(FetchSpecification(try model.required("Book"))).isEmpty)
  }

  @Test("an entity called Store cannot have a JSON file beside store.json")
  func storeEntity() throws {
    let model = try ManagedObjectModel(entities: [EntityDefinition("Store")])
    let description = PersistentStoreDescription(type: RecordFolderType(format: .json), url: folder.url)
    #expect(throws: StoreError.self) { try description.type.load(description, model: model) }
    #expect(try folder.names().isEmpty)
    let lines = PersistentStoreDescription(type: RecordFolderType(format: .ndjson), url: folder.url)
    _ = try lines.type.load(lines, model: model)
  }

  @Test("files made by hand are read: columns in any order, missing ones, no store.json")
  func byHand() throws {
    try write("Book.csv", "shelf,title,year\r\nA,Dune,1965\r\n,\"\",\r\n")
    try write("Shelf.csv", "label\nA\nB\n")
    let store = try open(.csv)
    let books = try store.snapshots(FetchSpecification(try model.required("Book")))
    #expect(books.map { $0.attributes[2] } == [.string("Dune"), .string("")])
    #expect(books.map { $0.attributes[3] } == [.integer(1965), .null])
    #expect(books[0].toOne[0]?.entity.name == "Shelf")
    #expect(try folder.names() == ["Book.csv", "Shelf.csv", "store.json"])
    #expect(try open(.csv).identifier == store.identifier)
  }

  @Test(
    "what is wrong in a file is named with its line",
    arguments: [
      ("csv", "title,year\nDune,soon\n", "line 2: \"soon\" is no Integer 32"),
      ("csv", "title,pages\nDune,1\n", "column \"pages\""), ("csv", "title\nDune\nDune\n", "same title"),
      ("csv", "title,shelf\nDune,Z\n", "line 2: Book.shelf leads to \"Z\""), ("csv", "title,year\nDune\n", "line 2"),
      ("csv", "title,subjects\nDune,[1\n", "json"), ("csv", "", "empty"), ("csv", "title\n\"Dune", "quote"),
      ("csv", "title,title\na,b\n", "duplicate"), ("csv", "title,year\nDune,99999999999\n", "Integer 32"),
      ("ndjson", "{\"title\":\"Dune\",\"pages\":1}\n", "line 1: \"pages\""),
      ("ndjson", "{\"title\":1}\n", "line 1: Book.title"), ("ndjson", "{\"title\":\"Dune\"\n", "line 1"),
      ("ndjson", "[]\n", "no JSON object"), ("ndjson", "{\"title\":\"a\",\"title\":\"b\"}\n", "twice"),
      ("ndjson", "{\"title\":\"a\",\"year\":1.5}\n", "Integer 32"),
      ("ndjson", "{\"title\":\"a\",\"shelf\":[]}\n", "shelf"),
      ("ndjson", "{\"title\":\"a\",\"subjects\":\"x\"}\n", "array"),
      ("json", "[\n{\"title\":\"Dune\",\n\"pages\":1}\n]\n", "line 2: \"pages\""),
      ("json", "[{\"title\":\"Dune\"}\n", "ends too early"), ("json", "[1]\n", "no JSON object"),
    ])
  func hostile(format: String, file: String, message: String) throws {
    try write("Book.\(format)", file)
    let kind = try #require(RecordFileFormat(rawValue: format))
    #expect {
      try open(kind)
    } throws: {
      guard case StoreError.notAStore(_, let found) = $0 else { return false }
      return found.contains(message)
    }
    #expect(try text("Book.\(format)") == file)
  }

  @Test("a key that changes takes its references along, also when two objects exchange theirs")
  func keys() throws {
    let store = try open(.csv)
    try Library.fill(store)
    let subject = try model.required("Book")
    var books = try store.snapshots(FetchSpecification(subject))
    (books[0].attributes[2], books[1].attributes[2]) = (books[1].attributes[2], books[0].attributes[2])
    var shelf = try #require(try store.snapshots(FetchSpecification(try model.required("Shelf"))).first)
    shelf.attributes[0] = .string("Z")
    var request = SaveRequest()
    request.updated = books + [shelf]
    try store.save(request)
    #expect(try text("Book.csv").contains("AP8=,Emma,1965,Z,"))
    let incremental = try #require(store as? IncrementalStore)
    #expect(incremental.referenceObject(for: books[0].objectID) == "Emma")
    #expect(incremental.newObjectID(for: subject, referenceObject: "Emma") == books[0].objectID)
  }

  @Test("only files whose records change are written, and none that was changed elsewhere")
  func changedFiles() throws {
    let store = try open(.csv)
    try Library.fill(store)
    let before = try FileManager.default.attributesOfItem(atPath: folder.file("Subject.csv").path)[.systemFileNumber]
    var request = SaveRequest()
    request.deleted = [(objectID: try Library.id("Book", 2, in: store), version: 1)]
    try store.save(request)
    let after = try FileManager.default.attributesOfItem(atPath: folder.file("Subject.csv").path)[.systemFileNumber]
    #expect(before as? Int == after as? Int)

    try write("Subject.csv", "name\nsand\nspice\n")
    let files = try folder.contents()
    request.deleted = [(objectID: try Library.id("Book", 1, in: store), version: 1)]
    let deletion = request
    #expect { try store.save(deletion) } throws: { "\($0)".contains("Subject.csv was changed by another program") }
    #expect(try folder.contents() == files)
  }

  @Test("a model with entities that nothing identifies is refused, unless an option names the key")
  func missingKey() throws {
    var descriptions = model.definitions
    descriptions[1].uniquenessConstraints = []
    let keyless = try ManagedObjectModel(entities: descriptions)
    let description = PersistentStoreDescription(type: .csvFolder, url: folder.url)
    let without = PersistentStoreDescription(description)
    #expect {
      try without.type.load(without, model: keyless)
    } throws: { "\($0)".contains("key.Shelf") }
    description.typeOptions["key.Shelf"] = .string("label")
    let store = try description.type.load(description, model: keyless)
    try Library.fill(store)
    #expect(try text("Book.csv").contains("1965,A,"))
  }
}
