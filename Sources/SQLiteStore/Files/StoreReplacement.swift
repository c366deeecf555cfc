import SQLite
import StoreInterface

extension FileSystem {
  /// Renames a finished store over another one, crash-safely.
  ///
  /// A log of the old store must not stay beside the new main file, or SQLite would replay it into the new store; and
  /// it must not go while the old main file still needs it. So the old log is moved into the old main file first, then
  /// the old sidecars are removed, then the new file takes the old one's name: at every moment the target is one of
  /// the two stores, whole.
  static func replaceStore(at target: String, with partial: String) throws {
    let folder = parent(target)
    try synchronize(partial)
    if exists(target) { try settleLog(of: target) }
    for suffix in PrivateView.sidecarSuffixes { try remove(target + suffix) }
    try synchronize(folder)
    try rename(partial, to: target)
    for suffix in ["-wal", "-shm"] where exists(partial + suffix) { try rename(partial + suffix, to: target + suffix) }
    try synchronize(folder)
  }

  /// Moves an old store's log into its main file. A file that is no database needs no such care.
  private static func settleLog(of path: String) throws {
    guard ["-wal", "-journal"].contains(where: { exists(path + $0) }) else { return }
    do {
      let connection = try Connection(path: path, options: .init(busyTimeoutMilliseconds: 1_000))
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      try connection.checkpoint(.truncate)
      try connection.close()
    } catch {
      if error.code == .busy || error.code == .locked { throw StoreError.busy(path: path) }
      if error.code != .notADatabase && error.code != .corrupt { throw StoreError(error, path: path) }
    }
  }
}

/// Puts finished stores in place.
public enum StoreReplacement {
  /// Renames a sealed store (with its `-wal` and `-shm`, if it has any) over `target` and removes the target's old
  /// sidecars in a crash-safe order.
  /// - Throws: `StoreError.busy` when another connection uses the target.
  public static func replace(target: String, with sealed: String) throws {
    try FileSystem.replaceStore(at: target, with: sealed)
  }
}
