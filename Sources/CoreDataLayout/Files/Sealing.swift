import ObjectModel
import Platform
import SQLite
import SQLitePages
import StoreInterface

/// In which journal mode a store is left.
public enum SealedJournal: String, Sendable, Hashable, CaseIterable {
  /// One file, which opens read-only from a read-only folder.
  case delete
  /// Three files, as Core Data leaves them.
  case wal
}

/// How thoroughly a store is checked before it is sealed.
public enum SealVerification: Sendable, Hashable, CaseIterable {
  /// SQLite's integrity check and every reference.
  case full
  /// References only.
  case references
  case none
}

/// What is left to do for a sealed store when it is closed.
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
  /// operations give the same bytes; nobody else has it open who could be misled by that.
  /// - Throws: `StoreError.failure` when a check fails, `.busy` when another connection has the file open. The store
  ///   stays open then.
  public func seal(journal: SealedJournal = .delete, verification: SealVerification = .full) throws {
    try close(sealingFor: journal, verification, checksPagesLater: false).run()
  }

  /// As `seal`, but what only needs the closed file is left to the caller, who may read the store meanwhile: the check of
  /// the pages of a store that was made here, and to force the file to disk.
  public func sealUnfinished(journal: SealedJournal = .delete) throws -> SealFinish {
    try close(sealingFor: journal, .full, checksPagesLater: isCheckedByPages)
  }

  private func close(
    sealingFor journal: SealedJournal, _ verification: SealVerification, checksPagesLater: Bool
  ) throws -> SealFinish {
    try perform {
      if connection.isInTransaction { throw StoreError.failure("a transaction is still open") }
      try buildDeferredIndexes()
      if !pendingOrderKeys.isEmpty { try performAtomically {} }
      let flush = try BackgroundSync(path)
      for table in layout.tables {
        let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
        try setLastPrimaryKey(greatest, of: table.root)
      }
      try verify(verification, checksPages: !checksPagesLater)
      try externalData.removeUnnamed(connection)
      statements.removeAll()
      plans.removeAll()
      try connection.execute("PRAGMA incremental_vacuum")
      try connection.execute("PRAGMA locking_mode = NORMAL")
      try connection.execute("SELECT count(*) FROM Z_PRIMARYKEY")
      if try connection.string("PRAGMA journal_mode") == "wal" { try connection.checkpoint(.truncate) }
      let mode = try connection.string("PRAGMA journal_mode = " + journal.rawValue)
      guard mode == journal.rawValue else { throw StoreError.busy(path: path) }
      if journal == .wal {
        try connection.setKeepsWriteAheadLog(true)
        try connection.execute("SELECT count(*) FROM Z_PRIMARYKEY")
      }
      stopMaintainingDerivedData()
      history = nil
      let check = checksPagesLater ? try databaseCheck() : nil
      try connection.close()
      if isCreator { try SQLiteStore.fixHeader(path) }
      return SealFinish(path: path, check: check, flush: flush)
    }
  }

  /// Closes a copy that nothing was written to, so that it is its original to the byte: to seal it would change nothing.
  /// - Parameter original: the store that this one is a copy of, not in WAL mode.
  /// - Returns: false when something has changed, or sealing would do something: then the store is as it was. Rows that
  ///   came and went are no change; the original never had them.
  public func closeIfUnchanged(from original: String) throws -> Bool {
    try perform {
      guard try !hasChanges(), !hasDeferredIndexes, pendingOrderKeys.isEmpty, !connection.isInTransaction,
        try !["-wal", "-journal"].contains(where: { try StoreFiles.stamp(original + $0) != nil })
      else { return false }
      let header = try StoreFiles.header(original)
      // Bytes 18 and 19 say that there is no log, those from 36 on how many pages are free.
      guard header.count == 100, header[18] == 1, header[19] == 1, header[36..<40].allSatisfy({ $0 == 0 })
      else { return false }
      let changesBefore = connection.totalChanges
      for table in layout.tables {
        let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
        try setLastPrimaryKey(greatest, of: table.root)
      }
      guard connection.totalChanges == changesBefore else { return false }
      try close()
      return true
    }
  }

  /// Whether the store says anything else than when it was opened. Temporary tables do not count, nor do rows that came
  /// and went, with what the history says of them. Where no import goes on, every row written counts.
  public func hasChanges() throws -> Bool {
    try perform {
      if isCreator || hasLoadedPages { return true }
      guard let rowWatch else { return connection.totalChanges != 0 }
      return try rowWatch.hasChanges
        || layout.tables.contains { table in
          let last = lastKeysAtOpening[table.root.index] ?? 0
          return try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table.name) WHERE Z_PK > \(last))") == 1
        }
    }
  }

  /// As `closeIfUnchanged`, for a store in WAL mode that is to stay in it.
  public func closeIfUntouched(inWriteAheadMode original: String) throws -> Bool {
    try perform {
      let header = try StoreFiles.header(original)
      guard try !hasChanges(), !hasDeferredIndexes, pendingOrderKeys.isEmpty, !connection.isInTransaction,
        header.count == 100,
        header[18] == 2, header[19] == 2
      else { return false }
      try close()
      return true
    }
  }

  private func verify(_ verification: SealVerification, checksPages: Bool) throws {
    if verification == .none { return }
    let consistency = Consistency(connection: connection, layout: layout)
    if verification == .full, checksPages, let problem = try integrityProblem() {
      throw StoreError.notAStore(path: path, message: problem)
    }
    // What an imported-into store had before is the checker's business.
    guard isCreator, let problem = try consistency.references().first else { return }
    throw StoreError.failure("\(problem.message): \(problem.count), for instance row \(problem.exampleKey ?? 0)")
  }

  /// What is wrong with the file. One that was made or sealed here is checked page by page on several threads. One that
  /// came from elsewhere also has its indexes compared with its rows, value by value.
  func integrityProblem() throws -> String? {
    guard isCheckedByPages else {
      return try Consistency.integrity(connection).first?.message
    }
    do {
      return try databaseCheck().problems().first
    } catch let error as PageError where error.kind != .inputOutput {
      return error.message
    } catch let error as PageError {
      return try pageErrors { throw error }
    }
  }

  private var isCheckedByPages: Bool { options.isUnderConstruction && (isCreator || options.wasSealedHere) }

  /// The check of the file's pages. Only virtual tables and views have no tree.
  private func databaseCheck() throws -> DatabaseCheck {
    var trees: [DatabaseCheck.Tree] = []
    let list = try Statement(
      connection,
      """
      SELECT s.name, s.rootpage, s.type = 'index' OR instr(upper(IFNULL(s.sql, '')), 'WITHOUT ROWID') > 0, t.rootpage, instr(upper(IFNULL(s.sql, '')), ' WHERE ') > 0
      FROM sqlite_schema AS s
      LEFT JOIN sqlite_schema AS t ON s.type = 'index' AND t.type = 'table' AND t.name = s.tbl_name
      WHERE s.rootpage > 0 ORDER BY s.rootpage
      """)
    while try list.step() {
      let isPartial = list.int64(at: 4) == 1
      trees.append(
        DatabaseCheck.Tree(
          name: list.string(at: 0) ?? "", root: UInt32(list.int64(at: 1)), isIndex: list.int64(at: 2) == 1,
          tableRoot: list.isNull(at: 3) || isPartial ? nil : UInt32(list.int64(at: 3))))
    }
    return DatabaseCheck(path: path, trees: trees, workers: 2)
  }

  /// The change counter (offset 24) and the counter for which the page count is valid (92) count transactions, which
  /// say nothing about the contents.
  private static func fixHeader(_ path: String) throws {
    try StoreFiles.overwrite([0, 0, 0, 1], at: 24, of: path)
    try StoreFiles.overwrite([0, 0, 0, 1], at: 92, of: path)
  }
}
