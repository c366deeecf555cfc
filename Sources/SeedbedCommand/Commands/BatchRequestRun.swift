import CoreDataLayout
import Diagnostics
import ObjectModel
import StoreInterface

/// Carries out a batch request on a store of the command line.
struct BatchRequestRun {
  let store: String
  let model: ManagedObjectModel
  /// The author of the history's transaction, where the store keeps a history.
  let author: String
  /// Whether the transaction is undone in the end.
  let isDryRun: Bool

  /// Ends the transaction of a dry run.
  private struct DryRun: Error {
    var outcome: BatchOutcome
  }

  /// - Returns: the result, its cost, and what it passed over.
  func perform(_ work: StoreBatch.Work) throws -> (outcome: BatchOutcome, work: StoreCounts, warnings: [String]) {
    var options = SQLiteStore.Options()
    options.historyAuthor = author
    let opened = try SQLiteStore.open(path: store, model: model, options: options)
    defer { try? opened.close() }
    let warnings = opened.foreignTriggers.map(\.warning)
    do {
      let outcome = try opened.perform(StoreBatch(work)) { outcome in
        if isDryRun { throw DryRun(outcome: outcome) }
      }
      try opened.close()
      return (outcome, opened.work, warnings)
    } catch let dryRun as DryRun {
      return (dryRun.outcome, opened.work, warnings)
    }
  }
}
