public import Foundation

/// A value of an attribute, as an object in a context and a snapshot in a store hold it.
///
/// `Value` compares and hashes by exact type and value: `.integer(1)` is not `.double(1)`.
public enum Value: Sendable, Hashable {
  case null
  /// Integer 16, 32 and 64.
  case integer(Int64)
  case boolean(Bool)
  /// Double and Float (a Float is widened exactly).
  case double(Double)
  case decimal(Decimal)
  case string(String)
  /// Seconds since 2001-01-01T00:00:00Z are what a store keeps.
  case date(Date)
  /// Binary, and the stored bytes of a Transformable.
  case data(Data)
  case uuid(UUID)
  case uri(URL)
  /// The elements of a composite attribute by name; what is not named is null. Objects and stores hold no element that
  /// is null, and null instead of a composite without elements (see `AttributeDefinition.normalized(_:)`).
  case composite([String: Value])
}
