import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("copying stores")
struct StoreCopierTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let sample: Entity

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.types()
    sample = try model.required("Sample")
  }

  private func makeStore(_ name: String, rows: Int, image: [UInt8] = [1]) throws -> SQLiteStore {
    let store = try SQLiteStore.create(path: folder.path(name), model: model)
    let batch = makeBatch(
      sample, [.init(.attribute("image"), .bytes)], (0..<rows).map { _ in [.bytes(image)] })
    try store.insert(batch, keys: (1...Int64(max(rows, 1))).map { $0 })
    return store
  }

  private func count(_ name: String) throws -> Int {
    let store = try SQLiteStore.open(path: folder.path(name), model: model, options: .readOnly)
    defer { try? store.close() }
    return try store.count(FetchSpecification(sample))
  }

  private func contents(_ prefix: String) throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where name.hasPrefix(prefix) {
      result[name] = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
    }
    return result
  }

  @Test("rows that are only in the log arrive, and the source is not touched", arguments: SealedJournal.allCases)
  func hotLog(journal: SealedJournal) throws {
    let store = try makeStore("source.sqlite", rows: 50)
    let before = try contents("source")
    #expect(before.keys.contains("source.sqlite-wal"))
    try FileManager.default.createDirectory(atPath: folder.path("out"), withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
    let outcome = try StoreCopier.copy(
      from: folder.path("source.sqlite"), to: folder.path("out/target.sqlite"),
      options: .init(journal: journal, seedVersion: 3))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    #expect(outcome == .copied)
    #expect(try contents("source") == before)
    #expect(try count("out/target.sqlite") == 50)
    #expect(try StoreMetadata.read(path: folder.path("out/target.sqlite")).seedVersion == 3)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
    #expect(
      names == (journal == .delete ? ["target.sqlite"] : ["target.sqlite", "target.sqlite-shm", "target.sqlite-wal"]))
    try store.close()
  }

  @Test("a target stays unless the seed is newer or must replace it, and stale sidecars go")
  func seedVersions() throws {
    try makeStore("source.sqlite", rows: 2).seal()
    let target = folder.path("target.sqlite")
    func copy(_ version: Int?, _ replace: StoreCopier.Options.Replace = .whenNewer) throws -> StoreCopier.Outcome {
      try StoreCopier.copy(
        from: folder.path("source.sqlite"), to: target, options: .init(seedVersion: version, replace: replace))
    }
    #expect(try copy(2) == .copied)
    #expect(try copy(2) == .kept(seedVersion: 2))
    #expect(try copy(1) == .kept(seedVersion: 2))
    #expect(try copy(nil) == .kept(seedVersion: 2))
    #expect(try copy(9, .never) == .kept(seedVersion: 2))
    #expect(try copy(3) == .copied)
    #expect(try copy(nil, .always) == .copied)
    // A store in use leaves a log behind; the copy must not inherit it.
    let old = try SQLiteStore.open(path: target, model: model)
    _ = try old.reservePrimaryKeys(5, for: sample)
    try old.close()
    try Data([0x37, 0x7f, 0x06, 0x82, 0]).write(to: URL(fileURLWithPath: target + "-wal"))
    #expect(try copy(nil, .always) == .copied)
    #expect(!FileManager.default.fileExists(atPath: target + "-wal"))
    #expect(try count("target.sqlite") == 2)
  }

  @Test("external files come along, and those of the replaced store go")
  func externalData() throws {
    try makeStore("source.sqlite", rows: 2, image: Array(repeating: 3, count: 150_000)).seal()
    try makeStore("target.sqlite", rows: 1, image: Array(repeating: 4, count: 150_000)).seal()
    try StoreCopier.copy(
      from: folder.path("source.sqlite"), to: folder.path("target.sqlite"),
      options: .init(replace: .always, replacesForeign: true))
    #expect(try folder.externalFiles(of: "target").count == 2)
    let store = try SQLiteStore.open(path: folder.path("target.sqlite"), model: model)
    let index = try #require(sample.attributes.firstIndex { $0.name == "image" })
    let images = try store.snapshots(FetchSpecification(sample)).map { $0.attributes[index] }
    #expect(images == Array(repeating: .data(Data(repeating: 3, count: 150_000)), count: 2))
  }

  @Test("what is no Core Data store is not copied, and the target stays as it was")
  func foreignSources() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path("empty.db")))
    let plain = try Connection(path: folder.path("plain.db"), options: .init(createsFile: true))
    try plain.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try plain.close()
    try makeStore("target.sqlite", rows: 2).seal()
    let before = try contents("target")
    for name in ["empty.db", "plain.db", "none.db"] {
      for target in ["target.sqlite", "new.sqlite"] {
        let error = #expect(throws: StoreError.self) {
          try StoreCopier.copy(
            from: folder.path(name), to: folder.path(target), options: .init(replace: .always, replacesForeign: true))
        }
        #expect(error.map { "\($0)" }?.contains(name) == true, "\(String(describing: error))")
      }
    }
    #expect(try contents("target") == before)
    #expect(try folder.names() == ["empty.db", "plain.db", "target.sqlite"])
  }
}

