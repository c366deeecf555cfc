public import ObjectModel
import Predicates
package import StoreInterface

/// The objects that a request selects, brought in as they are walked: only ids are kept, and the objects of the batches
/// looked at last.
///
/// Ids take 10 bytes each, and next to nothing where their keys follow each other without gaps, so that millions of
/// objects can be walked in little memory as long as nothing else keeps them; more in a child context, and where
/// several stores are asked. Pending changes of selected entities have all objects made once where the request sorts.
/// Objects that are held elsewhere, or that have changes, stay as they are. Use it on the queue of its context.
public final class FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
  private enum IDs {
    case rows(FetchedRows)
    case list([ObjectID])
  }

  /// New objects, whose ids change with the save.
  private let new: [ObjectID: ManagedObject]
  /// How many objects come in at a time.
  public let batchSize: Int
  private let context: ManagedObjectContext
  private let entity: Entity
  /// Whether one store has all objects but new ones.
  private let isFromStore: Bool
  private let ids: IDs
  private let prefetchedKeyPaths: [FetchPredicate.KeyPath]
  private struct Batch {
    var positions = 0..<0
    var objects: [ManagedObject] = []
  }
  /// The batch looked at last.
  private var latest = Batch()
  /// The one before that.
  private var earlier = Batch()
  /// The error that kept the last batch from being loaded. Its objects are faults then, and are loaded when they are
  /// used.
  public private(set) var error: (any Error)?

  init(_ request: FetchSpecification, context: ManagedObjectContext) throws {
    context.requireClass(Object.self, of: request)
    self.context = context
    prefetchedKeyPaths = request.relationshipKeyPathsForPrefetching
    batchSize = request.fetchBatchSize > 0 ? request.fetchBatchSize : 1_024
    context.checkConfinement()
    try context.throwDeferredError()
    entity = request.entity
    isFromStore = context.parent == nil && context.coordinator.persistentStores.count == 1
    if !isFromStore || context.hasPendingChanges(for: request) {
      let list = try context.objectIDs(request)
      ids = .list(list)
      let new = list.filter(\.isTemporary).map { ($0, context.object(with: $0)) }
      self.new = Dictionary(new, uniquingKeysWith: { first, _ in first })
    } else {
      new = [:]
      var keys = request
      // No attribute can have this name, so that none of the sort descriptors can mean it.
      keys.propertiesToFetch = [FetchedExpression("\u{1}self", .selfObject)]
      do {
        ids = .rows(try context.snapshotSource().rows(keys))
      } catch StoreError.unsupported {
        ids = .list(try context.snapshotSource().objectIDs(request))
      }
    }
    endIndex =
      switch ids {
      case .rows(let rows): rows.count
      case .list(let list): list.count
      }
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public let endIndex: Int

  /// The id of the object at a position. Loads nothing.
  public func objectID(at position: Int) -> ObjectID {
    switch ids {
    case .list(let list): return new.isEmpty ? list[position] : new[list[position]]?.objectID ?? list[position]
    case .rows(let rows):
      // Every row of the request has an object.
      guard let id = rows.objectID(position, 0) else { preconditionFailure("row \(position) is no object") }
      return id
    }
  }

  /// The object at a position. Loads its batch, in one fetch for each inheritance hierarchy, and what the request
  /// prefetches.
  public subscript(position: Int) -> Object {
    if !latest.positions.contains(position) { turn(to: position) }
    // Safety: the class of the objects was checked in the beginning.
    return unsafe unsafeDowncast(latest.objects[position - latest.positions.lowerBound], to: Object.self)
  }

  private func turn(to position: Int) {
    swap(&latest, &earlier)
    if latest.positions.contains(position) { return }
    // Released first, so that their memory can be used for the new batch.
    latest = Batch()
    let start = position - position % batchSize
    let positions = start..<Swift.min(start + batchSize, endIndex)
    latest = Batch(positions: positions, objects: load(positions))
  }

  private func load(_ positions: Range<Int>) -> [ManagedObject] {
    let wanted: [ObjectID] =
      switch ids {
      case .rows(let rows): rows.objectIDs(positions, 0)
      case .list: positions.map { objectID(at: $0) }
      }
    do {
      error = nil
      let objects = try isFromStore ? context.fetchObjects(wanted, of: entity) : context.objects(with: wanted)
      if !prefetchedKeyPaths.isEmpty { try context.prefetch(prefetchedKeyPaths, for: objects) }
      return objects
    } catch {
      self.error = error
      return wanted.map { context.object(with: $0) }
    }
  }
}

extension ManagedObjectContext {
  package func fetchedObjects(_ request: FetchSpecification) throws -> FetchedObjects<ManagedObject> {
    try FetchedObjects(request, context: self)
  }
}
