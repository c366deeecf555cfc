public import ObjectModel
import StoreInterface

/// An object that was changed or deleted here, or marked by `detectConflicts(for:)`, and whose row was changed or
/// deleted elsewhere since it was read.
///
/// The unchecked `Sendable` is sound because everything but `sourceObject` is immutable, and the object is to be used
/// on its context's queue only, which the concurrency debugging checks.
public struct MergeConflict: @unchecked Sendable {
  /// The object in the context that is being saved.
  public let sourceObject: ManagedObject
  /// The version of the row that the object was read at; 0 in a child context.
  public let oldVersion: Int64
  /// The version that the row has now; nil when the row is gone.
  public let newVersion: Int64?
  /// What the object holds now: every attribute, every to-one relationship, loaded to-many relationships.
  public let objectPropertyValues: [String: PropertyValue]
  /// What was read: attributes and to-one relationships.
  public let cachedPropertyValues: [String: PropertyValue]
  /// What the store has now; nil when the row is gone.
  public let persistedPropertyValues: [String: PropertyValue]?
  /// To-many relationships whose members were changed here, or elsewhere since they were loaded.
  public let memberConflicts: [MemberConflict]
  /// `oldVersion`
  public var oldVersionNumber: Int { Int(oldVersion) }
  /// `newVersion`, 0 when the row is gone.
  public var newVersionNumber: Int { Int(newVersion ?? 0) }
  let persisted: Snapshot?
  /// What the coordinator had of the row when the conflict was found; nil where that is what was read, or nothing.
  let cached: Snapshot?

  init(_ object: ManagedObject, readAt version: Int64, persisted: Snapshot?, cached: Snapshot?) {
    sourceObject = object
    oldVersion = version
    newVersion = persisted?.version
    objectPropertyValues = object.currentValues()
    cachedPropertyValues = object.stored?.valuesByName ?? [:]
    persistedPropertyValues = persisted?.valuesByName
    memberConflicts = persisted == nil ? [] : object.memberConflicts()
    self.persisted = persisted
    self.cached = cached
  }

  /// What happened to each relationship, for messages.
  fileprivate var memberText: String {
    memberConflicts.map { conflict in
      let parts =
        [
          ("added here", conflict.addedHere), ("removed here", conflict.removedHere),
          ("added by others", conflict.addedByOthers ?? []), ("removed by others", conflict.removedByOthers ?? []),
        ].filter { !$0.1.isEmpty }.map { what, ids in "\(what): \(MemberConflict.text(ids))" }
        + (conflict.isArrangedByBoth ? ["arranged here and by others"] : [])
      let isKnown = conflict.addedByOthers?.isEmpty == false || conflict.removedByOthers?.isEmpty == false
      let others = isKnown ? [] : ["the store has: \(MemberConflict.text(conflict.persistedMembers))"]
      return "; \(conflict.relationshipName) (\((parts + others).joined(separator: ", ")))"
    }.joined()
  }
}

/// Objects that would have the same values for the properties of a uniqueness constraint.
///
/// The unchecked `Sendable` is sound for the same reason as that of `MergeConflict`.
public struct ConstraintConflict: @unchecked Sendable {
  /// The entity that declares the constraint.
  public let entity: Entity
  /// The names of the constraint's properties.
  public let constraint: [String]
  /// The values that several objects have, by property; of a relationship its destination.
  public let constraintPropertyValues: [String: PropertyValue]
  /// The object whose row has the values already and that the save does not change; nil when the conflict is between
  /// objects of the save only. `object(with:)` of the context gives the object.
  public let databaseObjectID: ObjectID?
  /// That object, in the context of the save.
  public var databaseObject: ManagedObject? {
    databaseObjectID.flatMap { conflictingObjects.first?.managedObjectContext?.object(with: $0) }
  }
  /// The values of that row.
  public let databasePropertyValues: [String: PropertyValue]?
  /// The objects of the save that have the values: changed ones, then new ones in the order of insertion.
  public let conflictingObjects: [ManagedObject]
  /// Their values.
  public let conflictingPropertyValues: [[String: PropertyValue]]
  let persisted: Snapshot?
}

/// What a save could not do under its merge policy.
public struct SaveConflictError: Error, Sendable, CustomStringConvertible {
  /// Objects whose rows were changed elsewhere.
  public let optimisticLockingConflicts: [MergeConflict]
  /// Objects that would break a uniqueness constraint.
  public let constraintConflicts: [ConstraintConflict]

  /// An error of these conflicts, for merge policies that do not resolve them.
  public init(
    optimisticLockingConflicts: [MergeConflict] = [], constraintConflicts: [ConstraintConflict] = []
  ) {
    self.optimisticLockingConflicts = optimisticLockingConflicts
    self.constraintConflicts = constraintConflicts
  }

  /// One line per conflict.
  public var description: String {
    let locking = optimisticLockingConflicts.map { conflict in
      let now = conflict.newVersion.map { "it is at version \($0) now" } ?? "it is gone"
      return "\(conflict.sourceObject.runtime.entity.name) was read at version \(conflict.oldVersion); \(now)"
        + conflict.memberText
    }
    let constraints = constraintConflicts.map { conflict in
      let values = conflict.constraint.map { conflict.constraintPropertyValues[$0]?.description ?? "nil" }
      return "several objects of \(conflict.entity.name) have the same \(conflict.constraint.joined(separator: ", ")): "
        + values.joined(separator: ", ")
    }
    return (locking + constraints).joined(separator: "\n")
  }
}
