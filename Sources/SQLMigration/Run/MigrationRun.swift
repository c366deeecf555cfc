import CoreDataLayout
import Diagnostics
import Foundation
import ObjectModel
import Platform
import SQLite
import StoreInterface

/// Carries a migration out: in one transaction of the store itself, or on a copy beside it that takes its place. The
/// store is locked all the while.
final class MigrationRun {
  private let path: String
  private var options: StoreMigration.Options
  private let external: ExternalDataFolder
  /// Called with the connection of each transaction before anything is read in it.
  private let prepare: (Connection) throws -> Void
  private var isCommitting = false
  /// The messages about removed rows that were told already.
  private var toldRows: Set<String> = []
  /// Counts the statements of all connections.
  private let counter = StatementCounter()

  /// - Parameter prepare: what is done to a connection first, such as a limit of its file.
  init(path: String, options: StoreMigration.Options, prepare: @escaping (Connection) throws -> Void = { _ in }) {
    self.path = path
    self.options = options
    if DebugSettings.process.migrationLevel > 0 {
      self.options.willBegin = { stage in
        DebugLog.migration("\(path): \(stage.rawValue)")
        options.willBegin?(stage)
      }
    }
    self.prepare = prepare
    external = ExternalDataFolder(storePath: path)
  }

  func run(
    from older: ManagedObjectModel, to newer: ManagedObjectModel, _ mapping: MappingModel
  ) throws -> MigrationReport {
    WorkFolder.removeLeftovers(for: ResultPath.followed(path))
    do {
      let connection = try open(path)
      do {
        // The lock is exclusive, because the schema must not change while an app has the store open.
        try connection.keepLocks()
        // The log is moved into the file, so that the file alone is the store.
        if try connection.isWriteAheadLogged { try connection.checkpoint(.truncate) }
        try connection.begin(.exclusive)
        try prepare(connection)
        var report = try migrate(connection, older, newer, mapping)
        report.work.statements = counter.statements
        report.work.rows = counter.rows
        return report
      } catch {
        try? connection.rollback()
        // Files that were written for values of the new store.
        try? external.removeUnnamed(connection)
        try? connection.close()
        throw isCommitting && !options.worksOnCopy && isMigrated(to: newer) ? unsafelyCommitted(error) : error
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// Whether the file says that it is of a model. SQLite's commit is done when the journal does not count any more,
  /// which may be so although the system refused to write its end.
  private func isMigrated(to model: ManagedObjectModel) -> Bool {
    (try? StoreMetadata.read(path: path))?.entityVersionHashesByName == model.entityVersionHashesByName
  }

  private func unsafelyCommitted(_ error: any Error) -> any Error {
    StoreError.inputOutput(
      path: path,
      message:
        "\(error); the migrated store is \(StoreError.isInPlace), and is not safely on disk until it is written again")
  }

  /// Reports the rows that are lost. Where rows without an entity turn up in a table that is written as pages,
  /// statements do the work instead, and the rows are counted then.
  private func tellOfRows(_ plan: MigrationPlan) {
    let texts = plan.foreign.rowTexts.filter { toldRows.insert($0).inserted }
    if !texts.isEmpty { options.willLose?(texts) }
  }

  private func open(_ path: String) throws -> Connection {
    let connection = try Connection(
      path: path, options: .init(busyTimeoutMilliseconds: options.busyTimeoutMilliseconds))
    try connection.set(.triggers, false)
    try connection.execute("PRAGMA temp_store = FILE; PRAGMA legacy_alter_table = ON")
    try connection.forceCommitsToDisk()
    try TriggerFunctions.register(on: connection)
    try connection.logStatements()
    connection.observe(counter: counter)
    return connection
  }

  private func migrate(
    _ connection: Connection, _ older: ManagedObjectModel, _ newer: ManagedObjectModel, _ mapping: MappingModel
  ) throws -> MigrationReport {
    let work = try MigrationWork(connection, path: path, from: older, to: newer, mapping)
    options.willBegin?(.checking)
    try ExternalValues(folder: external).register(on: connection, writesFiles: false)
    let rewrites = try PageRewritePlan.all(of: work, options.pageUse, connection)
    // Rows that are written as pages are counted on the way.
    let plan = try work.plan(
      connection, countsAll: false, without: Set(rewrites.flatMap(\.feeds).map(\.table.name)))
    let broken = plan.conditions.filter { $0.kind != .duplicateKeys || options.duplicates == .refuse }
    guard broken.isEmpty else { throw StoreMigrationError.conditions(path: path, broken) }
    if plan.writesFiles { try external.requireWritable() }
    var job = MigrationJob(work: work, plan: plan, newer: newer, options: options, external: external)
    if !rewrites.isEmpty {
      tellOfRows(plan)
      job.rewrites = rewrites
      let copy = MigrationCopy(original: connection, path: path) { [self] path in
        let connection = try open(path)
        try work.sources.constants.register(on: connection)
        return connection
      }
      if let report = try copy.migrate(job, prepare: prepare) { return report }
      job = MigrationJob(
        work: work, plan: try work.plan(connection, countsAll: false), newer: newer, options: options,
        external: external)
    }
    tellOfRows(job.plan)
    let report = try job.run(on: connection)
    isCommitting = true
    try connection.commit()
    // The commit stands: files that cannot be removed now do no harm.
    try? external.removeUnnamed(connection)
    try? connection.close()
    return report
  }
}
