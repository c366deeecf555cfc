// Objects of Core Data are equal to themselves alone, and members of sets and keys of dictionaries.

extension ManagedObjectContext: Hashable {
  /// Whether both are the same context.
  public static func == (left: ManagedObjectContext, right: ManagedObjectContext) -> Bool { left === right }
  /// Hashes which context it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PersistentStoreCoordinator: Hashable {
  /// Whether both are the same coordinator.
  public static func == (left: PersistentStoreCoordinator, right: PersistentStoreCoordinator) -> Bool { left === right }
  /// Hashes which coordinator it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PersistentContainer: Hashable {
  /// Whether both are the same container.
  public static func == (left: PersistentContainer, right: PersistentContainer) -> Bool { left === right }
  /// Hashes which container it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MergePolicy: Hashable {
  /// Whether both are the same policy.
  public static func == (left: MergePolicy, right: MergePolicy) -> Bool { left === right }
  /// Hashes which policy it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
