import Predicates

/// What leads to a property: text with dots, or a key path of a generated class.
public protocol PropertyKeyPath {
  /// The names of properties, with dots between them.
  var propertyKeyPath: String { get }
}

extension String: PropertyKeyPath {
  /// The text itself.
  public var propertyKeyPath: String { self }
}

extension AnyKeyPath: PropertyKeyPath {
  /// The property of a generated class that the key path stands for: `title` for `\Recipe.title`. One that stands for
  /// none, as one of several steps does, is a mistake of the program and stops it.
  public var propertyKeyPath: String {
    let root = type(of: self).rootType
    guard let name = (root as? any PropertyNaming.Type)?.propertyName(for: self) else {
      preconditionFailure("\(self) stands for no property of \(root): write a path of several steps as text")
    }
    return name
  }
}
