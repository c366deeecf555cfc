import Platform
import SQLite
import StoreInterface

/// Sessions that see the store as it was when their transaction began, one transaction after the other.
extension StoreSession {
  /// The signs by which a connection still has the store's file open with the checked schema.
  struct SeenFile {
    var stamp: FileSystem.Stamp
    var schemaVersion: Int64?
  }

  /// Whether what is committed is in a write-ahead log, so that readers and writers do not wait for each other.
  func hasWriteAheadLog() throws -> Bool {
    try perform {
      if try connection.isWriteAheadLogged { return true }
      // Opened as immutable, a file has no log, whatever its header tells other connections.
      let isWriteAheadLogged = try StoreFiles.isWriteAheadLogged(path: privateCopy?.path ?? file.path)
      return options.isReadOnly && isWriteAheadLogged
    }
  }

  /// Remembers the file, and its schema as the open transaction sees it.
  func noteFile() throws { checked = try currentFile() }

  /// Ends the session's transaction, and gives back memory that reading took.
  func endSnapshot() throws {
    try perform {
      resetStatements()
      try connection.rollback()
      try connection.execute("PRAGMA shrink_memory")
    }
  }

  /// Has the session see the store as it is now.
  /// - Returns: false when another file is at the path now, or the schema has changed: it is to be closed.
  func beginSnapshot() throws -> Bool {
    try perform {
      try connection.begin(.deferred)
      // The first read determines which state of the file the transaction sees.
      guard let checked, let now = try currentFile(), now.stamp.isOfSameFile(as: checked.stamp),
        now.schemaVersion == checked.schemaVersion
      else {
        try connection.rollback()
        return false
      }
      try requireSameStore()
      return true
    }
  }

  /// Nil when there is no file at the path.
  private func currentFile() throws -> SeenFile? {
    guard let stamp = try StoreFiles.stamp(privateCopy?.path ?? file.path) else { return nil }
    return SeenFile(stamp: stamp, schemaVersion: try connection.integer("PRAGMA schema_version"))
  }

  /// - Throws: `StoreError.failure` when what the transaction sees is not the store that the file says.
  func requireSameStore() throws {
    let metadata = try StoreMetadata(connection)
    guard metadata.uuid == file.identifier,
      metadata.entityVersionHashesByName == file.metadata.entityVersionHashesByName
    else { throw StoreError.failure("\(file.path): another store has taken its place") }
  }
}
