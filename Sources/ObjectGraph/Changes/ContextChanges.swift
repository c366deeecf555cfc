import Foundation
public import ObjectModel

/// What a notification of a context tells of: its objects, by what became of them.
///
/// The objects belong to the context's queue, on which the notification is posted; elsewhere use `ids`.
public struct ContextChanges {
  /// The context that posted the notification.
  public let context: ManagedObjectContext
  /// The ids of what a save wrote; empty in `didChangeObjectsNotification`.
  public let ids: ContextChangeIDs
  private let inserted: [ManagedObject]
  private let updated: [ManagedObject]
  private let deleted: [ManagedObject]
  private let refreshed: [ManagedObject]
  /// How many objects a reset took away.
  public let invalidatedCount: Int

  init(
    inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject], ids: ContextChangeIDs,
    in context: ManagedObjectContext
  ) {
    self.context = context
    self.ids = ids
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    refreshed = []
    invalidatedCount = 0
  }

  init(_ event: ContextEvent, in context: ManagedObjectContext) {
    self.context = context
    ids = ContextChangeIDs()
    var inserted = event.merged
    var updated: [ManagedObject] = []
    var deleted = event.lost
    // By position: to take an entry out of the list costs more than to look at it.
    for index in event.entries.indices {
      let object = event.entries[index].object
      let before = event.entries[index].statusBefore
      let wasThere = before == .loaded || before == .inserted
      switch object.status {
      case .inserted, .loaded, .fault:
        if wasThere { updated.append(object) } else { inserted.append(object) }
      case .deleted, .gone, .detached: if wasThere { deleted.append(object) }
      }
    }
    updated += event.owners.filter { $0.status == .loaded }
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    refreshed = event.refreshed
    invalidatedCount = event.invalidatedCount
  }

  /// New objects. After a merge, faults for objects that another context inserted.
  public var insertedObjects: Set<ManagedObject> { Set(inserted) }
  /// Objects with changed properties, the other sides of changed relationships included where they are loaded.
  public var updatedObjects: Set<ManagedObject> { Set(updated) }
  /// Objects that were deleted, or whose insertion was taken back.
  public var deletedObjects: Set<ManagedObject> { Set(deleted) }
  /// Objects that were refreshed, rolled back, or changed by a merge.
  public var refreshedObjects: Set<ManagedObject> { Set(refreshed) }
}

/// The ids of what a save wrote. May be handed to any queue, and as URIs to another process.
public struct ContextChangeIDs: Sendable, Hashable {
  /// Ids of new objects; permanent, unless a child context saved.
  public var insertedObjectIDs: [ObjectID]
  /// Ids of changed objects.
  public var updatedObjectIDs: [ObjectID]
  /// Ids of deleted objects.
  public var deletedObjectIDs: [ObjectID]
  /// Ids of objects whose to-many relationships gained or lost members that were set at the other side; nil where that
  /// is not known, so that a merge looks at all loaded relationships.
  ///
  /// They are put together when they are asked for: linear in the number of changed relationships.
  public var relationshipOwnerIDs: [ObjectID]? {
    get { memberChanges.isEmpty ? owners : Array(memberChanges.owners.union(owners ?? [])) }
    set {
      owners = newValue
      memberChanges = MemberChanges()
    }
  }
  private var owners: [ObjectID]?
  /// Changes whose owners count, too. Most saves have no receiver that asks.
  private var memberChanges = MemberChanges()
  /// The values that contexts hold of these objects after the changes, for their child contexts.
  var states: [ParentState] = []

  /// Changes of these objects.
  public init(
    inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = [], relationshipOwners: [ObjectID]? = nil
  ) {
    insertedObjectIDs = inserted
    updatedObjectIDs = updated
    deletedObjectIDs = deleted
    owners = relationshipOwners
  }

  private init(
    inserted: [ObjectID], updated: [ObjectID], deleted: [ObjectID], relationshipOwners: [ObjectID]?,
    states: [ParentState]
  ) {
    self.init(inserted: inserted, updated: updated, deleted: deleted, relationshipOwners: relationshipOwners)
    self.states = states
  }

  mutating func add(_ changes: MemberChanges) { memberChanges = changes }

  /// Whether the lists of ids are the same; the owners of relationships have no order.
  public static func == (left: ContextChangeIDs, right: ContextChangeIDs) -> Bool {
    left.insertedObjectIDs == right.insertedObjectIDs && left.updatedObjectIDs == right.updatedObjectIDs
      && left.deletedObjectIDs == right.deletedObjectIDs
      && left.relationshipOwnerIDs.map { Set($0) } == right.relationshipOwnerIDs.map { Set($0) }
  }

  /// Hashes all lists but that of the owners.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(insertedObjectIDs)
    hasher.combine(updatedObjectIDs)
    hasher.combine(deletedObjectIDs)
  }

  /// The same changes with the coordinator's own ids; ids of entities that its model does not have are left out.
  func localised(to coordinator: PersistentStoreCoordinator) -> ContextChangeIDs {
    func local(_ ids: [ObjectID]) -> [ObjectID] { ids.compactMap { coordinator.localID($0) } }
    return ContextChangeIDs(
      inserted: local(insertedObjectIDs), updated: local(updatedObjectIDs), deleted: local(deletedObjectIDs),
      relationshipOwners: relationshipOwnerIDs.map { local($0) }, states: states)
  }
}
