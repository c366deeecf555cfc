public import Foundation
import ObjectModel

/// Foundation's classes, which key-value code hands on.
extension NSNumber: PredicateArgument {
  /// A constant: a decimal for an `NSDecimalNumber` and beyond 64 bits with a sign, a double for a number that was made
  /// from one, otherwise an integer.
  public var predicateExpression: FetchExpression {
    if let decimal = self as? NSDecimalNumber { return .constant(.decimal(decimal.decimalValue)) }
    // Safety: the type is a C string that is never empty and lives at least as long as the number.
    switch unsafe UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return .constant(.double(doubleValue))
    case UInt8(ascii: "Q"): return uint64Value.predicateExpression
    default: return .constant(.integer(int64Value))
    }
  }
}

extension NSString: PredicateArgument {
  /// A constant with this text.
  public var predicateExpression: FetchExpression { .constant(.string(String(describing: self))) }
}

extension NSDate: PredicateArgument {
  /// A constant with this date.
  public var predicateExpression: FetchExpression {
    .constant(.date(Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate)))
  }
}

extension NSData: PredicateArgument {
  /// A constant with these bytes.
  public var predicateExpression: FetchExpression { .constant(.data(Data(referencing: self))) }
}

extension NSUUID: PredicateArgument {
  /// A constant with this UUID.
  public var predicateExpression: FetchExpression { .constant(UUID(uuidString: uuidString).map { .uuid($0) } ?? .null) }
}

extension NSURL: PredicateArgument {
  /// A constant with the absolute URL; null where there is none.
  public var predicateExpression: FetchExpression { .constant(absoluteURL.map { .uri($0) } ?? .null) }
}

extension NSNull: PredicateArgument {
  /// The constant null.
  public var predicateExpression: FetchExpression { .constant(.null) }
}

extension NSArray: PredicateArgument {
  /// An aggregate. An element that cannot be an argument stops the program.
  public var predicateExpression: FetchExpression { FetchExpression(elements: self) }
}

extension NSSet: PredicateArgument {
  /// An aggregate, in no particular order. An element that cannot be an argument stops the program.
  public var predicateExpression: FetchExpression { FetchExpression(elements: self) }
}

extension NSOrderedSet: PredicateArgument {
  /// An aggregate. An element that cannot be an argument stops the program.
  public var predicateExpression: FetchExpression { FetchExpression(elements: array) }
}

extension FetchExpression {
  fileprivate init(elements: some Sequence) {
    self = .aggregate(elements.map { argument(of: $0)?.predicateExpression ?? .constant(.null) })
  }
}

extension FetchPredicate {
  /// As `init(format:_:)`, with arguments of any type that key-value code has. One that cannot be an argument stops the
  /// program, where Core Data raises an exception.
  @_disfavoredOverload
  public init(format: String, argumentArray arguments: [Any]?) {
    self.init(format: format, argumentArray: (arguments ?? []).map { argument(of: $0) })
  }
}

extension FetchExpression {
  /// As `init(format:_:)`, with the arguments as an array of any types that key-value code has.
  public init(format: String, argumentArray arguments: [Any]) {
    do {
      try self.init(parsing: format, arguments: arguments.map { argument(of: $0) })
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension FetchPredicate {
  /// As `withSubstitutionVariables(_:)`, with values of any type that key-value code has. One that cannot be an
  /// argument stops the program.
  @_disfavoredOverload
  public func withSubstitutionVariables(_ values: [String: Any]) -> FetchPredicate {
    substituting(values.mapValues { argument(of: $0)?.predicateExpression ?? .constant(.null) })
  }
}

extension FetchExpression {
  /// As `init(forConstantValue:)`, of any type that key-value code has. One that cannot be an argument stops the
  /// program.
  @_disfavoredOverload
  public init(forConstantValue value: Any?) {
    self = value.flatMap { argument(of: $0)?.predicateExpression } ?? .constant(.null)
  }
}

/// What a value of any type is as an argument. One that cannot be an argument stops the program.
package func argument(of value: Any) -> (any PredicateArgument)? {
  switch value {
  case let argument as any PredicateArgument: return argument
  case let list as [Any]:
    return FetchExpression.aggregate(list.map { argument(of: $0)?.predicateExpression ?? .constant(.null) })
  case let set as Set<AnyHashable>:
    return FetchExpression.aggregate(set.map { argument(of: $0.base)?.predicateExpression ?? .constant(.null) })
  default: preconditionFailure("a \(type(of: value)) cannot be an argument of a predicate")
  }
}
