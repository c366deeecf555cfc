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

extension PropertyNaming {
  /// The name of the property that a key path stands for. One that stands for none is a mistake of the program and
  /// stops it.
  public static func propertyName<Root: PropertyNaming, Property>(_ keyPath: KeyPath<Root, Property>) -> String {
    guard let name = Root.propertyName(for: keyPath) else {
      preconditionFailure("\(keyPath) stands for no property of \(Root.self)")
    }
    return name
  }
}

extension FetchExpression {
  /// The property that a key path of a generated class stands for: `\Recipe.title`.
  public init<Root: PropertyNaming, Property>(forKeyPath keyPath: KeyPath<Root, Property>) {
    self = .keyPath([Root.propertyName(keyPath)])
  }
}
