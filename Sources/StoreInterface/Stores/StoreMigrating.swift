public import ObjectModel

/// Brings stores to newer models: what a coordinator asks when a store that it is to open was made with another one.
public protocol StoreMigrating: Sendable {
  /// Brings the store of the description to the model. It is closed, and its version hashes are not the model's.
  /// - Throws: what keeps it from that; the store is what it was then.
  func migrateStore(_ description: PersistentStoreDescription, to model: ManagedObjectModel) throws
}
