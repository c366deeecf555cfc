public import ObjectModel
public import StoreInterface

/// A model, a store, and the contexts that work on them.
public final class PersistentContainer: Sendable {
  /// For messages; names contexts that are given none.
  public let name: String
  /// What all contexts of the container share.
  public let coordinator: PersistentStoreCoordinator

  /// - Parameter classes: subclasses of `ManagedObject` by `managedObjectClassName` or entity name.
  /// - Throws: `StoreError.failure` when the store has another model instance, `ModelError` when a regular expression
  ///   of the model is invalid.
  public init(
    name: String, model: ManagedObjectModel, store: any PersistentStore, classes: [String: ManagedObject.Type] = [:]
  ) throws {
    self.name = name
    coordinator = try PersistentStoreCoordinator(model: model, store: store, classes: classes)
  }

  /// A context with a serial queue of its own.
  public func newBackgroundContext(name: String? = nil) -> ManagedObjectContext {
    ManagedObjectContext(coordinator: coordinator, name: name ?? self.name)
  }

  /// Runs work on the queue of a new context.
  public func performBackgroundTask<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let context = newBackgroundContext()
    return try await context.perform { () throws(Failure) -> Result in try work(context) }
  }
}
