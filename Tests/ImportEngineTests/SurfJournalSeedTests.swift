import CoreDataLayout
import Foundation
import ModelFiles
import ObjectGraph
import ObjectModel
import SQLite
import SeedFormats
import StoreInterface
import TestSupport
import Testing

/// The bundled store of `pipelines/surf-journal.yaml`. It is made here, by our own engine, the way an app leaves its
/// store when it is stopped: the newest rows are in the `-wal` only. `SEEDBED_MAKE_SEEDS=1 swift test --filter
/// SurfJournalSeed` makes the files anew from `entries.ndjson.gz`.
@Suite("Bundled surf journal")
struct SurfJournalSeedTests {
  private static let folder = FixtureFolder.packageRoot.appendingPathComponent("seeds/surf-journal").path
  private static let name = "SurfJournalModel.sqlite"
  private static let entriesInMainFile = 450
  private static let sidecars = ["", "-wal", "-shm"]
  private static let isMakingSeeds = ProcessInfo.processInfo.environment["SEEDBED_MAKE_SEEDS"] == "1"

  @Test("the seed store holds every entry, the newest in the log only, and is what the source says")
  func seedStore() throws {
    let work = try TemporaryFolder()
    let entries = try entries()
    if Self.isMakingSeeds {
      try make(entries, at: work.path(Self.name))
      for sidecar in Self.sidecars {
        let target = Self.folder + "/" + Self.name + sidecar
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.copyItem(atPath: work.path(Self.name + sidecar), toPath: target)
        try FileManager.default.removeItem(atPath: work.path(Self.name + sidecar))
      }
    }
    for sidecar in Self.sidecars {
      try FileManager.default.copyItem(
        atPath: Self.folder + "/" + Self.name + sidecar, toPath: work.path(Self.name + sidecar))
    }
    let alone = work.path("alone.sqlite")
    try FileManager.default.copyItem(atPath: work.path(Self.name), toPath: alone)
    #expect(try rowCount(alone) == Int64(Self.entriesInMainFile))

    let model = try ModelReader.read(path: Self.folder + "/SurfJournal.xcdatamodeld")
    let store = try SQLiteStore.open(path: work.path(Self.name), model: model)
    let entity = try #require(model["JournalEntry"])
    let stored = try store.snapshots(FetchSpecification(entity)).map(\.attributes)
    try store.close()
    #expect(stored == entries.map { entry in entity.attributes.map { entry[$0.name] ?? .null } })
  }

  private func make(_ entries: [[String: Value]], at path: String) throws {
    let model = try ModelReader.read(path: Self.folder + "/SurfJournal.xcdatamodeld")
    var options = SQLiteStore.Options()
    options.uuid = "5C2F3C0B-6B1E-4C55-9D2B-0F2A5D1B7A11"
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    let container = try PersistentContainer(name: "SurfJournal", model: model, store: store)
    let entity = try #require(model["JournalEntry"])
    for batch in [entries.prefix(Self.entriesInMainFile), entries.dropFirst(Self.entriesInMainFile)] {
      let context = container.newBackgroundContext()
      try context.performAndWait { () throws -> Void in
        for entry in batch {
          let object = context.insert(entity)
          for (name, value) in entry { object[name] = value }
        }
        try context.save()
      }
      if batch.startIndex == 0 { try store.checkpoint() }
    }
    try store.close(keepsLog: true)
  }

  private func rowCount(_ path: String) throws -> Int64? {
    let connection = try Connection(path: path, options: .init(isReadOnly: true, isImmutable: true))
    defer { try? connection.close() }
    return try connection.integer("SELECT count(*) FROM ZJOURNALENTRY")
  }

  /// The source, read without the code under test but for the inflating.
  private func entries() throws -> [[String: Value]] {
    let source = try SeedFile.open(path: Self.folder + "/entries.ndjson.gz", options: .ndjson)
    var bytes: [UInt8] = []
    while let block = try source.next() { unsafe bytes.append(contentsOf: block.bytes) }
    let formatter = ISO8601DateFormatter()
    return try bytes.split(separator: 10).map { line in
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      var entry: [String: Value] = [:]
      for (name, value) in object {
        switch (name, value) {
        case ("date", let text as String): entry[name] = .date(try #require(formatter.date(from: text)))
        case ("rating", let number as Int): entry[name] = .integer(Int64(number))
        case (_, let text as String): entry[name] = .string(text)
        case (_, let number as Double): entry[name] = .double(number)
        default: break
        }
      }
      return entry
    }
  }
}
