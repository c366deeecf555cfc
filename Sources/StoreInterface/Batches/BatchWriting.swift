package import Foundation
import ObjectModel
import Predicates

/// The capability of a store to change many objects by itself, in one transaction.
///
/// A store that has no better way of its own takes the default: the objects concerned are read, changed in memory and
/// saved. That is short and slow, and defines what faster ways have to do.
///
/// Versions rise as with the save of a context: of objects whose values or to-one relationships change, and of those
/// whose to-many relationships have other members afterwards. An object that has its new values already is left alone
/// and not counted. Attribute rules of the model (type, limits, pattern, required values) and required relationships
/// hold for everything that is written; classes' `validate…` methods are not called, and the number of members of a
/// to-many relationship is checked where a deletion takes some away.
public protocol BatchWriting: TwoPhaseSaving {
  /// Carries out a batch in one transaction.
  /// - Parameter body: runs when everything has been written and checked; nothing is written when it throws. It must
  ///   not use this store.
  /// - Throws: `ValidationError` with the first objects that break a rule, `StoreError.constraintConflict`, `.failure`
  ///   for a request that does not fit the model, what `BatchInsertion.next` throws and what the body throws.
  @discardableResult
  func perform(_ batch: StoreBatch, beforeCommit body: (BatchOutcome) throws -> Void) throws -> BatchOutcome
}

extension BatchWriting {
  /// Carries the batch out on objects. When these are changed by another save meanwhile, it begins anew, a few times.
  @discardableResult
  public func perform(_ batch: StoreBatch, beforeCommit body: (BatchOutcome) throws -> Void) throws -> BatchOutcome {
    try performThroughObjects(batch, holding: nil, beforeCommit: body)
  }

  /// Carries out a batch and says what it did.
  /// - Throws: see `perform(_:beforeCommit:)`.
  @discardableResult
  public func perform(_ batch: StoreBatch) throws -> BatchOutcome { try perform(batch) { _ in } }

  /// Reads the objects, changes them and saves: the readable twin of a store's own way.
  /// - Parameter lock: what every save of the store holds, so that none comes between the reading and the writing. The
  ///   rows of an insertion are read before, as the program's closure may use the store.
  package func performThroughObjects(
    _ batch: StoreBatch, holding lock: NSRecursiveLock?, beforeCommit body: (BatchOutcome) throws -> Void
  ) throws -> BatchOutcome {
    var rows: [BatchRow] = []
    if case .insert(let insertion) = batch.work { rows = try BatchRow.read(insertion, model: model) }
    lock?.lock()
    defer { lock?.unlock() }
    let mostAttempts = 5
    for attempt in 1... {
      let plan =
        switch batch.work {
        case .delete(let deletion): try ObjectDeletion(self).plan(deletion)
        case .update(let update): try UndecidedMatches.rethrowing { try ObjectUpdate(self).plan(update) }
        case .insert(let insertion): try ObjectInsertion(self, insertion).plan(rows)
        }
      let outcome = batch.wantsObjectIDs ? plan.outcome : plan.outcome.counts
      do {
        var request = plan.request
        request.author = batch.author
        request.contextName = batch.contextName
        try save(request) { try body(outcome) }
        return outcome
      } catch StoreError.optimisticLockingFailure where attempt < mostAttempts {
        continue
      }
    }
    return BatchOutcome()
  }
}

/// The save and the outcome of a batch that is carried out on objects in memory.
struct BatchPlan {
  var request = SaveRequest()
  var outcome = BatchOutcome()

  /// Ids as an outcome lists them.
  static func ordered(_ ids: some Sequence<ObjectID>) -> [ObjectID] {
    ids.sorted { ($0.entity.root.index, $0.primaryKey ?? 0) < ($1.entity.root.index, $1.primaryKey ?? 0) }
  }
}
