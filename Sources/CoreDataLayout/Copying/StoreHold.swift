import Platform
import SQLite
import StoreInterface

/// SQLite's own exclusive lock on a store, held while another file takes its place: a connection that has the store
/// open cannot write to the file that is about to lose its name.
///
/// In WAL mode, the lock is refused while any other connection has the store open, even an idle one. In rollback mode
/// an idle connection holds no lock; its next write fails, because SQLite refuses to write to a file that was moved.
/// Closing any other descriptor of the file in this process would release the lock.
final class StoreHold {
  /// Nil where there is no database, or it cannot be locked.
  private var connection: Connection?
  /// Whether a log or journal has something in it.
  let hasLog: Bool

  /// Takes the lock.
  /// - Throws: `StoreError.busy` when another connection uses the store, or has it open in WAL mode.
  init(_ place: String) throws {
    let path = ResultPath.followed(place)
    let hasJournal = try (StoreFiles.stamp(Sidecar.journal.path(of: path))?.size ?? 0) > 0
    guard FileSystem.exists(path), StoreFiles.isDatabase(path: path) else {
      hasLog = FileSystem.exists(path) && hasJournal
      return
    }
    if hasJournal {
      // Opening the store would roll back an unfinished write. A writer that is still at work holds a lock.
      if FileLock.isHeldByAnother(StoreHold.lockedBytes, of: path) { throw StoreError.busy(path: path) }
      hasLog = true
      return
    }
    // SQLite would make a log for a store in WAL mode that no connection has open.
    if try StoreFiles.isWriteAheadLogged(path: path), !FileSystem.exists(Sidecar.log.path(of: path)) {
      hasLog = false
      return
    }
    do {
      let connection = try Connection(path: path, options: .init(busyTimeoutMilliseconds: 1_000))
      try connection.set(.noCheckpointOnClose, true)
      try connection.keepLocks()
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      try connection.begin(.exclusive)
      self.connection = connection
    } catch {
      if error.code == .busy || error.code == .locked { throw StoreError.busy(path: path) }
      // A file that is damaged or read-only is replaced without a lock.
      if ![.notADatabase, .corrupt, .readOnly].contains(error.code), !error.isUnfinishedWrite {
        throw StoreError(error, path: path)
      }
    }
    hasLog = try (StoreFiles.stamp(Sidecar.log.path(of: path))?.size ?? 0) > 0
  }

  /// Lets go of the lock.
  func release() {
    try? connection?.rollback()
    try? connection?.close()
    connection = nil
  }

  deinit { release() }

  /// The pending byte, the reserved byte and 510 bytes for readers: what SQLite locks.
  private static let lockedBytes: Range<Int64> = 0x4000_0000..<0x4000_0200
}
