import CoreDataLayout
import Foundation
import Platform
import SQLite
import SQLitePages
import StoreInterface

/// Migrates a copy of a store, which then takes the store's place in one step. If the process is killed at any time,
/// the store is the old one or the new one, whole; the next migration removes leftovers beside it.
struct MigrationCopy {
  /// Holds the lock against other connections, in a transaction that has changed nothing. The file has no log.
  let original: Connection
  let path: String
  /// Opens the copy.
  let open: (String) throws -> Connection

  /// - Parameter prepare: see `MigrationRun`.
  /// - Returns: nil: migrate in the store itself, which is unchanged. No folder can be made beside it, its path is too
  ///   long, the file cannot be replaced, or its pages cannot be copied.
  func migrate(_ job: MigrationJob, prepare: (Connection) throws -> Void) throws -> MigrationReport? {
    let place = ResultPath.followed(path)
    guard WorkFolder.hasRoom(forStoreAt: place), try StoreFiles.isReplaceable(place), let folder = try workFolder(place)
    else {
      return nil
    }
    defer { folder.remove() }
    let partial = folder.path + "/" + (place as NSString).lastPathComponent
    let stamp = try StoreFiles.stamp(place)
    let report: MigrationReport
    do {
      try StoreFiles.copy(place, to: partial, synchronizes: false)
      guard let migrated = try work(on: partial, job, prepare) else { return nil }
      report = migrated
    } catch let error as SQLiteError {
      throw StoreError(error, path: path).naming(path, insteadOf: partial)
    } catch let error as StoreError {
      throw error.naming(path, insteadOf: partial)
    } catch let error as PageError {
      guard error.kind == .inputOutput || job.options.pageUse == .always else { return nil }
      throw StoreError.inputOutput(path: path, message: error.message).naming(path, insteadOf: partial)
    }
    try original.rollback()
    try original.close()
    defer { removeUnnamed(job.external, place) }
    try StoreReplacement.replace(target: place, with: partial, synchronizes: true, keepsExternalData: true) {
      // Between the two locks another program may have written.
      guard try StoreFiles.stamp(place) == stamp, try !StoreFiles.hasLog(place) else {
        throw StoreError.busy(path: path)
      }
    }
    return report
  }

  /// Nil where there may be none.
  private func workFolder(_ place: String) throws -> WorkFolder? {
    do {
      return try WorkFolder(for: place)
    } catch StoreError.cannotCreate {
      return nil
    }
  }

  /// - Returns: nil when the result's pages are not as they should be.
  private func work(
    on partial: String, _ job: MigrationJob, _ prepare: (Connection) throws -> Void
  ) throws -> MigrationReport? {
    let hasLog = try original.isWriteAheadLogged
    let copy = try open(partial)
    do {
      // The copy need not outlive a failure, so it needs no journal; a defensive connection would keep one.
      try copy.set(.defensive, false)
      guard try copy.string("PRAGMA journal_mode = OFF") == "off" else { throw StoreError.busy(path: partial) }
      try copy.set(.defensive, true)
      try copy.execute("PRAGMA synchronous = OFF")
      try copy.begin(.exclusive)
      try prepare(copy)
      let report = try job.run(on: copy)
      try copy.commit()
      try copy.execute("PRAGMA incremental_vacuum")
      let flush = try BackgroundSync(partial)
      let check = try PageCheck(connection: copy, path: partial, isMadeHere: true).databaseCheck()
      let problems = try check.problems()
      try flush?.finish()
      if hasLog { _ = try copy.string("PRAGMA journal_mode = WAL") }
      try copy.close()
      try StoreFiles.copyPermissions(of: path, to: partial)
      if let problem = problems.first, job.options.pageUse == .always { throw StoreError.failure(problem) }
      return problems.isEmpty ? report : nil
    } catch {
      try? copy.close()
      throw error
    }
  }

  /// Removes files of long values that the store in place does not name.
  private func removeUnnamed(_ external: ExternalDataFolder, _ place: String) {
    guard !external.ledger.names.isEmpty, let connection = try? Connection(path: place) else { return }
    try? external.removeUnnamed(connection)
    try? connection.close()
  }
}
