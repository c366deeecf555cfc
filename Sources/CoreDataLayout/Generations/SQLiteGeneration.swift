import Foundation
import ObjectModel
import StoreInterface

/// What one reader of a store's pool sees while its transaction is open.
///
/// SQLite keeps the pages of the write-ahead log that it needs, so that the log grows meanwhile.
final class SQLiteGeneration: StoreGeneration, ReadForwarding, @unchecked Sendable {
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

  func reading<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result {
    try lock.withLock {
      guard let reader else {
        throw StoreError.failure("\(path): the query generation ended with the store that it is of, which was closed")
      }
      return try body(reader)
    }
  }
}
