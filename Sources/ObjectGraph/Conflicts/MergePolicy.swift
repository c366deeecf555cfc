/// How a save resolves conflicts: objects whose rows another context or program changed since they were read, and
/// objects that would break a uniqueness constraint.
///
/// |  | rows changed by others | a new object has the key of a stored row | two new objects have one key |
/// |---|---|---|---|
/// | `error` | the save fails | the save fails | the save fails |
/// | `mergeByPropertyObjectTrump` | properties changed here win, others take the row's values | the new object takes over the row, its id included; its values that are not null win, members are joined | they become one; the later one's values win |
/// | `overwrite` | everything is written as it is here | the same, but nulls win too and members are replaced | the same, but nulls win too |
/// | `mergeByPropertyStoreTrump` | properties that others changed win, others stay as they are here | the new object is dropped | the later one is dropped |
/// | `rollback` | what was changed here is lost | the new object is dropped | the later one is dropped |
///
/// A constraint is about the rows of one store: where several hold an entity, objects of two of them may have one key.
///
/// To-many relationships are merged: members that were added and removed here are added to and removed from those of
/// the store. An object is updated when its members change at the other side, so two contexts that give one object new
/// members are in conflict about it. Where only members of an object were changed elsewhere, or only members here, both
/// changes are kept under every policy but `error`, and the methods below are not called; under `error` the conflict
/// says which members were added and removed (`MergeConflict.memberConflicts`). Where both sides put an ordered
/// relationship into orders that differ, the policy is asked: this context's order wins under
/// `mergeByPropertyObjectTrump` and `overwrite`, the other one under the other two. A changed object whose row is gone
/// is inserted again with its id under `mergeByPropertyObjectTrump` and `overwrite`, and is lost under the other two
/// (in a child context, whose parent deleted it, it is lost under all but `error`). A deletion here of a changed row is
/// carried out under `mergeByPropertyObjectTrump` and `overwrite`, and taken back under the other two; what delete
/// rules did to other objects then stays. A deletion of a row that is gone is no conflict under any but `error`.
///
/// Both sides of a one-to-one relationship agree after every save. Where only one of the two rows was in conflict, the
/// other side follows: what was changed here wins under `mergeByPropertyObjectTrump` and `overwrite`, what the store
/// has under the other two. A link that gives way is dropped; under `rollback` the stored one takes its place.
///
/// A relationship that was set here to lead to an object which others deleted: under `mergeByPropertyObjectTrump` and
/// `overwrite` that object is inserted again where the context had loaded it; under the other two the link is given up
/// where the relationship is optional. Otherwise the save fails (`ValidationError.Code.deletedDestination`).
///
/// A *changed* object that takes the key of another row: under the trump of objects and `overwrite` the other row's
/// object is deleted; under the trump of the store the constraint's properties take back their stored values, and under
/// `rollback` all do. A dropped object is deleted by the delete rules. When a new object takes over a row whose object
/// the context has already, that one gets the values and the new object leaves the context; its `objectID` is the
/// row's then all the same. A save that merges objects into one clears what can be undone.
///
/// Subclasses override the two `resolve` methods: change the objects, call `super`, or throw. A locking conflict that
/// an override leaves alone counts as resolved by the object's values as they are then.
///
/// The five policies below never change and may go anywhere. One of a subclass belongs to the queue of the context that
/// has it.
open class MergePolicy {
  /// What a policy does with conflicts.
  public enum Kind: Sendable, Hashable, CaseIterable {
    case error, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback
  }

  /// Refuses: the save fails with `SaveConflictError`. The policy of new contexts.
  public static let error = ConstantMergePolicy(.error)
  /// Merges property by property; where both sides changed one, the store wins.
  public static let mergeByPropertyStoreTrump = ConstantMergePolicy(.mergeByPropertyStoreTrump)
  /// Merges property by property; where both sides changed one, the context's object wins.
  public static let mergeByPropertyObjectTrump = ConstantMergePolicy(.mergeByPropertyObjectTrump)
  /// Writes whole objects over the store's.
  public static let overwrite = ConstantMergePolicy(.overwrite)
  /// Discards the context's changes of objects in conflict.
  public static let rollback = ConstantMergePolicy(.rollback)

  /// What `super` does in the methods below.
  public let kind: Kind

  /// A policy of that kind, to be subclassed.
  public init(_ kind: Kind) {
    self.kind = kind
  }

  /// As `init(_:)`, by Core Data's name.
  public init(merge kind: Kind) {
    self.kind = kind
  }

  /// Resolves conflicts with rows that were changed elsewhere. Called on the context's queue; may change objects.
  /// - Throws: `SaveConflictError`, or an error of a subclass: the save fails with it.
  open func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
    if kind == .error { throw SaveConflictError(optimisticLockingConflicts: conflicts) }
    guard let context = conflicts.lazy.compactMap(\.sourceObject.context).first else { return }
    try context.resolve(conflicts, kind)
  }

  /// Resolves conflicts about uniqueness constraints. Called on the context's queue; may change objects.
  /// - Throws: `SaveConflictError`, or an error of a subclass: the save fails with it.
  open func resolve(constraintConflicts conflicts: [ConstraintConflict]) throws {
    if kind == .error { throw SaveConflictError(constraintConflicts: conflicts) }
    guard let context = conflicts.lazy.compactMap(\.conflictingObjects.first?.context).first else { return }
    try context.resolve(conflicts, kind)
  }
}

/// A policy that every context may have. The unchecked `Sendable` is sound because nothing of it changes.
public final class ConstantMergePolicy: MergePolicy, @unchecked Sendable {
  override fileprivate init(_ kind: Kind) { super.init(kind) }
}
