import Foundation
import Seedbed
import Testing

@Suite("Idioms: sections")
struct SectionIdioms {
  private func controller(_ context: ManagedObjectContext) -> FetchedResultsController<Recipe> {
    let request = Recipe.fetchRequest()
    request.sortDescriptors = [
      FetchSortDescriptor(key: "author.name", ascending: true), FetchSortDescriptor(key: "title", ascending: true),
    ]
    return FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: nil)
  }

  @Test("sections: their number, names and sizes")
  func sections() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let controller = controller(context)
      try controller.performFetch()
      #expect(controller.sections?.count == 2 && controller.sections?[0].numberOfObjects == 2)
      #expect(controller.sections?.map(\.name) == ["Ann", "Bob"] && controller.sectionIndexTitles == ["A", "B"])
    }
  }

  @Test("sections: by a Swift key path")
  func sectionsByKeyPath() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [FetchSortDescriptor(keyPath: \Recipe.rating, ascending: true)]
      let controller = FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: \.rating, cacheName: nil)
      try controller.performFetch()
      #expect(controller.sections?.count == 3 && controller.sections?.first?.name == "3.0")
    }
  }

  @Test("sections: by a property that the class computes")
  func sectionsByComputedProperty() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [FetchSortDescriptor(keyPath: \Recipe.title, ascending: true)]
      let controller = FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: \.initial)
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["B", "C", "S"])
      let soup = try #require(controller.fetchedObjects?.last)
      soup.title = "Zwieback"
      context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["B", "C", "Z"])
    }
  }

  @Test("sections: an object at an index path, and back")
  func indexPath() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let controller = controller(context)
      try controller.performFetch()
      let cake = controller.object(at: IndexPath(indexes: [0, 0]))
      #expect(cake.title == "Cake" && controller.indexPath(forObject: cake) == [0, 0])
      #expect(controller.fetchedObjects?.count == 3)
    }
  }

  @Test("sections: another predicate, fetched again")
  func refetch() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let controller = controller(context)
      try controller.performFetch()
      controller.fetchRequest.predicate = FetchPredicate(format: "author.name == 'Bob'")
      try controller.performFetch()
      #expect(controller.fetchedObjects?.map(\.title) == ["Bread"])
    }
  }

  private final class Listener: FetchedResultsControllerDelegate {
    var events: [String] = []

    func controllerWillChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
      events.append("will")
    }
    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      guard let recipe = anObject as? Recipe else { return }
      events.append("\(type) \(recipe.title)")
    }
    func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
      events.append("did")
    }
  }

  @Test("sections: a delegate that is told of changes")
  func delegate() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let (controller, listener) = (controller(context), Listener())
      controller.delegate = listener
      try controller.performFetch()
      let pie = Recipe(context: context)
      pie.title = "Pie"
      context.processPendingChanges()
      #expect(listener.events == ["will", "insert Pie", "did"])
    }
  }

  private final class SectionListener: NSObject, FetchedResultsControllerDelegate {
    var events: [String] = []
    weak var shown: FetchedResultsController<Recipe>?

    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>,
      didChange sectionInfo: any FetchedResultsSectionInfo,
      atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
    ) {
      events.append("\(type) section \(sectionInfo.name) with \((sectionInfo.objects as? [Recipe])?.count ?? 0)")
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
      if controller == shown { events.append("\(controller.fetchedObjects?.count ?? 0) recipes") }
    }

    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>,
      sectionIndexTitleForSectionName sectionName: String
    ) -> String? { String(sectionName.prefix(2)) }
  }

  @Test("sections: a delegate that is told of sections, and knows its controller")
  func sectionDelegate() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let (controller, listener) = (controller(context), SectionListener())
      listener.shown = controller
      controller.delegate = listener
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["An", "Bo"])
      let request = Recipe.fetchRequest()
      request.predicate = FetchPredicate(format: "author.name == %@", "Bob")
      for recipe in try context.fetch(request) { context.delete(recipe) }
      try context.save()
      #expect(listener.events == ["delete section Bob with 1", "2 recipes"])
    }
  }

  @Test("sections: a controller of no class, for an entity by name")
  func untypedController() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = FetchRequest<any FetchRequestResult>(entityName: "Recipe")
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: false)]
      let controller = FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      try controller.performFetch()
      let titles = (controller.fetchedObjects as? [Recipe])?.map(\.title)
      #expect(titles == ["Soup", "Cake", "Bread"])
      let cake = try #require(controller.object(at: IndexPath(indexes: [0, 1])) as? Recipe)
      #expect(controller.indexPath(forObject: cake) == IndexPath(indexes: [0, 1]))
    }
  }
}
