public import ObjectModel

/// Brings stores to newer models. A coordinator calls it when it opens a store that was made with another model.
public protocol StoreMigrating: Sendable {
  /// Brings the store of the description to the model. It is closed, and its version hashes are not the model's.
  /// - Throws: the error of the migration; the store is unchanged then.
  func migrateStore(_ description: PersistentStoreDescription, to model: ManagedObjectModel) throws
}
