/// A type whose key paths stand for properties of an entity, so that Foundation's `#Predicate` can speak of it.
///
/// Generated accessors conform:
/// ```swift
/// static func propertyName(for keyPath: AnyKeyPath) -> String? {
///   switch keyPath {
///   case \Stop.name: "name"
///   case \Stop.parent: "parent"
///   default: nil
///   }
/// }
/// ```
/// A key path of a subclass differs from the same one of its superclass: a subclass lists what it inherits too.
public protocol PropertyNaming {
  /// The name of the property in the model; nil for a key path that is none.
  static func propertyName(for keyPath: AnyKeyPath) -> String?
}