@Suite("stores of Apple's", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct FixtureStoreTests {
  @Test("every row is read, and writing keeps the store sound", arguments: Fixtures.pairedStorePaths)
  func rows(store name: String) throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy(name, to: folder)
    let model = try Fixtures.model(of: name)
    let expected = try Fixtures.expected(name)
    let report = try StoreChecker.check(path: path, model: model)
    #expect(report.isCompatible)
    #expect(report.findings.filter { $0.code != .danglingReference }.isEmpty, "\(report.findings)")
    #expect(report.digestMatches != false)

    let store = try SQLiteStore.open(path: path, model: model)
    for table in store.layout.tables {
      #expect(try store.snapshots(FetchSpecification(table.root)).count == expected.rows[table.name])
    }
    for entity in model.entities {
      for relationship in entity.relationships where relationship.isToMany {
        for owner in try store.snapshots(FetchSpecification(entity)).prefix(3) {
          _ = try store.members(of: owner.objectID, relationship: relationship)
        }
      }
    }
    if let changed = try model.entities.lazy.compactMap({ try store.snapshots(FetchSpecification($0)).first }).first {
      var request = SaveRequest()
      request.updated = [changed]
      try store.save(request)
    }
    let metadata = store.metadata
    try store.seal()
    #expect(try StoreMetadata.read(path: path) == metadata)
    #expect(try StoreChecker.check(path: path, model: model).isFitForReadOnlyBundle)
  }

  @Test("the surf journal's 5,000 rows are all in its log, and all in the copy")
  func surfJournal() throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy("stores/surf-journal/SurfJournalModel.sqlite", to: folder)
    let target = folder.path("copy.sqlite")
    try StoreCopier.copy(from: path, to: target)
    let connection = try Connection(path: target, options: .init(isReadOnly: true))
    #expect(try connection.integer("SELECT count(*) FROM ZJOURNALENTRY") == 5_000)
    #expect(!FileManager.default.fileExists(atPath: target + "-wal"))
  }

  @Test("metadata is read without a model", arguments: FixtureFolder.expected.storePaths)
  func metadata(store name: String) throws {
    let folder = try TemporaryFolder()
    let metadata = try StoreMetadata.read(path: try Fixtures.copy(name, to: folder))
    let expected = try Fixtures.expected(name)
    #expect(metadata.entityVersionHashesByName.mapValues(\.hexadecimal) == expected.hashes)
    #expect(metadata.frameworkVersion == expected.frameworkVersion)
    #expect(metadata.versionHashesDigest == expected.digest)
    #expect(metadata.versionChecksum == expected.checksum)
    #expect(metadata.uuid.count == 36)
  }
}
