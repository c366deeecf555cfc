import Foundation
import SQLite
import StoreInterface

extension StoreWriter {
  /// SQLite's page cache during a batch, which is also what sorting for an index may take: less than otherwise, as the
  /// rows go by once and would not fit in any case.
  private static let cacheKibibytes = 8_192

  /// Carries out a batch in one transaction.
  func perform(
    _ batch: StoreBatch, _ reader: StoreReader, rebuildsFrom: Int, beforeCommit body: (BatchOutcome) throws -> Void
  ) throws -> BatchOutcome {
    if hasDeferredIndexes {
      throw StoreError.unsupported(
        "\(file.path): a store under construction takes no batches before its indexes are made")
    }
    var outcome = BatchOutcome()
    try connection.execute("PRAGMA cache_size = -\(Self.cacheKibibytes)")
    defer { try? connection.execute("PRAGMA cache_size = -\(session.options.cacheKibibytes)") }
    // Statements that are still read from would keep tables and indexes from being dropped.
    session.resetStatements()
    history?.beginSave(author: batch.author, contextName: batch.contextName)
    defer { history?.endSave() }
    return try performAtomically(beforeCommit: { try body(outcome) }) {
      switch batch.work {
      case .delete(let deletion):
        outcome = try BatchDeleter(self, reader, rebuildsFrom: rebuildsFrom)
          .run(deletion, wantsObjectIDs: batch.wantsObjectIDs)
      case .update(let update):
        outcome = try BatchUpdater(self, reader, rebuildsFrom: rebuildsFrom)
          .run(update, wantsObjectIDs: batch.wantsObjectIDs)
      case .insert(let insertion):
        outcome = try BatchInserter(self, insertion).run(wantsObjectIDs: batch.wantsObjectIDs)
      }
      return outcome
    }
  }

  /// Runs `body`, which removes rows of a table, without any trigger on that table, and then computes the values that
  /// the triggers would have maintained: R-trees over the table, and derived attributes that follow from its rows.
  func withoutTriggers<Result>(on table: String, _ body: () throws -> Result) throws -> Result {
    try connection.set(.triggers, false)
    // After an error the transaction ends, and brings back the temporary triggers.
    defer { try? connection.set(.triggers, foreignTriggers.isEmpty) }
    try maintainer?.stopNoting(table)
    let result = try body()
    for tree in try RTree.all(in: connection, layout) where tree.source == table { try refill(tree) }
    for derived in layout.derivedAttributes {
      guard let derivation = derived.derivation,
        derivation.causes.contains(where: { $0.table == table && $0.event == .delete })
      else { continue }
      let refresh = try Statement(connection, derivation.refreshStatement())
      if refresh.parameterCount > 0 {
        try refresh.bind(1, options.derivationTimestamp ?? Date().timeIntervalSinceReferenceDate)
      }
      try refresh.run()
    }
    try maintainer?.beginNoting(table)
    return result
  }

  /// Empties an R-tree by making it again, and fills it from its table.
  private func refill(_ tree: RTree) throws {
    let find = try Statement(connection, "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?1")
    try find.bind(1, tree.name)
    guard try find.step(), let sql = find.string(at: 0) else { return }
    find.finalize()
    try connection.execute("DROP TABLE main.\(tree.quotedName)")
    try connection.execute(sql)
    try connection.execute(tree.fillStatement())
  }
}
