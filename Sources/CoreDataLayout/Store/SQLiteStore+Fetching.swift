public import ObjectModel
public import Predicates
import SQLite
public import StoreInterface

extension SQLiteStore {
  /// The snapshots that a request selects. Values come as Core Data stored them.
  ///
  /// Parts of the predicate that SQL cannot express are evaluated in memory, for the rows that meet the rest.
  public func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    try reading { try $0.snapshots(request) }
  }

  /// The snapshots that a request selects, packed.
  public func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    try reading { try $0.snapshotBlocks(request) }
  }

  /// The ids of the objects that `snapshots` would return, in the same order.
  public func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    try reading { try $0.objectIDs(request) }
  }

  /// The number of objects that a request selects, its limit and offset included.
  public func count(_ request: FetchSpecification) throws -> Int { try reading { try $0.count(request) } }

  /// The SELECT that a request for objects becomes, with `?1` and so on for its values. Where a part of the predicate
  /// is evaluated in memory, it is not in the text.
  public func selectStatement(for request: FetchSpecification) throws -> String {
    try reading { try $0.selectStatement(for: request) }
  }

  /// The rows of a request for dictionaries, straight from the statement where SQL can say all of it.
  public func rows(_ request: FetchSpecification) throws -> FetchedRows { try reading { try $0.rows(request) } }

  /// The members of a to-many relationship: by order key when ordered, by primary key otherwise.
  public func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try reading { try $0.members(of: owner, relationship: relationship) }
  }

  /// The members of many owners, 256 with one statement.
  public func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try reading { try $0.members(of: owners, relationship: relationship) }
  }

  // MARK: - Streams

  /// Streams values at key paths of the objects that a request selects; see
  /// `StoreReader.scan(_:keyPaths:rowsPerBatch:body:)`.
  public func scan(
    _ request: FetchSpecification, keyPaths: [FetchPredicate.KeyPath], rowsPerBatch: Int = 4_096,
    body: (RowBatch) throws -> RowBatch
  ) throws {
    try reading { try $0.scan(request, keyPaths: keyPaths, rowsPerBatch: rowsPerBatch, body: body) }
  }

  /// Streams primary keys and columns of an entity's rows; see
  /// `StoreReader.scan(_:columns:into:onMissingFile:body:)`.
  public func scan(
    _ entity: Entity, columns: [RowBatch.Column], into batch: RowBatch,
    onMissingFile: ((_ primaryKey: Int64, _ column: Int, _ name: String) -> Void)? = nil,
    body: (RowBatch, _ primaryKeys: UnsafeBufferPointer<Int64>, _ entityIndexes: UnsafeBufferPointer<Int64>) throws ->
      Void
  ) throws {
    try reading {
      unsafe try $0.scan(entity, columns: columns, into: batch, onMissingFile: onMissingFile, body: body)
    }
  }

  // MARK: - Other sessions

  /// Opens another connection for reading: until it is closed, it sees the store as it is now, whatever is saved
  /// meanwhile. Any number may be open, and each fetches beside the others and beside the store.
  ///
  /// As long as one is open, a write-ahead log keeps what was written since and cannot be made smaller, and the store
  /// cannot be sealed.
  /// - Throws: `StoreError.unsupported` where a reader would block the store's writes, or see unfinished ones: it is
  ///   under construction, has a transaction open, or is opened for writing and has no write-ahead log.
  public func openReader() throws -> StoreReader {
    guard try isReadableBeside() else {
      throw StoreError.unsupported(
        "\(path) cannot be read beside its writer now: that takes a write-ahead log and no open transaction")
    }
    return try StoreReader(StoreSession.openReading(beside: session))
  }

  /// Whether another connection can read all that this one has written.
  private func isReadableBeside() throws -> Bool {
    try perform {
      // A snapshot that is kept writes nothing.
      if connection.isInTransaction && !session.options.keepsSnapshot || options.isUnderConstruction { return false }
      return try options.isReadOnly || connection.isWriteAheadLogged
    }
  }

  /// As `snapshots(_:)`, ended by SQLite itself when the monitor is cancelled.
  ///
  /// Where readers do not block writers (a write-ahead log, or a store opened for reading), a separate connection reads
  /// the committed rows, and the store can be used meanwhile. Otherwise other calls wait.
  /// - Throws: `CancellationError` when the monitor was cancelled, otherwise what `snapshots(_:)` throws.
  public func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    do {
      try monitor.check()
      // Where another file has taken the place of the store, this connection still has it.
      guard (try? isReadableBeside()) == true, let reader = try? pool.checkOut() else {
        return try reading { try $0.snapshots(request, monitor: monitor) }
      }
      defer { pool.putBack(reader) }
      return try reader.snapshots(request, monitor: monitor)
    } catch {
      try monitor.check()
      throw error
    }
  }
}
