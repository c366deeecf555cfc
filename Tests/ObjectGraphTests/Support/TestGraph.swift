import ObjectGraph
import StoreInterface

/// Objects of a model in a store, with a container over it.
protocol TestGraph {
  var container: PersistentContainer { get }
}

extension TestGraph {
  var store: any PersistentStore { container.persistentStoreCoordinator.store }

  /// Runs work in the queue of a new context.
  @discardableResult
  func work<Result>(
    _ policy: MergePolicy = .error, _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let context = container.newBackgroundContext(name: "test")
    context.mergePolicy = policy
    return try context.performAndWait { try body(context) }
  }
}
