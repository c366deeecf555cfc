import Foundation
import Seedbed
import Synchronization
import Testing

@Suite("Idioms: sections, validation, hooks, merge, child contexts, undo, ordered relationships")
struct GraphIdioms {
  // MARK: Sections

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

    func controllerWillChangeContent(_ controller: FetchedResultsController<Recipe>) { events.append("will") }
    func controller(
      _ controller: FetchedResultsController<Recipe>, didChange anObject: Recipe, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      events.append("\(type) \(anObject.title)")
    }
    func controllerDidChangeContent(_ controller: FetchedResultsController<Recipe>) { events.append("did") }
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

  // MARK: Validation

  @Test("validation: a save tells every problem")
  func save() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe["servings"] = 0
      let error = try #require(throws: ValidationError.self) { try context.save() }
      #expect(error.problems.map(\.property) == ["servings", "title"] && context.hasChanges)
    }
  }

  @Test("validation: an override with a rule of its own")
  func override() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      recipe.title = "Poison"
      #expect(throws: ValidationError.self) { try context.save() }
      context.rollback()
      #expect(recipe.title == "Soup" && !context.hasChanges)
    }
  }

  @Test("validation: one value, before it is set")
  func value() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      var value: Value = 0
      #expect(throws: ValidationError.self) { try recipe.validateValue(&value, forKey: "servings") }
      value = 2
      try recipe.validateValue(&value, forKey: "servings")
    }
  }

  @Test("validation: an object, before the save")
  func object() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      #expect(throws: ValidationError.self) { try recipe.validateForInsert() }
      recipe.title = "Soup"
      try recipe.validateForInsert()
    }
  }

  // MARK: Hooks

  @Test("hooks: awakeFromInsert sets what is known at once")
  func awakeFromInsert() throws {
    try Kitchen.cook { context in
      #expect(Recipe(context: context)["created"]?.date == Date(timeIntervalSinceReferenceDate: 0))
    }
  }

  @Test("hooks: awakeFromFetch, once for each time the object is loaded")
  func awakeFromFetch() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      try context.refresh(recipe, mergeChanges: false)
      #expect(recipe.fetchCount == 0)
      _ = recipe.title
      #expect(recipe.fetchCount == 1)
    }
  }

  @Test("hooks: willSave may change the object, didSave follows")
  func willSave() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe.title = "Soup "
      try context.save()
      #expect(recipe.title == "Soup" && recipe.saves == ["will", "will", "did"])
    }
  }

  @Test("hooks: prepareForDeletion, while relationships are whole")
  func prepareForDeletion() throws {
    try Kitchen.cook { context in
      let ann = try #require(try Kitchen.stock(context)[0].author)
      context.delete(ann)
      #expect(context.userInfo["deleted"] as? String == "Ann" && ann.isDeleted)
      try context.save()
      #expect(ann.managedObjectContext == nil)
    }
  }

  // MARK: Merging

  @Test("merge: notifications of another context's save")
  func notification() throws {
    let container = try Kitchen.container()
    let (context, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let recipe = try context.performAndWait { try Kitchen.stock(context)[0] }
    let id = recipe.objectID
    let token = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveObjectsNotification, object: other, queue: nil
    ) { notification in
      context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try other.performAndWait {
      other.object(with: id).setValue("Stew", forKey: "title")
      try other.save()
    }
    let title = context.performAndWait { recipe.title }
    #expect(title == "Stew")
  }

  @Test("merge: automatically, into the view context")
  func automatically() async throws {
    let container = try Kitchen.container()
    let context = container.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    let id = try context.performAndWait { try Kitchen.stock(context)[0].objectID }
    try await container.performBackgroundTask { background in
      (background.object(with: id) as? Recipe)?.title = "Stew"
      try background.save()
    }
    let title = await context.perform { (context.object(with: id) as? Recipe)?.title }
    #expect(title == "Stew")
  }

  @Test("merge: a policy decides about conflicts", arguments: [true, false])
  func policy(_ objectWins: Bool) throws {
    let container = try Kitchen.container()
    let (context, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    context.mergePolicy = objectWins ? MergePolicy.mergeByPropertyObjectTrump : MergePolicy.mergeByPropertyStoreTrump
    let recipe = try context.performAndWait { try Kitchen.stock(context)[0] }
    let id = recipe.objectID
    try other.performAndWait {
      (other.object(with: id) as? Recipe)?.title = "theirs"
      try other.save()
    }
    try context.performAndWait {
      recipe.title = "mine"
      try context.save()
      #expect(recipe.title == (objectWins ? "mine" : "theirs"))
    }
  }

  @Test("merge: a unique name that is there already")
  func constraint() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      context.mergePolicy = MergePolicy.mergeByPropertyObjectTrump
      let ann = Person(context: context)
      ann.name = "Ann"
      ann["age"] = 40
      try context.save()
      let request = Person.fetchRequest()
      request.predicate = FetchPredicate(format: "name == 'Ann'")
      #expect(try context.fetch(request).map { $0["age"] } == [40])
    }
  }

  // MARK: Child contexts

  @Test("child contexts: made with a concurrency type, the parent set after it")
  func child() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let child = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      child.name = "edit"
      let id = recipe.objectID
      try child.performAndWait {
        let own = try child.existingObject(with: id) as? Recipe
        own?.title = "Stew"
        try child.save()
      }
      #expect(recipe.title == "Stew" && context.hasChanges && child.name == "edit")
    }
  }

  @Test("child contexts: thrown away, nothing happened")
  func discard() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let id = recipe.objectID
      let child = ManagedObjectContext(.privateQueue)
      child.parent = context
      child.performAndWait { (child.object(with: id) as? Recipe)?.title = "Stew" }
      #expect(recipe.title == "Soup" && !context.hasChanges)
    }
  }

  @Test("child contexts: a context over the coordinator by hand")
  func byHand() throws {
    let container = try Kitchen.container()
    let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = container.persistentStoreCoordinator
    let titles = try context.performAndWait {
      try Kitchen.stock(context)
      return try context.fetch(Recipe.fetchRequest()).map(\.title)
    }
    #expect(titles.count == 3 && context.persistentStoreCoordinator?.persistentStores.count == 1)
  }

  @Test("child contexts: performAndWait returns objects to code on the same queue")
  func returnsObjects() throws {
    let context = try Kitchen.container().newBackgroundContext()
    let recipe = try context.performAndWait { try Kitchen.stock(context)[0] }
    let title = context.performAndWait { recipe.title }
    #expect(title == "Soup")
  }

  @Test("child contexts: a background task without await")
  func backgroundTask() async throws {
    let container = try Kitchen.container()
    let count = await withCheckedContinuation { continuation in
      container.performBackgroundTask { context in
        _ = Recipe(context: context)
        continuation.resume(returning: context.insertedObjects.count)
      }
    }
    #expect(count == 1)
  }

  // MARK: Undo

  @Test("undo: and redo")
  func undo() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      context.undoManager = ContextUndoManager()
      recipe.title = "Stew"
      context.undo()
      #expect(recipe.title == "Soup")
      context.redo()
      #expect(recipe.title == "Stew")
    }
  }

  @Test("undo: groups with names for menus")
  func names() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let manager = ContextUndoManager()
      context.undoManager = manager
      manager.beginUndoGrouping()
      recipe.title = "Stew"
      recipe["servings"] = 2
      manager.setActionName("Rename")
      manager.endUndoGrouping()
      #expect(manager.undoActionName == "Rename" && manager.undoMenuItemTitle == "Undo Rename" && manager.canUndo)
      manager.undo()
      #expect(recipe.title == "Soup" && recipe["servings"]?.integer == 4)
      #expect(manager.redoMenuItemTitle == "Redo Rename" && manager.undoMenuItemTitle == "Undo")
      manager.redo()
      #expect(recipe.title == "Stew" && manager.undoMenuItemTitle == "Undo Rename")
    }
  }

  @Test("undo: the event's name, levels, and what is not registered")
  func levels() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let manager = ContextUndoManager()
      context.undoManager = manager
      manager.levelsOfUndo = 1
      for title in ["a", "b"] {
        recipe.title = title
        manager.setActionName("to \(title)")
        context.processPendingChanges()
      }
      #expect(manager.undoMenuItemTitle == "Undo to b")
      manager.disableUndoRegistration()
      recipe["servings"] = 9
      context.processPendingChanges()
      manager.enableUndoRegistration()
      manager.undo()
      #expect(recipe.title == "a" && recipe["servings"]?.integer == 9 && !manager.canUndo)
      manager.removeAllActions(withTarget: context)
      #expect(!manager.canRedo)
    }
  }

  // MARK: Ordered relationships

  private func steps(_ context: ManagedObjectContext, _ texts: [String]) -> [ManagedObject] {
    texts.map { text in
      let step = EntityDescription.insertNewObject(forEntityName: "Step", into: context)
      step["text"] = text
      return step
    }
  }

  @Test("ordered relationships: set and read in order")
  func ordered() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      recipe.setValue(NSOrderedSet(array: steps(context, ["boil", "stir", "eat"])), forKey: "steps")
      try context.save()
      try context.refresh(recipe, mergeChanges: false)
      #expect(
        (recipe.value(forKey: "steps") as? [ManagedObject])?.compactMap { $0["text"]?.string } == [
          "boil", "stir", "eat",
        ])
    }
  }

  @Test("ordered relationships: insert, replace, remove and exchange at positions")
  func positions() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let all = steps(context, ["a", "b", "c", "d"])
      let steps = recipe.mutableOrderedSetValue(forKey: "steps")
      steps.addObjects(from: [all[0], all[1]])
      steps.insert(all[2], at: 0)
      #expect(recipe.steps == [all[2], all[0], all[1]] && steps.index(of: all[0]) == 1)
      steps.replaceObject(at: 1, with: all[3])
      steps.exchangeObject(at: 0, withObjectAt: 2)
      #expect(recipe.steps == [all[1], all[3], all[2]])
      steps.removeObject(at: 1)
      #expect(steps.array == [all[1], all[2]] && steps.count == 2 && steps.object(at: 0) === all[1])
      try context.save()
      steps.removeAllObjects()
      #expect(recipe.steps.isEmpty)
    }
  }

  @Test("ordered relationships: an unordered one, member by member")
  func unordered() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let tag = EntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      let tags = recipe.mutableSetValue(forKey: "tags")
      tags.add(tag)
      #expect(tags.contains(tag) && (tag.value(forKey: "recipes") as? Set<Recipe>) == [recipe])
      tags.remove(tag)
      #expect(tags.count == 0)
    }
  }

  @Test("ordered relationships: deletion cascades to the steps")
  func cascade() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      recipe.mutableOrderedSetValue(forKey: "steps").addObjects(from: steps(context, ["a", "b"]))
      try context.save()
      context.delete(recipe)
      try context.save()
      #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Step")) == 0)
    }
  }
}
