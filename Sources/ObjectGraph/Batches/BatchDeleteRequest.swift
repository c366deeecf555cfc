public import ObjectModel
import Predicates
public import StoreInterface

/// Deletes objects in their stores, without bringing them into a context: `try context.execute(request)`.
///
/// The model's delete rules hold, as in a save: relationships to deleted objects are nullified, cascades are followed,
/// and a deletion that a rule denies, or that would leave an object without what it requires, fails as a whole. Pending
/// changes of contexts do not count, and their objects learn of it by
/// `ManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)` with `BatchDeleteResult.changes`.
public final class BatchDeleteRequest {
  /// What the result tells.
  public var resultType = BatchDeleteRequestResultType.resultTypeStatusOnly
  /// The stores that are asked; nil: what the fetch request says, or all that have the entity.
  public var affectedStores: [any PersistentStore]?
  private let selections: (ManagedObjectContext) -> [FetchSpecification]

  /// Deletes what the request selects: its predicate, order, limit and offset count.
  public init<Result>(fetchRequest: FetchRequest<Result>) {
    selections = { [fetchRequest.specification(in: $0)] }
  }

  /// Deletes these objects. Those that are gone already are no error; temporary ids have no row to delete.
  public init(objectIDs: [ObjectID]) {
    selections = { context in
      // Ids may come from another container with the same store.
      let ids = objectIDs.filter { !$0.isTemporary }.compactMap { context.coordinator.localID($0) }
      return Dictionary(grouping: ids, by: \.entity.root).sorted { $0.key.index < $1.key.index }.map { root, ids in
        var selection = FetchSpecification(root)
        selection.predicate = .selfIsIn(ids)
        return selection
      }
    }
  }

  /// What the stores are asked.
  func deletion(in context: ManagedObjectContext) -> BatchDeletion {
    var deletion = BatchDeletion()
    deletion.selections = selections(context).map { selection in
      var selection = selection
      if let affectedStores { selection.affectedStores = affectedStores.map(\.identifier) }
      return selection
    }
    return deletion
  }
}

/// What the result of a batch deletion tells, with Core Data's names.
public enum BatchDeleteRequestResultType: Sendable, Hashable, CaseIterable {
  case resultTypeStatusOnly
  case resultTypeObjectIDs
  case resultTypeCount
}
