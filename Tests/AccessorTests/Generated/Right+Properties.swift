// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension Right {}

extension Right: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  public static func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    default: nil
    }
  }

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  public static var modelClasses: [Swift.String: ManagedObject.Type] {
    Gallery2Classes.byEntityName
  }
}
