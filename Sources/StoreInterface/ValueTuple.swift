public import ObjectModel

/// The values of match keys or of a uniqueness constraint, for use as a dictionary key.
///
/// Two tuples are equal when their values are, as predicates see it (`Value.isEqual(to:)`): by bytes for text, by
/// mathematical value for numbers, and null equals null.
public struct ValueTuple: Sendable, Hashable, ExpressibleByArrayLiteral {
  public var values: [Value]

  public init(_ values: [Value]) {
    self.values = values
  }

  public init(arrayLiteral elements: Value...) {
    self.values = elements
  }

  /// Whether a value is missing, which keeps a uniqueness constraint from applying.
  public var hasMissingValue: Bool { values.contains(where: \.isMissing) }

  public static func == (left: ValueTuple, right: ValueTuple) -> Bool {
    left.values.count == right.values.count
      && zip(left.values, right.values).allSatisfy { left, right in left.isEqual(to: right) }
  }

  public func hash(into hasher: inout Hasher) {
    for value in values { value.hashByEquality(into: &hasher) }
  }
}
