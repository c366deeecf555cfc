import CoreDataLayout
import Foundation
public import ObjectModel
public import Pipelines
import StoreInterface

/// Applies changes of another store, as `StoreHistory.writeChanges(since:_:)` wrote them, to a store: all in one
/// transaction, or none.
///
/// In a copy of the changed store, objects are known by their primary keys, and new ones get the same. In any other
/// store they are known by the values of a uniqueness constraint. Memory grows with the number of changes.
public struct ChangeApplication {
  /// The counts of changes.
  public struct Outcome: Sendable, Hashable {
    /// Objects that the changes added to the store.
    public var inserted: Int
    /// Objects with other values or destinations.
    public var updated: Int
    /// Objects that are gone.
    public var deleted: Int
    /// Objects that the changes would update and that have these values and destinations already.
    public var unchanged: Int
    /// What was passed over, such as triggers that do not belong to the model.
    public var warnings: [String] = []

    /// An outcome with these counts of objects.
    public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0, unchanged: Int = 0) {
      self.inserted = inserted
      self.updated = updated
      self.deleted = deleted
      self.unchanged = unchanged
    }
  }

  private let changesPath: String
  private let storePath: String
  private let model: ManagedObjectModel
  private let author: String?

  /// - Parameters:
  ///   - author: of the transaction, where the store keeps a history; nil: the author of the changes, where they have
  ///     one.
  public init(changesPath: String, storePath: String, model: ManagedObjectModel, author: String? = nil) {
    self.changesPath = changesPath
    self.storePath = storePath
    self.model = model
    self.author = author
  }

  /// Applies the changes.
  /// - Parameter isDryRun: whether everything is undone in the end, after it has been checked and written.
  /// - Throws: `RunError` that names the line and the object; the store is as it was before then.
  public func run(isDryRun: Bool = false) throws(RunError) -> Outcome {
    let file = try ChangeFile(path: changesPath)
    do {
      var options = SQLiteStore.Options()
      options.historyAuthor = author ?? (file.head.authors.count == 1 ? file.head.authors[0] : nil)
      options.historyContextName = "seedbed.apply"
      let store = try SQLiteStore.open(path: storePath, model: model, options: options)
      do {
        var outcome = try apply(file, to: store, isDryRun: isDryRun)
        outcome.warnings = store.foreignTriggers.map(\.warning)
        try store.close()
        return outcome
      } catch {
        try? store.rollback()
        try? store.close()
        throw error
      }
    } catch {
      throw RunError(any: error, store: storePath)
    }
  }

  private func apply(_ file: ChangeFile, to store: SQLiteStore, isDryRun: Bool) throws -> Outcome {
    // The transaction keeps the checked state until everything is written.
    try store.begin()
    let plan = try ChangePlan(file, for: store)
    let request = plan.request
    let outcome = Outcome(
      inserted: request.inserted.count, updated: request.updated.count, deleted: request.deleted.count,
      unchanged: plan.unchangedCount)
    if outcome != Outcome(unchanged: plan.unchangedCount) { try store.save(request) }
    if isDryRun { try store.rollback() } else { try store.commit() }
    return outcome
  }
}
