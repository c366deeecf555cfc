public import ObjectModel

/// The object that a predicate is evaluated for.
public protocol PredicateSubject {
  /// The object's identity; its entity says which properties there are.
  var objectID: ObjectID { get }
  /// The value at a key path that ends at an attribute, or at an element of a composite attribute, through to-one
  /// relationships; `.null` when it is missing.
  func value(at keyPath: FetchPredicate.KeyPath) -> Value
  /// The destination at a key path that ends at a to-one relationship; nil when it leads nowhere.
  func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID?
  /// The members of a to-many relationship of this object, in its order; by primary key where it has none.
  func members(of relationship: String) -> [ObjectID]
  /// Another object of the same source; nil when it is gone.
  func subject(for objectID: ObjectID) -> Self?
  /// The argument of a predicate's closure for the object.
  var evaluatedObject: Any { get }
}

extension PredicateSubject {
  /// The subject itself, unless its type says otherwise.
  public var evaluatedObject: Any { self }
}
