// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// An object of the entity Right.
public final class Right: ManagedObject, PropertyNaming {
  /// Makes a new object with the model's defaults.
  @discardableResult
  public class func insert(into context: ManagedObjectContext) -> Right {
    Gallery2Classes.checked(
      context.insert(Gallery2Classes.entity("Right", in: context.persistentStoreCoordinator.managedObjectModel)))
  }

  /// The property that a key path of this class stands for, so that `#Predicate` can speak of it.
  public class func propertyName(for keyPath: AnyKeyPath) -> Swift.String? {
    switch keyPath {
    default: nil
    }
  }
}
