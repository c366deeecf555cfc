import CoreDataLayout
import ObjectModel
public import Pipelines
public import StoreInterface

/// The result of an export of changed objects.
public struct ChangedExport: Sendable {
  /// The number of rows: objects that were inserted or updated and are still there.
  public let rows: Int
  /// The objects of the entity that were deleted, with the values that the history keeps of them.
  public let deletions: [PersistentHistoryChange]
  /// The place behind the last transaction that was looked at.
  public let token: PersistentHistoryToken
  /// A warning when the place is a date, and transactions since then may have been deleted.
  public let gap: String?
}

extension StoreExport {
  /// Writes the objects of the entity that were inserted or updated since a place in the store's history, as they are
  /// now.
  /// - Throws: `RunError`, also for a store that keeps no history, and a place from which it is not there any more.
  public func run(changedSince place: HistoryStart) throws(RunError) -> ChangedExport {
    var changes = NetChanges()
    var token = PersistentHistoryToken(transactionNumbers: [:])
    var gap: String?
    let select = { (store: SQLiteStore) throws -> [ObjectID]? in
      let entity = try step.entity(in: model)
      var filter = StoreHistory.Filter()
      filter.entities = entity.withSubentities.map(\.name)
      var history = StoreHistory(storePath: storePath, model: model)
      history.onGap = { gap = $0 }
      token = try history.read(store, from: place, filter, limit: nil) { changes.add($0) }
      return changes.all.filter { $0.changeType != .delete }.map(\.changedObjectID)
    }
    let deletions = { changes.all.filter { $0.changeType == .delete } }
    let rows = try run(select) {
      guard let deletionsPath, let deletionsText else { return [] }
      return [(path: deletionsPath, text: deletionsText(deletions()))]
    }
    return ChangedExport(rows: rows, deletions: deletions(), token: token, gap: gap)
  }
}
