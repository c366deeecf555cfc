/// Why a `#Predicate` has no meaning for a store.
public struct PredicateConversionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What cannot be converted, for people.
  public var message: String
  /// What to write instead.
  public var hint: String?

  /// The message and the hint.
  public var description: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}
