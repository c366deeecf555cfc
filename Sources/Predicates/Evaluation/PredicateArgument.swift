public import Foundation
public import ObjectModel

/// What can stand for `%@` in a predicate format, and for a substitution variable.
///
/// An empty optional is a null value.
public protocol PredicateArgument {
  /// A constant, an object, or an aggregate of these.
  var predicateExpression: FetchExpression { get }
}

extension FetchExpression: PredicateArgument {
  /// The expression itself.
  public var predicateExpression: FetchExpression { self }
}

extension Value: PredicateArgument {
  /// A constant with this value.
  public var predicateExpression: FetchExpression { .constant(self) }
}

extension ExpressionValue: PredicateArgument {
  /// A constant, an object, or a list of these.
  public var predicateExpression: FetchExpression { FetchExpression(self) }
}

extension ObjectID: PredicateArgument {
  /// The object with this id.
  public var predicateExpression: FetchExpression { .object(self) }
}

extension Entity: PredicateArgument {
  /// The entity's name, which `entity` in a predicate compares with.
  public var predicateExpression: FetchExpression { .constant(.string(name)) }
}

extension EntityDefinition: PredicateArgument {
  /// The entity's name, which `entity` in a predicate compares with.
  public var predicateExpression: FetchExpression { .constant(.string(name)) }
}

extension String: PredicateArgument {
  /// A constant with this text.
  public var predicateExpression: FetchExpression { .constant(.string(self)) }
}

extension Bool: PredicateArgument {
  /// A constant with this boolean.
  public var predicateExpression: FetchExpression { .constant(.boolean(self)) }
}

extension Double: PredicateArgument {
  /// A constant with this double.
  public var predicateExpression: FetchExpression { .constant(.double(self)) }
}

extension Float: PredicateArgument {
  /// A constant, widened exactly.
  public var predicateExpression: FetchExpression { .constant(.double(Double(self))) }
}

extension CGFloat: PredicateArgument {
  /// A constant, widened exactly.
  public var predicateExpression: FetchExpression { .constant(.double(Double(self))) }
}

extension Decimal: PredicateArgument {
  /// A constant with this decimal.
  public var predicateExpression: FetchExpression { .constant(.decimal(self)) }
}

extension Date: PredicateArgument {
  /// A constant with this date.
  public var predicateExpression: FetchExpression { .constant(.date(self)) }
}

extension Data: PredicateArgument {
  /// A constant with these bytes.
  public var predicateExpression: FetchExpression { .constant(.data(self)) }
}

extension UUID: PredicateArgument {
  /// A constant with this UUID.
  public var predicateExpression: FetchExpression { .constant(.uuid(self)) }
}

extension URL: PredicateArgument {
  /// A constant with this URI.
  public var predicateExpression: FetchExpression { .constant(.uri(self)) }
}

extension PredicateArgument where Self: BinaryInteger {
  /// A constant: a decimal where it does not fit 64 bits with a sign.
  public var predicateExpression: FetchExpression {
    if let integer = Int64(exactly: self) { return .constant(.integer(integer)) }
    return .constant(Decimal(string: description).map { .decimal($0) } ?? .null)
  }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
  /// A null constant when there is nothing.
  public var predicateExpression: FetchExpression { self?.predicateExpression ?? .constant(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
  /// A list of the elements' expressions.
  public var predicateExpression: FetchExpression { .aggregate(map(\.predicateExpression)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
  /// An aggregate, in no particular order.
  public var predicateExpression: FetchExpression { .aggregate(map(\.predicateExpression)) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
  /// The two bounds, as `BETWEEN` takes them.
  public var predicateExpression: FetchExpression {
    .aggregate([lowerBound.predicateExpression, upperBound.predicateExpression])
  }
}
