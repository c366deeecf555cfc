import Platform
import SQLite
import StoreInterface

/// Puts finished stores in place.
public enum StoreReplacement {
  /// Renames a sealed store (with its `-wal` and `-shm`, if it has any) over `target`, with its files of external
  /// data, and removes the target's old sidecars and files in a crash-safe order.
  ///
  /// - Parameter synchronizes: false leaves it to the caller to force the files to disk.
  /// - Throws: `StoreError.busy` when another connection uses the target, or has it open in WAL mode. After an error
  ///   the target is as it was, byte for byte, with its sidecars; when that could not be restored, the error says that
  ///   the new store is in place.
  public static func replace(target: String, with sealed: String, synchronizes: Bool = true) throws {
    try replace(target: target, with: sealed, synchronizes: synchronizes) {}
  }

  /// The same, unless `check` throws.
  /// - Parameter check: called when the target is locked.
  package static func replace(
    target: String, with sealed: String, synchronizes: Bool = true, checking check: () throws -> Void
  ) throws {
    try replace(target: target, with: sealed, synchronizes: synchronizes, keepsExternalData: false, checking: check)
  }

  /// - Parameters:
  ///   - keepsExternalData: see `FilePlacement.put`.
  ///   - check: called when the target is locked.
  package static func replace(
    target: String, with sealed: String, synchronizes: Bool, keepsExternalData: Bool,
    checking check: () throws -> Void
  ) throws {
    let placement = FilePlacement()
    do {
      try placement.put(
        store: sealed, at: target, synchronizes: synchronizes, keepsExternalData: keepsExternalData, checking: check)
      if synchronizes { try placement.synchronize() }
    } catch {
      throw placement.undo(after: error)
    }
    placement.commit()
  }

  /// Gives a store that nothing has open the journal mode of the store that it is to replace: where that one is a
  /// single file, the log goes into the file. Does nothing where there is no such store.
  public static func copyJournalMode(from original: String, at path: String) throws {
    guard FileSystem.exists(original) else { return }
    guard !(try StoreFiles.isWriteAheadLogged(path: original)), StoreFiles.isDatabase(path: original) else { return }
    do {
      let connection = try Connection(path: path)
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      if try connection.isWriteAheadLogged { try connection.checkpoint(.truncate) }
      let mode = try connection.string("PRAGMA journal_mode = DELETE")
      guard mode == "delete" else { throw StoreError.busy(path: path) }
      try connection.close()
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }
}

extension FilePlacement {
  /// As `put(_:at:)`, with everything that belongs to a store: sidecars, and files of external data.
  ///
  /// The new external files are added first and the old ones go at the commit, so that at every moment the store that
  /// is in place finds its own. Old files that only rows of the old store name are removed.
  /// SQLite's own lock on the old store is held until the commit, so that no connection writes to it meanwhile.
  /// - Parameters:
  ///   - synchronizes: false leaves it to the caller to force the files to disk.
  ///   - keepsExternalData: whether the new store names files of the old one's external data, which all stay.
  ///   - check: called when the old store is locked.
  /// - Throws: `StoreError.busy` when another connection uses the target, or has it open in WAL mode; what `check`
  ///   throws.
  public func put(
    store sealed: String, at target: String, synchronizes: Bool = true, keepsExternalData: Bool = false,
    checking check: () throws -> Void = {}
  ) throws {
    let external = ExternalDataFolder(storePath: target)
    let old = try keepsExternalData || external.openData() == nil ? [] : FilePlacement.namedFiles(target)
    try FilePlacement.keepPermissions(of: target, in: sealed)
    if synchronizes { try StoreFiles.synchronize(sealed) }
    let new = try putExternalData(of: sealed, in: external)
    try setLogAside(of: target, for: sealed, synchronizes: synchronizes, check)
    try put(sealed, at: target)
    for sidecar in Sidecar.ofLog where FileSystem.exists(sidecar.path(of: sealed)) {
      try put(sidecar.path(of: sealed), at: sidecar.path(of: target))
    }
    onCommit {
      // A file that stays without a row that names it does no harm; `check` reports it.
      guard let folder = try? external.openData() else { return }
      let former = old.subtracting(new)
      if !former.isEmpty, let others = try? ExternalDataFolder.filesOfOthers(besides: target) {
        for name in former.subtracting(others).sorted() { try? folder.remove(name) }
      }
      external.removeIfEmpty()
    }
  }

