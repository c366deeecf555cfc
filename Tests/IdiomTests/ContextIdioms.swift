import Foundation
import Seedbed
import Testing

@Suite("Idioms: merge, child contexts, undo")
struct ContextIdioms {
  // MARK: - Merging

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

  // MARK: - Child contexts

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

  @Test("child contexts: one of the main queue is used there without more")
  @MainActor func mainQueue() throws {
    let context = ManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = try Kitchen.container().persistentStoreCoordinator
    let recipe = try Kitchen.stock(context)[0]
    recipe.title = "Stew"
    try context.save()
    #expect(recipe.title == "Stew" && !context.hasChanges && context.concurrencyType == .mainQueueConcurrencyType)
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

  // MARK: - Undo

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

  @Test("undo: what is registered is told whether it is undone or done again")
  func modes() {
    final class Log { var lines: [String] = [] }
    let (manager, log) = (ContextUndoManager(), Log())
    func register() {
      manager.registerUndo(withTarget: log) { log in
        log.lines.append("undoing \(manager.isUndoing), redoing \(manager.isRedoing)")
        register()
      }
    }
    register()
    manager.undo()
    manager.redo()
    #expect(log.lines == ["undoing true, redoing false", "undoing false, redoing true"])
    #expect(!manager.isUndoing && !manager.isRedoing)
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
}
