public import Foundation

/// What accessors of hand-written classes read and set: `var owner: Person? { get { self["owner"] } set { … } }`.
extension ManagedObject {
  /// The object of a to-one relationship; nil where there is none, or one of another class.
  @_disfavoredOverload
  public subscript<Object: ManagedObject>(name: String) -> Object? {
    get { object(for: name) as? Object }
    set { setObject(newValue, for: name) }
  }

  /// The members of a to-many relationship as a set of Foundation's.
  @_disfavoredOverload
  public subscript(name: String) -> NSSet? {
    get { NSSet(array: members(of: name)) }
    set { setValue(newValue, forKey: name) }
  }

  /// The members of an ordered to-many relationship as an ordered set of Foundation's.
  @_disfavoredOverload
  public subscript(name: String) -> NSOrderedSet? {
    get { NSOrderedSet(array: members(of: name)) }
    set { setValue(newValue, forKey: name) }
  }

  /// A number as a decimal of Foundation's; nil where there is none.
  @_disfavoredOverload
  public subscript(name: String) -> NSDecimalNumber? {
    get { (self[name] as Decimal?).map { NSDecimalNumber(decimal: $0) } }
    set { self[name] = newValue?.decimalValue }
  }
}
