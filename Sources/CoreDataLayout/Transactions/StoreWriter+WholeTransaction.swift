import SQLite
import StoreInterface

extension StoreWriter {
  /// Opens a transaction around all others: what they change becomes visible to other connections with `commitWhole`,
  /// or not at all.
  /// - Throws: `StoreError.busy` when another connection writes to the store.
  func beginWhole() throws {
    try session.perform {
      // A log that another connection left stays as it is where the transaction does not come to its end.
      try connection.set(.noCheckpointOnClose, true)
      try connection.begin()
      isWhole = true
      changesBefore = connection.totalChanges
      history?.reset()
    }
  }

  /// Keeps all changes since `beginWhole`. Files of external data that no row names any more go after that.
  /// - Throws: `StoreError.busy` when readers stand in the way for too long; the transaction is still open then.
  func commitWhole() throws {
    try session.perform {
      try requireWhole()
      session.resetStatements()
      try connection.commit()
      isWhole = false
      if connection.totalChanges != changesBefore { try? connection.set(.noCheckpointOnClose, false) }
      try? externalData.removeUnnamed(connection)
    }
  }

  /// Undoes all changes since `beginWhole`; does nothing when there is no such transaction.
  func rollbackWhole() throws {
    try session.perform {
      guard isWhole else { return }
      pendingOrderKeys.removeAll()
      history?.reset()
      session.resetStatements()
      isPartOpen = false
      try connection.rollback()
      isWhole = false
      try? externalData.removeUnnamed(connection)
      try adoptStoredMetadata()
    }
  }

  /// A failure such as a full disk may end SQLite's transaction by itself. Nothing may be written after that.
  func requireWhole() throws {
    guard isWhole, !connection.isInTransaction else { return }
    throw StoreError.inputOutput(path: file.path, message: "an error ended the transaction; nothing was changed")
  }
}
