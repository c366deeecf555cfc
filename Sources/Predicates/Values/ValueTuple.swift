public import ObjectModel

/// The values of match keys or of a uniqueness constraint, for use as a dictionary key.
///
/// Two tuples are equal when their values are, as predicates see it (`Value.isEqual(to:)`): by bytes for text, by
/// mathematical value for numbers, and null equals null.
public struct ValueTuple: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// One value per key, in the order of the keys.
  public var values: [Value]

  /// A tuple of these values.
  public init(_ values: [Value]) {
    self.values = values
  }

  /// A tuple written as an array, as in `found[[.string("a"), .integer(1)]]`.
  public init(arrayLiteral elements: Value...) {
    self.values = elements
  }

  /// Whether a value is missing, which keeps a uniqueness constraint from applying.
  public var hasMissingValue: Bool { values.contains(where: \.isMissing) }

  /// Element by element, by `Value.isEqual(to:)`.
  public static func == (left: ValueTuple, right: ValueTuple) -> Bool {
    left.values.count == right.values.count
      && zip(left.values, right.values).allSatisfy { left, right in left.isEqual(to: right) }
  }

  /// Agrees with `==`: numbers of different cases that are equal hash alike.
  public func hash(into hasher: inout Hasher) {
    for value in values { value.hashByEquality(into: &hasher) }
  }
}
