import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@testable import CoreDataLayout

@Suite("query generations of an SQLite store")
struct GenerationTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let sample: Entity
  private let store: SQLiteStore
  private var path: String { folder.path("a.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.types()
    sample = try model.required("Sample")
    store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    try insert([1, 2])
  }

  /// Rows with long images of these bytes.
  private func insert(_ bytes: [UInt8]) throws {
    let batch = makeBatch(
      sample, [.init(.attribute("text"), .bytes), .init(.attribute("image"), .bytes)],
      bytes.map { [.text("\($0)"), .bytes(Array(repeating: $0, count: 120_000))] })
    try store.insert(batch, keys: bytes.map { Int64($0) })
  }

  private func texts(_ store: some StoreReading) throws -> [Value] { try values("text", store) }

  private func values(_ name: String, _ store: some StoreReading) throws -> [Value] {
    let index = try #require(sample.attributes.firstIndex { $0.name == name })
    return try store.snapshots(FetchSpecification(sample)).map { $0.attributes[index] }
  }

  private func files() throws -> Int { try folder.externalFiles(of: "a").count }

  @Test("files that only rows of a generation name stay as long as it does")
  func externalFiles() throws {
    let generation = try store.openGeneration()
    let later = try store.openGeneration()
    let images = try values("image", generation)
    try store.delete(entity: sample, primaryKeys: [1])
    #expect(try files() == 2)
    #expect(try values("image", generation) == images)
    generation.close()
    try insert([3])
    #expect(try files() == 3)
    #expect(try values("image", later) == images)
    later.close()
    // The next transaction removes what nothing needs any more; so does closing.
    try insert([4])
    #expect(try files() == 3)
    let last = try store.openGeneration()
    try store.delete(entity: sample, primaryKeys: [2])
    #expect(try files() == 3)
    last.close()
    try store.close()
    #expect(try files() == 2)
    let report = try StoreChecker.check(path: path, model: model)
    #expect(report.findings.isEmpty, "\(report.findings)")
  }

  @Test("connections are used again, and only a few are kept")
  func pool() throws {
    #expect(store.pool.idleCount == 0)
    for _ in 0..<3 {
      let generation = try store.openGeneration()
      #expect(store.pool.idleCount == 0)
      #expect(try texts(generation).count == 2)
      generation.close()
      generation.close()
      #expect(store.pool.idleCount == 1)
    }
    let many = try (0..<9).map { _ in try store.openGeneration() }
    for generation in many { #expect(try texts(generation).count == 2) }
    for generation in many { generation.close() }
    #expect(store.pool.idleCount == 4)
    // A generation without references closes by itself.
    try insert([3])
    do { _ = try texts(try store.openGeneration()) }
    #expect(store.pool.idleCount == 4)
    let asynchronous = try store.snapshots(FetchSpecification(sample), monitor: FetchMonitor())
    #expect(asynchronous.count == 3 && store.pool.idleCount == 4)
    let error = #expect(throws: StoreError.self) { try many[0].count(FetchSpecification(sample)) }
    #expect(error.map { "\($0)".contains("query generation ended") } == true)
    // Idle connections do not block a checkpoint or sealing.
    try store.checkpoint()
    try store.seal()
    #expect(try folder.names() == [".a_SUPPORT", "a.sqlite"])
  }

  @Test("a connection that another used sees what is committed when it is used again")
  func reused() throws {
    try store.openGeneration().close()
    try store.begin()
    try insert([5])
    let during = try store.openGeneration()
    #expect(try texts(during).count == 2)
    try store.commit()
    let after = try store.openGeneration()
    #expect(try texts(during).count == 2)
    #expect(try texts(after).count == 3)
    during.close()
    after.close()
    // Another program changes the schema: the connections are opened anew.
    let other = try Connection(path: path)
    try other.execute("CREATE TABLE \"another's\" (a)")
    try other.close()
    let last = try store.openGeneration()
    #expect(try texts(last).count == 3)
    last.close()
  }

  @Test("a generation ends with its store, and keeps the store from being sealed")
  func closing() throws {
    let patient = try SQLiteStore.open(
      path: path, model: model, options: options { $0.busyTimeoutMilliseconds = 20 })
    let sealed = try patient.openGeneration()
    try store.close()
    #expect { try patient.seal() } throws: { if case StoreError.busy = $0 { true } else { false } }
    #expect(try texts(sealed).count == 2)
    try patient.close()
    #expect(throws: StoreError.self) { try texts(sealed) }
    #expect(throws: StoreError.self) { try patient.openGeneration() }
    #expect(try folder.names() == [".a_SUPPORT", "a.sqlite"])
  }

  private func options(_ change: (inout SQLiteStore.Options) -> Void) -> SQLiteStore.Options {
    var options = SQLiteStore.Options()
    change(&options)
    return options
  }

  @Test("a store without a write-ahead log keeps none, and says so", arguments: [false, true])
  func withoutLog(isReadOnly: Bool) throws {
    try store.seal(journal: .delete)
    let plain = try SQLiteStore.open(path: path, model: model, options: options { $0.isReadOnly = isReadOnly })
    let error = #expect(throws: StoreError.self) { try plain.openGeneration() }
    #expect(error.map { "\($0)".contains("write-ahead log") && "\($0)".contains(path) } == true)
    if isReadOnly { return try plain.close() }
    // The refused generation leaves no lock that would block a write.
    try plain.delete(entity: sample, primaryKeys: [1])
    #expect(try texts(plain).count == 1)
    try plain.close()
    let built = try SQLiteStore.create(
      path: folder.path("built.sqlite"), model: model, options: options { $0.isUnderConstruction = true })
    let refusal = #expect(throws: StoreError.self) { try built.openGeneration() }
    #expect(refusal.map { "\($0)".contains("under construction") } == true)
    try built.close()
  }

  @Test("a read-only store in WAL mode keeps generations", arguments: [false, true])
  func readOnly(leavesSidecarsAlone: Bool) throws {
    try store.seal(journal: .wal)
    let options = options {
      $0.isReadOnly = true
      $0.leavesSidecarsAlone = leavesSidecarsAlone
    }
    let reading = try SQLiteStore.open(path: path, model: model, options: options)
    let generation = try reading.openGeneration()
    #expect(try texts(generation).count == 2)
    generation.close()
    let again = try reading.openGeneration()
    #expect(try texts(again).count == 2)
    try reading.close()
  }

  @Test("where another file has taken the place of the store, there is no generation of it")
  func replaced() throws {
    let before = try store.openGeneration()
    try store.openGeneration().close()
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(atPath: path + suffix, toPath: folder.path("old" + suffix))
    }
    try SQLiteStore.create(path: path, model: model).close()
    let error = #expect(throws: StoreError.self) { try store.openGeneration() }
    #expect(error.map { "\($0)".contains("another store has taken its place") } == true)
    // What was opened before still is what it was.
    #expect(try values("text", before).count == 2)
  }
}
