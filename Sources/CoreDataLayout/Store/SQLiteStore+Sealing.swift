import Platform
import SQLite
import SQLitePages
import StoreInterface

/// How thoroughly a store is checked before it is sealed.
public enum SealVerification: Sendable, Hashable, CaseIterable {
  /// SQLite's integrity check and every reference.
  case full
  case none
}

/// The work that is left for a sealed store when it is closed.
public struct SealFinish: Sendable {
  fileprivate let path: String
  fileprivate let check: DatabaseCheck?
  fileprivate let flush: BackgroundSync?

  /// Checks the pages, and forces the file to disk. On any thread; the store may be read at the same time.
  /// - Throws: `StoreError.notAStore` when a page is not as it should be.
  public func run() throws {
    do {
      if let problem = try check?.problems().first { throw StoreError.notAStore(path: path, message: problem) }
    } catch let error as PageError {
      if error.kind == .inputOutput { throw StoreError.inputOutput(path: path, message: error.message) }
      throw StoreError.notAStore(path: path, message: error.message)
    }
    try flush?.finish()
    try StoreFiles.synchronize(path)
    try StoreFiles.synchronize(FileSystem.parent(path))
  }
}

extension SQLiteStore {
  /// Makes the store final and closes it: builds what was deferred, checks integrity and references, raises `Z_MAX`
  /// where it is low, removes files of external data that no row names any more, moves the log into the main file,
  /// sets the journal mode, and forces everything to disk.
  ///
  /// A store that this object created also gets fixed values for the header's change counters, so that the same
  /// operations give the same bytes; no other program has it open that could be misled by that.
  /// - Throws: `StoreError.failure` when a check fails, `.busy` when another connection has the file open. The store
  ///   stays open then.
  public func seal(journal: SealedJournal = .delete, verification: SealVerification = .full) throws {
    try close(sealingFor: journal, verification, checksPagesLater: false).run()
  }

  /// As `seal`, but leaves two steps that only need the closed file to the caller, which may read the store meanwhile:
  /// checking the pages of a store that was made here, and forcing the file to disk.
  public func sealUnfinished(journal: SealedJournal = .delete) throws -> SealFinish {
    try close(sealingFor: journal, .full, checksPagesLater: options.pageCheck(session).isMadeHere)
  }

  private func close(
    sealingFor journal: SealedJournal, _ verification: SealVerification, checksPagesLater: Bool
  ) throws -> SealFinish {
    try perform {
      if connection.isInTransaction { throw StoreError.failure("a transaction is still open") }
      try pool.closeIdle()
      try writer.buildDeferredIndexes()
      if !writer.pendingOrderKeys.isEmpty { try writer.performAtomically {} }
      let flush = try BackgroundSync(path)
      for table in layout.tables {
        let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
        try writer.setLastPrimaryKey(greatest, of: table.root)
      }
      try verify(verification, checksPages: !checksPagesLater)
      try session.externalData.removeUnnamed(connection)
      session.forgetStatements()
      try connection.execute("PRAGMA incremental_vacuum")
      try connection.releaseLocks()
      if try connection.isWriteAheadLogged { try connection.checkpoint(.truncate) }
      let mode = try connection.string("PRAGMA journal_mode = " + journal.rawValue)
      guard mode == journal.rawValue else { throw StoreError.busy(path: path) }
      if journal == .wal {
        try connection.setKeepsWriteAheadLog(true)
        try connection.execute("SELECT count(*) FROM Z_PRIMARYKEY")
      }
      writer.end()
      let check = checksPagesLater ? try options.pageCheck(session).databaseCheck() : nil
      try pool.close()
      try session.close()
      if file.isCreator { try SQLiteStore.fixHeader(path) }
      return SealFinish(path: path, check: check, flush: flush)
    }
  }

  /// Closes a copy that nothing was written to, so that it is its original to the byte: to seal it would change
  /// nothing.
  /// - Parameter original: the store that this one is a copy of, not in WAL mode.
  /// - Returns: false when something has changed, or sealing would do something: then the store is as it was. Rows that
  ///   came and went are no change; the original never had them.
  public func closeIfUnchanged(from original: String) throws -> Bool {
    try perform {
      guard try !hasChanges(), !hasDeferredIndexes, writer.pendingOrderKeys.isEmpty, !connection.isInTransaction,
        try !Sidecar.withRows.contains(where: { try StoreFiles.stamp(StoreFiles.sidecar($0, of: original)) != nil })
      else { return false }
      guard let header = try StoreFiles.databaseHeader(path: original), header.isPlain, header.freeCount == 0 else {
        return false
      }
      let changesBefore = connection.totalChanges
      for table in layout.tables {
        let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
        try writer.setLastPrimaryKey(greatest, of: table.root)
      }
      guard connection.totalChanges == changesBefore else { return false }
      try close()
      return true
    }
  }

  /// Whether the store says anything else than when it was opened. Temporary tables do not count, nor do rows that came
  /// and went, with what the history says of them. Where no import goes on, every row written counts.
  public func hasChanges() throws -> Bool {
    try perform { try loads.hasChanges() }
  }

  /// Does what `closeIfUnchanged` does, for a store in WAL mode that is to stay in it.
  public func closeIfUntouched(inWriteAheadMode original: String) throws -> Bool {
    try perform {
      guard try !hasChanges(), !hasDeferredIndexes, writer.pendingOrderKeys.isEmpty, !connection.isInTransaction,
        try StoreFiles.isWriteAheadLogged(path: original)
      else { return false }
      try close()
      return true
    }
  }

  private func verify(_ verification: SealVerification, checksPages: Bool) throws {
    if verification == .none { return }
    let consistency = ConsistencyCheck(connection: connection, layout: layout)
    if checksPages, let problem = try options.pageCheck(session).problem() {
      throw StoreError.notAStore(path: path, message: problem)
    }
    // Only a store that was made here is checked: faults that another store had before are for `StoreChecker`.
    guard file.isCreator, let problem = try consistency.references().first else { return }
    throw StoreError.failure("\(problem.message): \(problem.count), for instance row \(problem.exampleKey ?? 0)")
  }

  /// The change counter (offset 24) and the counter for which the page count is valid (92) count transactions, which
  /// say nothing about the contents.
  private static func fixHeader(_ path: String) throws {
    try StoreFiles.overwrite([0, 0, 0, 1], at: 24, of: path)
    try StoreFiles.overwrite([0, 0, 0, 1], at: 92, of: path)
  }
}
