public import ObjectModel

/// The changes that one save of a context writes, in one transaction.
public struct SaveRequest: Sendable {
  /// Complete snapshots of new objects. Their ids are permanent: `reservePrimaryKeys` gave the keys. Version is 1.
  public var inserted: [Snapshot] = []
  /// New snapshots of changed objects. `version` is the version they were read at; the store writes it plus one.
  public var updated: [Snapshot] = []
  /// Deleted objects with the version they were read at.
  public var deleted: [(objectID: ObjectID, version: Int64)] = []
  /// Objects that the save does not change, and that must not have changed since they were read at this version: a
  /// store compares them as it does those that are updated.
  public var checked: [(objectID: ObjectID, version: Int64)] = []
  /// The new membership of changed to-many relationships, as far as no to-one column of the other side has it:
  /// many-to-many, to-many without inverse, and the order of ordered ones.
  ///
  /// Where a to-one inverse says which objects are members, a change only says their order; members that it leaves out,
  /// and new members of an ordered relationship that no change mentions, come last. A member of a to-many relationship
  /// without inverse leaves its previous owner. Memberships of deleted objects end by themselves, and members that have
  /// no row (they were deleted meanwhile) are left out. Of two sides of one many-to-many relationship either may be
  /// given, or both when they agree.
  public var toMany: [ToManyChange] = []
  /// The author for the history of the store: `ManagedObjectContext.transactionAuthor`.
  public var author: String?
  /// The name of the context, for the history of the store.
  public var contextName: String?
  /// Of each updated object, the properties that differ from what was read at its version; empty where that is not
  /// known. With it, the store need not compare rows that still have that version.
  package var updatedProperties: [PropertySet] = []
  /// Whether objects of which only the members change keep their version, as far as they are new to the import that the
  /// save is a part of. Values that were read before must then not be used for another save of these objects.
  package var keepsVersionsOfNewOwners = false

  /// The ids of `inserted`.
  package var insertedIDs: [ObjectID] { Self.ids(of: inserted) }
  /// The ids of `updated`.
  package var updatedIDs: [ObjectID] { Self.ids(of: updated) }
  /// The ids of `deleted`.
  package var deletedIDs: [ObjectID] { deleted.map(\.objectID) }

  /// By position: `map` would copy every snapshot.
  private static func ids(of snapshots: [Snapshot]) -> [ObjectID] {
    var ids: [ObjectID] = []
    ids.reserveCapacity(snapshots.count)
    for index in snapshots.indices { ids.append(snapshots[index].objectID) }
    return ids
  }

  /// A request that writes nothing yet.
  public init() {}

  /// The new members of one to-many relationship of one object, in order.
  public struct ToManyChange: Sendable {
    /// The object that has the relationship, by its permanent id.
    public var owner: ObjectID
    /// A to-many relationship of the owner's entity.
    public var relationshipName: String
    /// Permanent ids; the order counts where the relationship is ordered.
    public var members: [ObjectID]
    /// The members that the change started from: members that were added or removed elsewhere since stay so. Nil: the
    /// owner gets exactly `members`.
    public var membersBefore: [ObjectID]?
    /// A change that gives the owner these members.
    public init(owner: ObjectID, relationshipName: String, members: [ObjectID], membersBefore: [ObjectID]? = nil) {
      self.owner = owner
      self.relationshipName = relationshipName
      self.members = members
      self.membersBefore = membersBefore
    }
  }
}
