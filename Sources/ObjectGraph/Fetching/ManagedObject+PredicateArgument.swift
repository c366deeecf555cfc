import Foundation
public import ObjectModel
public import Predicates

extension ManagedObject: PredicateArgument {
  /// The object by its id.
  public var predicateExpression: FetchExpression { .object(objectID) }
}

/// Lets objects be arguments of predicates, as in `owner as CVarArg`. Functions of C take none.
extension ManagedObject: CVarArg {
  // swift-format-ignore: NoLeadingUnderscores
  /// Stops the program: an object can be an argument of a predicate, but not of a C function.
  public var _cVarArgEncoding: [Int] { preconditionFailure("functions of C take no managed object") }
}

/// Lets ids be arguments of predicates, as in `id as CVarArg`. Functions of C take none.
extension ObjectID: CVarArg {
  // swift-format-ignore: NoLeadingUnderscores
  /// Stops the program: an id can be an argument of a predicate, but not of a C function.
  public var _cVarArgEncoding: [Int] { preconditionFailure("functions of C take no object id") }
}
