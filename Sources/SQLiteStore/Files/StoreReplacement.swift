import SQLite
import StoreInterface

extension FileSystem {
  /// Renames a finished store over another one, crash-safely.
  ///
  /// A log of the old store must not stay beside the new main file, or SQLite would replay it into the new store; and
  /// it must not go while the old main file still needs it. So the old log is moved into the old main file first, then
  /// the old sidecars are removed, then the new file takes the old one's name: at every moment the target is one of
  /// the two stores, whole.
  static func replaceStore(at target: String, with partial: String, synchronizes: Bool) throws {
    let folder = parent(target)
    if synchronizes { try synchronize(partial) }
    if exists(target) { try settleLog(of: target) }
    for suffix in PrivateView.sidecarSuffixes { try remove(target + suffix) }
    if synchronizes { try synchronize(folder) }
    try rename(partial, to: target)
    for suffix in ["-wal", "-shm"] where exists(partial + suffix) { try rename(partial + suffix, to: target + suffix) }
    if synchronizes { try synchronize(folder) }
  }

  /// Moves an old store's log into its main file. A file that is no database needs no such care.
  ///
  /// Exclusive locking finds out whether somebody has a store in WAL mode open, even if they are idle: what they wrote
  /// after the replacement would go into a file without a name.
  private static func settleLog(of path: String) throws {
    guard ["-wal", "-journal"].contains(where: { exists(path + $0) }) else { return }
    do {
      let connection = try Connection(path: path, options: .init(busyTimeoutMilliseconds: 1_000))
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
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
  /// Renames a sealed store (with its `-wal` and `-shm`, if it has any) over `target`, with its files of external
  /// data, and removes the target's old sidecars and files in a crash-safe order.
  ///
  /// The new files are added first and the old ones go last, so that at every moment the store that is in place finds
  /// its own. Of the old files those go that rows of the old store name and rows of the new one do not.
  /// - Parameter synchronizes: false leaves it to the caller to force the files to disk.
  /// - Throws: `StoreError.busy` when another connection uses the target, or has it open in WAL mode.
  public static func replace(target: String, with sealed: String, synchronizes: Bool = true) throws {
    let external = ExternalDataFolder(storePath: target)
    let old = try external.openData() == nil ? [] : namedFiles(target)
    let new = try moveExternalData(from: sealed, to: external)
    do {
      try FileSystem.replaceStore(at: target, with: sealed, synchronizes: synchronizes)
    } catch {
      // The old store stays, and with it only its own files.
      if let folder = try? external.openData() {
        for name in new.subtracting(old) { try? folder.remove(name) }
        external.removeIfEmpty()
      }
      throw error
    }
    guard let folder = try external.openData() else { return }
    for name in old.subtracting(new).sorted() { try folder.remove(name) }
    external.removeIfEmpty()
  }

  /// - Returns: the names of the files that the new store brings.
  private static func moveExternalData(from sealed: String, to external: ExternalDataFolder) throws -> Set<String> {
    let source = ExternalDataFolder(storePath: sealed)
    guard let folder = try source.openData() else { return [] }
    let names = try folder.names().filter { ExternalDataFolder.isFileName($0) }
    if names.isEmpty { return [] }
    let target = try external.makeData()
    for name in names { try FileSystem.rename(folder.path + "/" + name, to: target.path + "/" + name) }
    try target.synchronize()
    source.removeIfEmpty()
    return Set(names)
  }

  /// The files that rows of a store name; none when it is no database, for then nobody knows what was its own.
  private static func namedFiles(_ path: String) throws -> Set<String> {
    guard FileSystem.exists(path) else { return [] }
    do {
      return try PrivateView.withConnection(to: path) { try ExternalDataFolder.namedFiles($0) }
    } catch let error as StoreError {
      switch error {
      case .busy, .inputOutput: throw error
      default: return []
      }
    }
  }
}
