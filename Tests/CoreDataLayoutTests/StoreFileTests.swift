import CoreDataLayout
import Foundation
import ObjectModel
import PropertyLists
import SQLite
import StoreInterface
import TestQueries
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("store files")
struct StoreFileTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.transit()
  }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.path(name))) }

  /// A store with rows of every table, built as an import builds one.
  private func build(_ name: String, journal: SealedJournal = .delete, rows: Int = 3_000) throws {
    let store = try SQLiteStore.create(path: folder.path(name), model: model, options: .construction)
    let stop = try model.required("Stop")
    let route = try model.required("Route")
    try store.begin()
    let columns: [RowBatch.Column] = [
      .init(.attribute("identifier"), .bytes), .init(.attribute("latitude"), .real),
      .init(.attribute("longitude"), .real), .init(.toOne("parent"), .integer),
    ]
    let first = try store.reservePrimaryKeys(rows, for: stop)
    let cells = (0..<rows).map { row -> [Cell] in
      let parent: Cell = row == 0 ? .null : .integer(Int64(row / 10 + 1))
      return [.text("s\(row * 7919 % rows)"), .real(Double(row)), .real(1), parent]
    }
    try store.insert(makeBatch(stop, columns, cells), keys: (0..<rows).map { first + Int64($0) })
    try store.insert(makeBatch(route, [.init(.attribute("code"), .bytes)], [[.text("r")]]), keys: [1])
    try store.commit()
    if let stops = route.relationship("stops") { try store.link(stops, pairs: [(1, 5), (1, 4)], replacing: true) }
    try store.seal(journal: journal)
  }

  @Test("the same operations give the same bytes", arguments: SealedJournal.allCases)
  func determinism(journal: SealedJournal) throws {
    try build("a.sqlite", journal: journal)
    try build("b.sqlite", journal: journal)
    #expect(try bytes("a.sqlite") == bytes("b.sqlite"))
  }

  @Test("the file has Core Data's page size, auto-vacuum and schema, indexes built late or early")
  func header() throws {
    try build("a.sqlite")
    let header = try bytes("a.sqlite")
    #expect(header[16] == 16 && header[17] == 0)
    #expect(header[18] == 1 && header[19] == 1)
    #expect(header[52..<56].contains { $0 != 0 } && header[67] == 1)
    let connection = try Connection(path: folder.path("a.sqlite"), options: .init(isReadOnly: true))
    let schema = Set(
      try connection.rows(
        ofQuery: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '%byPlace\\_%' ESCAPE '\\'"))
    let layout = StoreLayout(model: model)
    let expected = Set(layout.tableStatements + layout.indexes.map(\.createStatement))
    #expect(expected.subtracting(schema).isEmpty)
    #expect(schema.subtracting(expected).count == 3)
    #expect(try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Place'") == 3_000)
  }

  @Test("a FIFO, a device and a folder are no stores, and nothing waits for another program")
  func specialFiles() throws {
    #expect(unsafe mkfifo(folder.path("fifo.sqlite"), 0o600) == 0)
    for (path, what) in [(folder.path("fifo.sqlite"), "a FIFO"), ("/dev/null", "a device"), (folder.path, "a folder")] {
      let works: [() throws -> Void] = [
        { _ = try StoreInspection.read(path: path) }, { _ = try StoreMetadata.read(path: path) },
        { _ = try SQLiteStore.open(path: path, model: model) },
      ]
      for (index, work) in works.enumerated() {
        let error = #expect(throws: StoreError.self, "\(path) \(index)") { try work() }
        #expect(error?.description.contains("it is \(what)") == true, "\(index): \(String(describing: error))")
      }
    }
  }

  @Test("a sealed store opens from a read-only folder; three files are there when asked for")
  func sealed() throws {
    try build("a.sqlite")
    try build("w.sqlite", journal: .wal)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    #expect(names == ["a.sqlite", "w.sqlite", "w.sqlite-shm", "w.sqlite-wal"])
    let before = try bytes("a.sqlite")
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
    let store = try SQLiteStore.open(path: folder.path("a.sqlite"), model: model, options: .readOnly)
    #expect(try store.count(FetchSpecification(try model.required("Stop"))) == 3_000)
    try store.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    #expect(try bytes("a.sqlite") == before)
    let report = try StoreChecker.check(path: folder.path("w.sqlite"), model: model)
    #expect(report.isSound, "\(report.findings)")
    #expect(!report.isFitForReadOnlyBundle)
  }

  @Test("reading a store in WAL mode that lies alone makes no sidecars")
  func readsAlone() throws {
    try build("a.sqlite", rows: 10)
    let connection = try Connection(path: folder.path("a.sqlite"))
    #expect(try connection.string("PRAGMA journal_mode = WAL") == "wal")
    try connection.close()
    let before = try bytes("a.sqlite")
    let store = try SQLiteStore.open(path: folder.path("a.sqlite"), model: model, options: .readOnly)
    #expect(try store.count(FetchSpecification(try model.required("Stop"))) == 10)
    try store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.sqlite"])
    #expect(try bytes("a.sqlite") == before)
  }

  @Test("sealing finds references that lead nowhere")
  func dangling() throws {
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model, options: .construction)
    let stop = try model.required("Stop")
    try store.insert(makeBatch(stop, [.init(.toOne("parent"), .integer)], [[.integer(9)]]), keys: [1])
    #expect(throws: StoreError.self) { try store.seal() }
    try store.close()
    let report = try StoreChecker.check(path: folder.path("a.sqlite"), model: model)
    #expect(report.findings.map(\.code) == [.danglingReference])
  }

  @Test("a store of another model is refused with the entities that differ")
  func incompatible() throws {
    try build("a.sqlite")

    let error = #expect(throws: StoreError.self) {
      try SQLiteStore.open(path: folder.path("a.sqlite"), model: try Models.library())
    }
    guard case .incompatibleModel(let differing, let missing, let extra) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(differing == [])
    #expect(missing == ["Book", "Shelf"])
    #expect(extra == ["Note", "Place", "Route", "Station", "Stop"])
  }

  @Test(
    "a file that is no store is an error, whatever is in it",
    arguments: ["", "hello", "SQLite format 3\0 and then nothing"])
  func notAStore(contents: String) throws {
    try Data(contents.utf8).write(to: URL(fileURLWithPath: folder.path("a.sqlite")))
    #expect(throws: StoreError.self) { try SQLiteStore.open(path: folder.path("a.sqlite"), model: model) }
    #expect(throws: StoreError.self) { try StoreMetadata.read(path: folder.path("a.sqlite")) }
    #expect(throws: StoreError.self) { try StoreChecker.check(path: folder.path("a.sqlite"), model: model) }
    #expect(throws: StoreError.self) { try SQLiteStore.create(path: folder.path("a.sqlite"), model: model) }
  }

  @Test("a store whose write was interrupted says what to do, and a copy of it can be read")
  func unfinishedWrite() throws {
    try build("live.sqlite")
    let connection = try Connection(path: folder.path("live.sqlite"), options: .init(trustsSchema: true))
    let table = try #require(
      try connection.string("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%ZLATITUDE%'"))
    try connection.execute("PRAGMA cache_size = 5; BEGIN; UPDATE \(table) SET ZLATITUDE = -1")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: folder.path("live.sqlite" + suffix), toPath: folder.path("left.sqlite" + suffix))
    }
    try connection.execute("ROLLBACK")
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    #expect {
      _ = try SQLiteStore.open(path: folder.path("left.sqlite"), model: model, options: options)
    } throws: { error in
      guard case StoreError.inputOutput(_, let message, _) = error else { return false }
      return message.contains("seedbed copy")
    }
    let left = try ["left.sqlite", "left.sqlite-journal"].map { try bytes($0) }
    _ = try StoreCopier.copy(from: folder.path("left.sqlite"), to: folder.path("copy.sqlite"))
    #expect(try ["left.sqlite", "left.sqlite-journal"].map { try bytes($0) } == left)
    let store = try SQLiteStore.open(path: folder.path("copy.sqlite"), model: model, options: options)
    let stops = try store.snapshots(FetchSpecification(try model.required("Stop")))
    #expect(stops.count == 3_000 && !stops.contains { $0.attributes.contains(.double(-1)) })
    try store.close()
  }

  @Test("metadata that a transaction wrote are undone with it")
  func undoneMetadata() throws {
    let path = folder.path("a.sqlite")
    let store = try SQLiteStore.create(path: path, model: model)
    defer { try? store.close() }
    try store.setMetadata(["kept": .string("1")])
    let before = store.metadata
    func change() throws {
      try store.setMetadata(["kept": .string("2"), "new": .integer(1)], identifier: UUID().uuidString)
      #expect(store.metadata != before)
    }
    try store.begin()
    try change()
    try store.rollback()
    #expect(store.metadata == before)
    // A part of a transaction is kept, and then the whole is not.
    try store.beginWhole()
    try store.begin()
    try change()
    try store.commit()
    try store.begin()
    try store.setMetadata(["kept": nil])
    try store.rollback()
    #expect(store.metadata.values["kept"] == .string("2"))
    try store.rollbackWhole()
    #expect(store.metadata == before)
    #expect(store.identifier == before.uuid)
    #expect(try StoreMetadata.read(path: path) == before)
    try store.begin()
    try change()
    try store.commit()
    #expect(try StoreMetadata.read(path: path) == store.metadata)
  }

  @Test("metadata has every key of the newest framework and keeps unknown ones")
  func metadata() throws {
    var options = SQLiteStore.Options()
    options.metadata = ["com.example.key": .array([.string("ü"), .integer(-5), .boolean(true), .real(0.5)])]
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model, options: options)
    try store.setMetadata(["other": .string("x")])
    try store.close()
    let metadata = try StoreMetadata.read(path: folder.path("a.sqlite"))
    #expect(metadata.uuid == store.identifier)
    #expect(metadata.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(metadata.versionHashesDigest == model.versionHashesDigest)
    #expect(metadata.versionChecksum == model.versionChecksum)
    #expect(metadata.frameworkVersion == 1523)
    #expect(metadata.values["NSPersistenceMaximumFrameworkVersion"] == .integer(1523))
    #expect(metadata.values["_NSAutoVacuumLevel"] == .string("2"))
    #expect(metadata.values["com.example.key"] == options.metadata["com.example.key"])
    #expect(metadata.values["other"] == .string("x"))
    // Foundation must be able to read what is written here.
    let connection = try Connection(path: folder.path("a.sqlite"))
    let statement = try Statement(connection, "SELECT Z_PLIST FROM Z_METADATA")
    #expect(try statement.step())
    let list = unsafe try PropertyListSerialization.propertyList(from: Data(statement.blob(at: 0) ?? []), format: nil)
    #expect((list as? [String: Any])?["NSStoreType"] as? String == "SQLite")
  }

  @Test("a file with texts in UTF-16 is refused in words", arguments: ["UTF-16le", "UTF-16be"])
  func encodings(encoding: String) throws {
    try SQLiteStore.create(path: folder.path("Wide.sqlite"), model: model).close()
    let source = try Connection(path: folder.path("Wide.sqlite"))
    let row = try Statement(source, "SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    #expect(try row.step())
    let wide = try Connection(path: folder.path("Other.sqlite"), options: .init(createsFile: true))
    try wide.execute(
      "PRAGMA encoding = '\(encoding)'; CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID, Z_PLIST)")
    do {
      let insertion = try Statement(wide, "INSERT INTO Z_METADATA VALUES (1, ?1, ?2)")
      try insertion.bind(1, try #require(row.string(at: 0)))
      try insertion.bind(2, blob: try #require(row.blob(at: 1)))
      try insertion.run()
    }
    // The statement is gone, as closing asks for.
    try wide.close()
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore.open(path: folder.path("Other.sqlite"), model: model)
    }
    #expect(error.map { "\($0)".contains("its texts are in \(encoding)") } == true, "\(String(describing: error))")
  }
}
