/// A class that lists the classes of its model's entities, as generated ones do: when a program first uses it with a
/// container that was given no classes, the container takes them all.
public protocol ClassListing: ManagedObject {
  /// The classes by `managedObjectClassName` or entity name.
  static var modelClasses: [String: ManagedObject.Type] { get }
}