  /// Gives a new store, with its sidecars and files of external data, the permissions of the one that it replaces.
  private static func keepPermissions(of target: String, in sealed: String) throws {
    guard FileSystem.exists(target) else { return }
    let external = ExternalDataFolder(storePath: sealed)
    let names = try external.openData()?.names().filter { ExternalDataFolder.isFileName($0) } ?? []
    let paths = Sidecar.files(of: sealed, Sidecar.ofLog) + names.map { external.dataPath + "/" + $0 }
    for path in paths where FileSystem.exists(path) { try StoreFiles.copyPermissions(of: target, to: path) }
  }

  /// Takes the old store's sidecars away.
  ///
  /// A log of the old store must not stay beside the new main file, or SQLite would replay it into the new store; and
  /// it must not go while the old main file still needs it. So a copy of the old store that has the log's rows in its
  /// main file takes the old main file's place first: to replay the log into that changes nothing. Then the sidecars
  /// go. All of it is renaming, so that the old files can come back as they were.
  private func setLogAside(
    of target: String, for sealed: String, synchronizes: Bool, _ check: () throws -> Void
  ) throws {
    var holds = [try StoreHold(target)]
    let release = { for hold in holds { hold.release() } }
    onUndo { release() }
    onCommit { release() }
    do {
      try check()
      if holds[0].hasLog {
        let checkpointed = sealed + ".checkpointed"
        for file in Sidecar.files(of: checkpointed) { try StoreFiles.remove(file) }
        defer { for file in Sidecar.files(of: checkpointed) { try? StoreFiles.remove(file) } }
        // Reading the file releases the lock, so the lock is taken again afterwards.
        let stamp = try StoreStamp.read(path: target)
        holds[0].release()
        if try FilePlacement.copyCheckpointed(target, to: checkpointed, synchronizes: synchronizes) {
          holds = [try StoreHold(target), try StoreHold(checkpointed)]
          guard try StoreStamp.read(path: target) == stamp else { throw StoreError.busy(path: target) }
          try put(checkpointed, at: target)
        }
      }
    } catch {
      release()
      throw error
    }
    for sidecar in Sidecar.allCases {
      try setAside(sidecar.path(of: target), as: sidecar.path(of: sealed) + ".previous-sidecar")
    }
    if synchronizes { try synchronize() }
  }

  /// Copies a store with its log and moves the log into the copy's main file.
  /// - Returns: false when it is no database: such a file needs no log.
  private static func copyCheckpointed(_ path: String, to copy: String, synchronizes: Bool) throws -> Bool {
    try StoreFiles.copyWithLog(from: path, to: copy, synchronizes: false)
    do {
      let connection = try Connection(path: copy)
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      try connection.checkpoint(.truncate)
      try connection.close()
    } catch {
      if error.code == .notADatabase || error.code == .corrupt { return false }
      throw StoreError(error, path: path)
    }
    if synchronizes { try StoreFiles.synchronize(copy) }
    return true
  }

  /// - Returns: the names of the files that the new store brings.
  private func putExternalData(of sealed: String, in external: ExternalDataFolder) throws -> Set<String> {
    let source = ExternalDataFolder(storePath: sealed)
    guard let folder = try source.openData() else { return [] }
    let names = try folder.names().filter { ExternalDataFolder.isFileName($0) }
    if names.isEmpty { return [] }
    onUndo { external.removeIfEmpty() }
    let target = try external.makeData()
    for name in names { try put(folder.path + "/" + name, at: target.path + "/" + name) }
    try target.synchronize()
    onCommit { source.removeIfEmpty() }
    return Set(names)
  }

  /// The files that rows of a store name; none when the file is no database, because then its files are not known.
  private static func namedFiles(_ path: String) throws -> Set<String> {
    guard FileSystem.exists(path) else { return [] }
    do {
      return try ReadOnlyAccess.withConnection(to: path) { try ExternalDataFolder.namedFiles($0) }
    } catch let error as StoreError {
      switch error {
      case .busy, .inputOutput: throw error
      default: return []
      }
    }
  }
}
