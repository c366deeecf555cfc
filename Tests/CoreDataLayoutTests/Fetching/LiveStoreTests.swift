import Dispatch
import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import Synchronization
import TestRows
import TestStores
import TestSupport
import Testing

@testable import CoreDataLayout

/// Stores that are read without touching them, while other connections write to them.
@Suite("Stores that are written to while they are read")
struct LiveStoreTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let sample: Entity

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.types()
    sample = try model.required("Sample")
  }

  private func makeStore(rows: Int, _ mode: String) throws -> String {
    let path = folder.path("live.sqlite")
    let store = try SQLiteStore.create(path: path, model: model)
    let batch = makeBatch(
      sample, [.init(.attribute("medium"), .integer)], (0..<rows).map { _ in [.integer(0)] })
    try store.insert(batch, keys: Array(1...Int64(rows)))
    try store.seal()
    let connection = try Connection(path: path)
    _ = try connection.string("PRAGMA journal_mode = \(mode)")
    try connection.close()
    return path
  }

  private func open(_ path: String) throws -> SQLiteStore {
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    options.leavesSidecarsAlone = true
    options.busyTimeoutMilliseconds = 100
    return try SQLiteStore.open(path: path, model: model, options: options)
  }

  @Test(
    "what is read is of one moment, and a writer waits: also between two fetches", arguments: ["delete", "persist"])
  func rollbackMode(mode: String) throws {
    let path = try makeStore(rows: 20_000, mode)
    let writer = try Connection(path: path, options: .init(busyTimeoutMilliseconds: 0))
    var seen: Set<Int64> = []
    let store = try open(path)
    for _ in 0..<2 {
      var isFirst = true
      try store.scan(FetchSpecification(sample), keyPaths: [["medium"]], rowsPerBatch: 1_000) { batch in
        for row in 0..<batch.count { unsafe seen.insert(batch.integers(0)[row]) }
        if isFirst {
          #expect { try writer.execute("UPDATE ZSAMPLE SET ZMEDIUM = 1") } throws: {
            ($0 as? SQLiteError)?.code == .busy
          }
          isFirst = false
        }
        return batch
      }
    }
    #expect(seen == [0])
    try store.requireUnchanged()
    try store.close()
    try writer.execute("UPDATE ZSAMPLE SET ZMEDIUM = 2")
    let again = try open(path)
    var request = FetchSpecification(sample)
    request.predicate = .comparison(["medium"], .equal, .integer(2))
    #expect(try again.count(request) == 20_000)
    try again.close()
    try writer.close()
  }

  @Test("a file in WAL mode that nothing had open, and that is written to meanwhile, gives no result")
  func writeAheadMode() throws {
    let path = try makeStore(rows: 100, "wal")
    let store = try open(path)
    #expect(try store.count(FetchSpecification(sample)) == 100)
    try store.requireUnchanged()
    let writer = try Connection(path: path)
    try writer.execute("UPDATE ZSAMPLE SET ZMEDIUM = 1")
    // The last connection that closes brings the log into the file.
    try writer.close()
    #expect { try store.requireUnchanged() } throws: { if case StoreError.busy = $0 { true } else { false } }
    try store.close()
  }

  @Test(
    "a store whose log grows all the time is read as it was after some commit", .timeLimit(.minutes(10)),
    arguments: [1, 100, 1_000])
  func growingLog(pagesPerCheckpoint: Int) throws {
    let path = try makeStore(rows: 20_000, "wal")
    let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isDone = Atomic(false)
    let outcome = Mutex<Result<Int, any Error>?>(nil)
    Thread.detachNewThread {
      let result = Result {
        let writer = try Connection(path: path, options: .init(busyTimeoutMilliseconds: 5_000))
        _ = try writer.integer("PRAGMA wal_autocheckpoint = \(pagesPerCheckpoint)")
        var count = 0
        repeat {
          // Each commit changes rows of all leaf pages by the same number.
          try writer.execute("UPDATE ZSAMPLE SET ZMEDIUM = ZMEDIUM + 1 WHERE Z_PK % 200 = 1")
          count += 1
          hasBegun.signal()
        } while !isDone.load(ordering: .relaxed)
        try writer.close()
        return count
      }
      outcome.withLock { $0 = result }
      hasBegun.signal()
      hasEnded.signal()
    }
    hasBegun.wait()
    let readings = Result {
      for _ in 0..<6 {
        let store = try open(path)
        var counts: [Int64: Int] = [:]
        try store.scan(FetchSpecification(sample), keyPaths: [["medium"]], rowsPerBatch: 1_000) { batch in
          for row in 0..<batch.count { unsafe counts[batch.integers(0)[row], default: 0] += 1 }
          return batch
        }
        #expect(counts.removeValue(forKey: 0) == 19_900)
        #expect(Array(counts.values) == [100])
        try store.requireUnchanged()
        try store.close()
      }
    }
    isDone.store(true, ordering: .relaxed)
    hasEnded.wait()
    try readings.get()
    #expect(try outcome.withLock { try #require($0).get() } > 0)
  }
}
