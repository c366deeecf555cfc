import Foundation
import Seedbed

final class RecipeList: FetchedResultsControllerDelegate {
  let controller: FetchedResultsController<Recipe>
  private(set) var rows: [ObjectID] = []
  private(set) var redrawn: [ObjectID] = []

  init(context: ManagedObjectContext) throws {
    let request = Recipe.fetchRequest()
    request.sortDescriptors = [FetchSortDescriptor(keyPath: \Recipe.title)]
    controller = FetchedResultsController(fetchRequest: request, managedObjectContext: context)
    try controller.performFetch()
    rows = controller.fetchedObjects?.map(\.objectID) ?? []
    controller.delegate = self
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard type == .update || type == .move, let recipe = anObject as? Recipe else { return }
    redrawn.append(recipe.objectID)
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    if let changed = rows.applying(difference) { rows = changed }
  }
}

func watchSaves(of context: ManagedObjectContext, _ saved: @escaping @Sendable (Int) -> Void) -> any NSObjectProtocol {
  NotificationCenter.default.addObserver(
    forName: ManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
  ) { notification in
    saved(notification.contextChangeIDs?.insertedObjectIDs.count ?? 0)
  }
}

func importTags(_ names: [String], into container: PersistentContainer) async throws {
  let view = container.viewContext
  await MainActor.run { view.automaticallyMergesChangesFromParent = true }
  try await container.performBackgroundTask { context in
    for name in names { EntityDescription.insertNewObject(forEntityName: "Tag", into: context)["name"] = name }
    try context.save()
  }
}
