import Foundation
import Seedbed
import TestSupport
import Testing

/// What code does with stores of several files or types.
@Suite("Idioms: several stores")
struct SeveralStoreIdioms {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func recipe(_ title: String, _ context: ManagedObjectContext) -> Recipe {
    let recipe = Recipe(context: context)
    recipe.title = title
    return recipe
  }

  @Test("several stores: cached sections are those of the stores that a request names")
  func sectionCache() throws {
    let descriptions = ["A", "B"].map {
      PersistentStoreDescription(type: .sqlite, url: folder.file("\($0).sqlite"))
    }
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(), persistentStoreDescriptions: descriptions,
      classes: ["Recipe": Recipe.self, "Person": Person.self])
    try container.loadPersistentStores()
    let stores = container.persistentStoreCoordinator.persistentStores
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for (store, title) in zip(stores, ["Apple", "Bread"]) { context.assign(recipe(title, context), to: store) }
      try context.save()
      let names = try (stores.map { [$0] } + [stores]).map { affected in
        let request = Recipe.fetchRequest()
        request.affectedStores = affected
        request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
        let controller = FetchedResultsController(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: "titles")
        controller.cacheDirectory = folder.file("Caches")
        try controller.performFetch()
        return controller.sections?.map(\.name) ?? []
      }
      #expect(names == [["Apple"], ["Bread"], ["Apple", "Bread"]])
    }
  }
}
