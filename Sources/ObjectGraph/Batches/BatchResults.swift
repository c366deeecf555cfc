public import ObjectModel
import StoreInterface

/// What a batch did. `execute` returns this protocol, so Core Data code that casts with `as?` compiles without a
/// warning; the cast may be left out.
public protocol BatchResult: Sendable {
  /// `true`, the ids (`[ObjectID]`) or the number (`Int`) of objects, by the request's result type.
  var result: (any Sendable)? { get }
  /// How many objects it concerned; whatever the result type.
  var count: Int { get }
  /// How many objects are new.
  var insertedCount: Int { get }
  /// How many objects got other values.
  var updatedCount: Int { get }
  /// How many objects were deleted, those that cascades reached included.
  var deletedCount: Int { get }
  /// Their ids; empty unless the result type asks for ids.
  var objectIDs: [ObjectID] { get }
  /// What contexts have to merge. Empty unless the result type asks for ids.
  var changes: ContextChangeIDs { get }
}

/// What a batch deletion did.
public struct BatchDeleteResult: BatchResult {
  /// What was asked for.
  public let resultType: BatchDeleteRequestResultType
  let outcome: BatchOutcome

  /// `true`, the ids (`[ObjectID]`) or the number (`Int`) of deleted objects, by the result type.
  public var result: (any Sendable)? {
    switch resultType {
    case .resultTypeStatusOnly: true
    case .resultTypeObjectIDs: outcome.deleted
    case .resultTypeCount: outcome.deletedCount
    }
  }
  /// How many objects were deleted, those that cascades reached included; whatever the result type.
  public var count: Int { outcome.deletedCount }
  /// Always 0: a deletion adds no objects.
  public var insertedCount: Int { 0 }
  /// Always 0: objects that delete rules nullified are not counted.
  public var updatedCount: Int { 0 }
  /// The same number as `count`.
  public var deletedCount: Int { outcome.deletedCount }
  /// The ids of the deleted objects, those that cascades reached included; empty unless the result type asks for ids.
  public var objectIDs: [ObjectID] { outcome.deleted }
  /// What contexts have to merge: deleted objects, and those that delete rules nullified or that lost members. Empty
  /// unless the result type asks for ids.
  public var changes: ContextChangeIDs { ContextChangeIDs(outcome) }
}

/// What a batch update did.
public struct BatchUpdateResult: BatchResult {
  /// What was asked for.
  public let resultType: BatchUpdateRequestResultType
  let outcome: BatchOutcome

  /// `true`, the ids (`[ObjectID]`) or the number (`Int`) of updated objects, by the result type.
  public var result: (any Sendable)? {
    switch resultType {
    case .statusOnlyResultType: true
    case .updatedObjectIDsResultType: outcome.updated
    case .updatedObjectsCountResultType: outcome.updatedCount
    }
  }
  /// How many objects got other values; whatever the result type.
  public var count: Int { outcome.updatedCount }
  /// Always 0: an update adds no objects.
  public var insertedCount: Int { 0 }
  /// The same number as `count`.
  public var updatedCount: Int { outcome.updatedCount }
  /// Always 0: an update deletes no objects.
  public var deletedCount: Int { 0 }
  /// The ids of the objects that got other values; empty unless the result type asks for ids.
  public var objectIDs: [ObjectID] { outcome.updated }
  /// What contexts have to merge. Empty unless the result type asks for ids.
  public var changes: ContextChangeIDs { ContextChangeIDs(outcome) }
}

/// What a batch insertion did.
public struct BatchInsertResult: BatchResult {
  /// What was asked for.
  public let resultType: BatchInsertRequestResultType
  let outcome: BatchOutcome

  /// `true`, the ids (`[ObjectID]`) or the number (`Int`) of objects, by the result type.
  public var result: (any Sendable)? {
    switch resultType {
    case .statusOnly: true
    case .objectIDs: objectIDs
    case .count: count
    }
  }
  /// How many objects are new or took a row's values; whatever the result type.
  public var count: Int { outcome.insertedCount + outcome.updatedCount }
  /// How many of them are new.
  public var insertedCount: Int { outcome.insertedCount }
  /// How many of them were there and took other values.
  public var updatedCount: Int { outcome.updatedCount }
  /// Always 0: an insertion deletes no objects.
  public var deletedCount: Int { 0 }
  /// The ids of new objects in the order of their rows, then of those that took a row's values; empty unless the result
  /// type asks for ids.
  public var objectIDs: [ObjectID] { outcome.inserted + outcome.updated }
  /// What contexts have to merge: these objects and those that have other members now. Empty unless the result type
  /// asks for ids.
  public var changes: ContextChangeIDs { ContextChangeIDs(outcome) }
}

extension ContextChangeIDs {
  fileprivate init(_ outcome: BatchOutcome) {
    self.init(inserted: outcome.inserted, updated: outcome.updated + outcome.related, deleted: outcome.deleted)
  }
}
