public import ObjectModel

/// Something that has a value for an object: an operand of a comparison, a fetched column, an element of a group.
///
/// The value is a plain value, an object, or a list of these (`ExpressionValue`). Where there is nothing, it is the
/// missing value, `.null`. Meaning, binding for every store (`evaluate(with:)` is the readable reference):
///
/// - **Key paths** go from the object, or from what another expression leads to, along relationships to a property. A
///   path with a to-many relationship in it gives the list of everything it leads to, in the order of the relationship
///   (by primary key where it has none), lists in lists flattened, and missing values among them. A path along to-one
///   relationships gives one value, missing where a relationship leads nowhere. Where no property is called so, a path
///   may end at `objectID`, the object itself, at `entity` or `entity.name`, the name of its own entity, and behind an
///   attribute at `length`, `lowercaseString` or `uppercaseString`, which are those functions of its value.
/// - **Functions** of a missing or unfitting operand are missing; see `Function`.
/// - **Collection operators** and the functions of lists leave missing elements out.
public indirect enum FetchExpression: Sendable, Hashable {
  /// A constant value.
  case constant(Value)
  /// An object. It stands in no text: `predicateFormat` gives it as an argument.
  case object(ObjectID)
  /// A list: `{1, 2, 3}`.
  case aggregate([FetchExpression])
  /// The object itself: `SELF`.
  case selfObject
  /// `$NAME`: the loop variable of the subquery around it, or to be replaced with `withSubstitutionVariables(_:)`
  /// before the predicate can be used.
  case variable(String)
  /// Property names from the object on, at least one: `parent.name`.
  case keyPath(FetchPredicate.KeyPath)
  /// Property names from the object or objects on that another expression gives: `$stop.zone`.
  case path(of: FetchExpression, FetchPredicate.KeyPath)
  /// A collection operator over what the key path leads to from each object of the list: `lines.@sum.price` is
  /// `.collection(.sum, of: .keyPath(["lines"]), ["price"])`, and `lines.@count` has no key path. Alone, `@sum.price`
  /// is one of `selfObject`: in requests for dictionaries it works on the rows of the group.
  case collection(CollectionOperator, of: FetchExpression, FetchPredicate.KeyPath)
  /// An element of a list, or its size: `stops[FIRST]`.
  case element(of: FetchExpression, Position)
  /// A function of operands; as many as `Function.operandCount` says.
  case function(Function, [FetchExpression])
  /// `SUBQUERY(collection, $variable, predicate)`: the elements of the list for which the predicate holds. Inside it
  /// the variable is the element, and key paths and `SELF` are still those of the object that the whole predicate is
  /// about.
  case subquery(of: FetchExpression, variable: String, FetchPredicate)
  /// `TERNARY(predicate, then, else)`.
  case conditional(FetchPredicate, FetchExpression, FetchExpression)
  /// `CAST(expression, "NSDate")`; see `CastType`.
  case cast(FetchExpression, CastType)
  /// The elements of two lists: `a UNION b`. Equal elements occur once in the result, in the order of the first.
  case set(SetOperation, FetchExpression, FetchExpression)

  /// Which element of a list. Numbers count from 0; beyond the list the element is missing.
  public indirect enum Position: Sendable, Hashable {
    case first, last
    /// The number of elements, missing ones included.
    case size
    case at(FetchExpression)
  }

  /// How `set` combines two lists.
  public enum SetOperation: String, Sendable, Hashable, CaseIterable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
  }
}
