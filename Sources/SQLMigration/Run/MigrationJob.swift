import CoreDataLayout
import Diagnostics
import Foundation
import ObjectModel
import SQLite

/// The steps of a migration that is planned, in their order, on one connection: to the store itself, or to a copy of
/// it.
struct MigrationJob {
  let work: MigrationWork
  let plan: MigrationPlan
  let newer: ManagedObjectModel
  let options: StoreMigration.Options
  /// Where the store keeps long values, also while a copy of it is worked on.
  let external: ExternalDataFolder
  /// Tables whose rows are written as pages; none in the store itself.
  var rewrites: [PageRewritePlan] = []

  /// Does all of it.
  /// - Precondition: a transaction is open, and `TriggerFunctions` are registered.
  /// - Throws: `PageError` where tables are written as pages. The file is of no use then.
  func run(on connection: Connection) throws -> MigrationReport {
    let values = ExternalValues(folder: external)
    try values.register(on: connection, writesFiles: true)
    do {
      return try run(on: connection, values)
    } catch {
      // SQLite keeps only the error's text, so the error itself is thrown.
      throw values.failure ?? error
    }
  }

  private func run(on connection: Connection, _ values: ExternalValues) throws -> MigrationReport {
    var report = MigrationReport(plan: plan)
    let aside = work.setAside()
    let rows = MigrationTables(
      work: aside, connection: connection, tablesOfPages: Set(rewrites.map(\.table.new.name)),
      keptIndexes: plan.foreign.keptIndexes, resolvesDuplicates: options.duplicates != .refuse,
      views: plan.foreign.views)
    options.willBegin?(.writing)
    try rows.noteExternalFiles(in: external)
    try rows.makeRoom()
    try rows.write()
    if !rewrites.isEmpty {
      let pages = PageRewriter(
        rewrites: rewrites, work: aside, connection: connection, fillsNewUniqueIndexes: options.duplicates == .refuse)
      try pages.prepare()
      try connection.commit()
      let written = try pages.write()
      try connection.begin(.exclusive)
      report.plan.count(written.rows, work)
      report.work.pages = written.pages
      report.work.pageRows = written.rows.values.reduce(0, +)
      report.tablesOfPages = rewrites.map(\.table.new.name)
    }
    try rows.finishTables()
    let bookkeeping = BookkeepingTables(work: aside, connection: connection)
    report.removedHistoryChanges = try bookkeeping.writeHistory()
    let now = options.derivationTimestamp
    var duplicates = DuplicateRemoval(
      work: aside, connection: connection, policy: options.duplicates, external: external, timestamp: now)
    let time = now ?? Date().timeIntervalSinceReferenceDate
    let isUniqueByDerived = work.new.indexes.contains { work.guardsDerivedValues($0) }
    if isUniqueByDerived { try rows.derive(at: time, hasRemoved: false) }
    report.removedDuplicates = try duplicates.run()
    if isUniqueByDerived {
      // The rows that stay may get new derived values, which may be duplicates in turn.
      var last = report.removedDuplicates
      while !last.isEmpty {
        try rows.derive(at: time, hasRemoved: true)
        last = try duplicates.run()
        report.removedDuplicates.merge(last, uniquingKeysWith: +)
      }
    }
    options.willBegin?(.indexing)
    try rows.derive(at: time, hasRemoved: !report.removedDuplicates.isEmpty)
    try rows.makeIndexes()
    try rows.makeViews()
    let brokenIndexes = try rows.makeKeptIndexes()
    if !brokenIndexes.isEmpty {
      // Only a policy says how to resolve rows that have become equal.
      if options.duplicates == .refuse {
        throw StoreMigrationError.conditions(
          path: work.path, try brokenIndexes.map { try $0.condition(connection, work.new) })
      }
      report.brokenIndexes = brokenIndexes.map(\.text)
      var lost = ForeignObjectChanges()
      lost.droppedIndexes = report.brokenIndexes
      options.willLose?(lost.lostTexts)
    }
    report.plan = report.plan.losing(report.brokenIndexes)
    options.willBegin?(.finishing)
    try bookkeeping.write(modelCache: options.modelCache ?? ModelCache.content(of: newer))
    if let failure = values.failure { throw failure }
    return report
  }
}

extension MigrationPlan {
  /// Takes up how many objects the pages had, by old entity number.
  fileprivate mutating func count(_ counts: [Int64: Int], _ work: MigrationWork) {
    for index in entities.indices {
      guard let entity = entities[index].source.flatMap({ work.old.model[$0] }),
        let count = counts[Int64(work.old.number(of: entity))]
      else { continue }
      entities[index].rows = count
    }
  }
}
