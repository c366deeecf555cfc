import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Carries a migration out: one connection, one transaction.
final class MigrationRun {
  private let path: String
  private let options: StoreMigration.Options
  private let external: ExternalDataFolder
  /// Called with the open transaction before anything is read.
  private let prepare: (Connection) throws -> Void

  /// - Parameter prepare: what is done to the connection first, such as a limit of its file.
  init(path: String, options: StoreMigration.Options, prepare: @escaping (Connection) throws -> Void = { _ in }) {
    self.path = path
    self.options = options
    self.prepare = prepare
    external = ExternalDataFolder(storePath: path)
  }

  func carryOut(
    from older: ManagedObjectModel, to newer: ManagedObjectModel, _ mapping: MappingModel
  ) throws -> MigrationReport {
    do {
      let connection = try Connection(
        path: path, options: .init(busyTimeoutMilliseconds: options.busyTimeoutMilliseconds))
      // Alone: an app that has the store open must not find another schema under its feet.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
      try connection.set(.triggers, false)
      try connection.execute("PRAGMA temp_store = FILE; PRAGMA synchronous = FULL; PRAGMA legacy_alter_table = ON")
      try TriggerFunctions.register(on: connection)
      do {
        try connection.begin(.exclusive)
        try prepare(connection)
        let report = try migrate(connection, older, newer, mapping)
        try connection.commit()
        // What is committed stays: files that cannot be removed now do no harm.
        try? external.removeUnnamed(connection)
        try? connection.close()
        return report
      } catch {
        try? connection.rollback()
        // Files that were written for values of the new store.
        try? external.removeUnnamed(connection)
        try? connection.close()
        throw error
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  private func migrate(
    _ connection: Connection, _ older: ManagedObjectModel, _ newer: ManagedObjectModel, _ mapping: MappingModel
  ) throws -> MigrationReport {
    let work = try MigrationWork(connection, path: path, from: older, to: newer, mapping)
    let values = ExternalValues(folder: external)
    try values.register(on: connection, writesFiles: false)
    let plan = try work.plan(connection, countsAll: false)
    let broken = plan.conditions.filter { $0.kind != .duplicateKeys || options.duplicates == .refuse }
    guard broken.isEmpty else { throw StoreMigrationError.conditions(path: path, broken) }
    try values.register(on: connection, writesFiles: true)
    var report = MigrationReport(plan: plan)
    let aside = work.setAside()
    let rows = MigrationTables(work: aside, connection: connection)
    try rows.noteExternalFiles(in: external)
    try rows.makeRoom()
    try rows.write()
    try rows.finishTables()
    report.removedDuplicates = try DuplicateRemoval(
      work: aside, connection: connection, policy: options.duplicates, external: external
    ).run()
    try rows.derive(at: options.derivationTimestamp ?? Date().timeIntervalSinceReferenceDate)
    try rows.makeIndexes()
    let books = MigrationBooks(work: aside, connection: connection)
    report.removedHistoryChanges = try books.write(modelCache: options.modelCache ?? ModelCache.content(of: newer))
    if let failure = values.failure { throw failure }
    return report
  }
}

/// Values that go into files beside the store, or come back from there, while SQL runs.
final class ExternalValues {
  private let folder: ExternalDataFolder
  /// SQLite only keeps an error's text.
  private(set) var failure: (any Error)?

  init(folder: ExternalDataFolder) { self.folder = folder }

  /// - Parameter writesFiles: whether long values are written; otherwise nothing beside the store is changed.
  func register(on connection: Connection, writesFiles: Bool) throws(SQLiteError) {
    try connection.registerFunction("seedbed_external_put", argumentCount: 2) { [self] arguments in
      guard case .blob(let bytes) = arguments[0] else { return arguments[0] }
      guard writesFiles, case .integer(let key) = arguments[1] else {
        return .blob([ExternalDataFolder.inlineTag] + bytes)
      }
      return try noting {
        var stored: [UInt8] = []
        try unsafe bytes.withUnsafeBytes {
          unsafe try folder.encode($0, seed: UInt64(bitPattern: key), into: &stored)
        }
        return .blob(stored)
      }
    }
    try connection.registerFunction("seedbed_external_get", argumentCount: 2) { [self] arguments in
      guard case .blob(let stored) = arguments[0] else { return arguments[0] }
      return try noting {
        let bytes = try unsafe stored.withUnsafeBytes { unsafe try folder.decode($0, storePath: connection.path) }
        return .blob(bytes)
      }
    }
  }

  private func noting(_ body: () throws -> FunctionValue) throws -> FunctionValue {
    do {
      return try body()
    } catch {
      failure = failure ?? error
      throw error
    }
  }
}
