import Foundation
import ObjectModel
import StoreInterface

/// What one reader of a store's pool sees while its transaction is open.
///
/// SQLite keeps the pages of the write-ahead log that it needs, so that the log grows meanwhile.
final class SQLiteGeneration: StoreGeneration, @unchecked Sendable {
  let identifier: String
  let model: ManagedObjectModel
  private let path: String
  private let pool: ReaderPool
  /// Guards the reader: what is being read when the generation is closed is read to the end.
  private let lock = NSRecursiveLock()
  /// Nil when it is closed.
  private var reader: StoreReader?

  /// - Parameter reader: taken from the pool.
  init(_ reader: StoreReader, of pool: ReaderPool) {
    identifier = reader.identifier
    model = reader.file.model
    path = reader.file.path
    self.pool = pool
    self.reader = reader
  }

  deinit { close() }

  func close() {
    let open = lock.withLock {
      defer { reader = nil }
      return reader
    }
    if let open { pool.end(self, open) }
  }

  private func reading<Result>(_ body: (StoreReader) throws -> Result) throws -> Result {
    try lock.withLock {
      guard let reader else {
        throw StoreError.failure("\(path): the query generation ended with the store that it is of, which was closed")
      }
      return try body(reader)
    }
  }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try reading { try $0.snapshots(request) } }

  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try reading { try $0.snapshots(request, monitor: monitor) }
  }

  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    try reading { try $0.snapshotBlocks(request) }
  }

  func count(_ request: FetchSpecification) throws -> Int { try reading { try $0.count(request) } }

  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] { try reading { try $0.objectIDs(request) } }

  func rows(_ request: FetchSpecification) throws -> FetchedRows { try reading { try $0.rows(request) } }

  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try reading { try $0.members(of: owner, relationship: relationship) }
  }

  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try reading { try $0.members(of: owners, relationship: relationship) }
  }
}
