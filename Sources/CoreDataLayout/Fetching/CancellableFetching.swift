import SQLite
public import StoreInterface

extension SQLiteStore {
  /// As `snapshots(_:)`, ended by SQLite itself when the monitor is cancelled.
  ///
  /// Where readers do not keep anybody from writing (a write-ahead log, or a store opened for reading), a connection of
  /// its own reads what is committed, and others use the store meanwhile. Otherwise they wait.
  /// - Throws: `CancellationError` when the monitor was cancelled, otherwise what `snapshots(_:)` throws.
  public func snapshots(_ request: FetchRequest, monitor: FetchMonitor) throws -> [Snapshot] {
    do {
      try monitor.check()
      guard let reader = try makeReader() else {
        return try cancellable(by: monitor) { try snapshots(request) }
      }
      let found = try reader.cancellable(by: monitor) { try reader.snapshots(request) }
      try reader.close()
      return found
    } catch {
      try monitor.check()
      throw error
    }
  }

  /// The lock is held all the while, so that no other statement of the connection can be meant.
  private func cancellable<Result>(by monitor: FetchMonitor, _ body: () throws -> Result) throws -> Result {
    try perform {
      self.monitor = monitor
      defer { self.monitor = nil }
      return try connection.stopping(when: { monitor.isCancelled }, body)
    }
  }

  /// A second connection to the same file; nil where this one has to be used.
  private func makeReader() throws -> SQLiteStore? {
    let isApart = try perform {
      if connection.isInTransaction || options.isUnderConstruction { return false }
      return try options.isReadOnly || connection.string("PRAGMA journal_mode") == "wal"
    }
    if !isApart { return nil }
    var readerOptions = options
    readerOptions.isReadOnly = true
    // Whoever took the file away or put another one in its place has not reached this connection.
    guard let reader = try? SQLiteStore.open(path: path, model: model, options: readerOptions),
      reader.identifier == identifier
    else { return nil }
    // This connection has looked at the file's schema already; a fetch may take as long as it likes.
    if !options.isReadOnly { try reader.connection.limitWork(toSteps: nil) }
    return reader
  }
}
