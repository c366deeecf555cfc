public import ObjectModel

/// A condition on an object. The SQLite store turns it into SQL, the in-memory store evaluates it; both agree.
///
/// Meaning, binding for every store (`evaluate(with:)` is the readable reference):
///
/// - **Two values.** A predicate is true or false, never unknown. `not` of a false comparison is true, also when the
///   comparison was false because a value is missing.
/// - **Missing values.** The value at a key path is missing when the attribute is null, or when a to-one relationship
///   on the way is nil or leads to an object that is gone. Equality is SQL's `IS`: a missing value equals `.null` and
///   nothing else, so `notEqual` with a constant that is not null is true for it, and `isIn` matches it only where the
///   list holds `.null`. Ordering and string comparisons are false when either side is missing.
/// - **Kinds.** Values compare by what a store keeps: numbers (integer, boolean as 0 and 1, double, decimal, and date
///   as seconds since 2001-01-01T00:00:00Z) by mathematical value, whatever their case, where a decimal is the 64-bit
///   integer that its digits are, or else the nearest double, as SQLite keeps it; text (string, URI) by its UTF-8
///   bytes, without case folding or Unicode normalisation; bytes (data, UUID) as `memcmp` orders them, a shorter one
///   first. Values of different kinds are unequal and not ordered: `equal` and every ordering are false, `notEqual` is
///   true. A double, decimal or date that is not a number counts as missing, as SQLite stores it.
/// - **Key paths** of the compact cases go through to-one relationships and end at an attribute; those of expressions
///   may go through to-many relationships and end at `objectID`, which is the object itself, or at `entity` or
///   `entity.name`, which are the name of the object's own entity (`FetchExpression`). `checkKeyPaths(for:)` says
///   whether they exist; a store throws for those that do not.
/// - **Forms.** `compare` says everything; `comparison`, `isIn`, `tupleIsIn`, `refersTo` and `selfIsIn` are the cases
///   that stores answer fastest. `compacted(for:)` finds them, `generalized` writes them as `compare`.
public indirect enum FetchPredicate: Sendable, Hashable {
  /// Every object.
  case all
  /// No object.
  case none
  /// The value at a key path (attributes, and to-one relationships to an attribute) compared with a constant.
  case comparison(KeyPath, PlainOperator, Value)
  /// The value at the key path equals one of these. An empty list matches nothing.
  case isIn(KeyPath, [Value])
  /// The values at the key paths equal one of these tuples, element by element. Each tuple has as many values as
  /// there are key paths. An empty list matches nothing.
  case tupleIsIn([KeyPath], [[Value]])
  /// The to-one relationship at the end of the key path leads to this object. Nil: it leads nowhere, because it or a
  /// relationship before it is nil.
  case refersTo(KeyPath, ObjectID?)
  /// The object itself is one of these. An id that is temporary or of another store stands for no object of a store.
  case selfIsIn([ObjectID])
  /// Two expressions compared, with everything that the format language can say.
  case compare(Comparison)
  /// All of these; an empty list is true.
  case and([FetchPredicate])
  /// At least one of these; an empty list is false.
  case or([FetchPredicate])
  case not(FetchPredicate)
  /// A closure that is asked for every object; see `init(block:)`.
  case block(PredicateBlock)

  /// Property names from the fetched entity on, such as `["parent", "identifier"]`.
  public typealias KeyPath = [String]

  /// How `comparison` compares the value at the key path (left) with the constant (right).
  public enum PlainOperator: Sendable, Hashable, CaseIterable {
    /// `IS` and `IS NOT` of SQL: null equals null.
    case equal, notEqual
    /// False when a side is missing or the kinds differ.
    case less, lessOrEqual, greater, greaterOrEqual
    /// By UTF-8 bytes, without folding. True for every present text when the constant is the empty string; false when
    /// either side is missing or no text.
    case beginsWith, contains, endsWith
  }
}
