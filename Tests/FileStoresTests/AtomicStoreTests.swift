import FileStores
import Foundation
import MemoryStore
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Writes as the binary format does, until it is told to fail.
private final class FailingFormat: AtomicStoreFormat, @unchecked Sendable {
  private let binary = BinaryStoreFormat()
  private let lock = NSLock()
  private var fails = false
  var storeType: String { binary.storeType }
  var givesKeysStoreWide: Bool { false }

  func fail() { lock.withLock { fails = true } }
  func recognizes(_ start: Data) -> Bool { binary.recognizes(start) }
  func read(_ file: Data, model: ManagedObjectModel) throws(StoreError) -> StoreContents {
    try binary.read(file, model: model)
  }
  func write(_ contents: StoreContents, model: ManagedObjectModel) throws(StoreError) -> Data {
    if lock.withLock({ fails }) { throw .failure("no") }
    return try binary.write(contents, model: model)
  }
}

@Suite("Atomic stores")
struct AtomicStoreTests {
  private static let kinds: [StoreKind] = [.binary, .xml]

  @Test("a save that fails while it is written leaves the file and the store as they were")
  func failure() throws {
    let folder = try TemporaryFolder()
    let format = FailingFormat()
    let store = try AtomicStore(url: folder.file("a.store"), model: try Library.model(), format: format)
    try Library.fill(store)
    let (lines, files) = (try Portrait.snapshots(store), try folder.contents())
    format.fail()
    var request = SaveRequest()
    request.deleted = [(objectID: try Library.id("Book", 1, in: store), version: 1)]
    let deletion = request
    #expect(throws: StoreError.self) { try store.save(deletion) }
    #expect(try Portrait.snapshots(store) == lines)
    #expect(try folder.contents() == files)
  }

  @Test("a file that another program changed or removed is not overwritten", arguments: kinds)
  func changedByOthers(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let first = try kind.open(in: folder, model)
    let second = try kind.open(in: folder, model)
    try Library.fill(first)
    let files = try folder.contents()
    #expect { try Library.fill(second) } throws: { "\($0)".contains("another program") }
    #expect(try folder.contents() == files)
    #expect(try Portrait.snapshots(second).isEmpty)
    let url = try #require(kind.description(in: folder).url)
    try kind.type.destroy(at: url)
    var request = SaveRequest()
    request.deleted = [(objectID: try Library.id("Book", kind == .xml ? 3 : 2, in: first), version: 1)]
    let deletion = request
    #expect { try first.save(deletion) } throws: { "\($0)".contains("another program") }
    #expect(try folder.names().isEmpty)
  }

  @Test("another model's store is refused with the entities that differ", arguments: StoreKind.files)
  func otherModel(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    try Library.fill(try kind.open(in: folder, try Library.model()))
    var descriptions = try Library.model().definitions
    descriptions[0].attributes.append(AttributeDefinition("pages", .integer16))
    let other = try ManagedObjectModel(entities: descriptions)
    #expect {
      try kind.open(in: folder, other)
    } throws: {
      guard case StoreError.incompatibleModel(let differing, let missing, let extra) = $0 else { return false }
      return differing == ["Book"] && missing.isEmpty && extra.isEmpty
    }
  }

  @Test("a read-only store opens what is there and refuses saves", arguments: StoreKind.files)
  func readOnly(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let description = kind.description(in: folder)
    description.isReadOnly = true
    let readOnly = description
    #expect {
      try kind.type.load(readOnly, model: model)
    } throws: { if case StoreError.missing = $0 { true } else { false } }
    #expect(try folder.names().isEmpty)
    try Library.fill(try kind.open(in: folder, model))
    let store = try kind.type.load(readOnly, model: model)
    #expect(try Portrait.snapshots(store).count == 4)
    #expect { try Library.fill(store) } throws: { if case StoreError.unsupported = $0 { true } else { false } }
  }

  @Test("stores are destroyed and replaced, files of another kind are left alone", arguments: StoreKind.files)
  func destroyAndReplace(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    try Library.fill(try kind.open(in: folder, model))
    let url = try #require(kind.description(in: folder).url)
    let copy = folder.file("copy")
    try kind.type.replace(at: copy, with: url)
    let copied = try kind.type.load(described(kind, copy), model: model)
    #expect(try Portrait.snapshots(copied).count == 4)
    try kind.type.replace(at: copy, with: url)

    try kind.type.destroy(at: url)
    try kind.type.destroy(at: url)
    #expect(try folder.names() == ["copy"])
    #expect { try kind.type.replace(at: copy, with: url) } throws: {
      if case StoreError.missing = $0 { true } else { false }
    }

    let stranger = folder.file("stranger")
    try FileManager.default.createDirectory(at: stranger, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: stranger.appendingPathComponent("notes.txt"))
    let files = try folder.contents()
    #expect(throws: StoreError.self) { try kind.type.destroy(at: stranger) }
    #expect(throws: StoreError.self) { try kind.type.destroy(at: stranger.appendingPathComponent("notes.txt")) }
    #expect(throws: StoreError.self) { try kind.type.replace(at: stranger, with: copy) }
    #expect(try folder.contents() == files)
  }

  private func described(_ kind: StoreKind, _ url: URL) -> PersistentStoreDescription {
    let description = PersistentStoreDescription(type: .inMemory, url: url)
    description.type = kind.type
    return description
  }

  @Test("a value that does not fit its attribute is refused", arguments: StoreKind.files)
  func misfits(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Library.model()
    let store = try kind.open(in: folder, model)
    let book = try model.required("Book")
    for (index, value) in [(0, Value.string("today")), (1, .integer(1)), (2, .data(Data())), (3, .integer(1 << 40))] {
      var request = SaveRequest()
      var attributes: [Value] = [.null, .null, .string("x"), .null]
      attributes[index] = value
      let id = try Library.id("Book", try store.reservePrimaryKeys(1, for: book), in: store)
      request.inserted = [Snapshot(objectID: id, version: 1, attributes: attributes, toOne: [nil, nil])]
      let insertion = request
      #expect { try store.save(insertion) } throws: { "\($0)".contains("Book.") }
    }
    #expect(try store.count(FetchSpecification(book)) == 0)
  }
}
