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

  @Test(
    "several stores: one becomes an XML store, where every object has a key of its own",
    arguments: ["sqlite", "binary"])
  func xml(kind: String) throws {
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: try Kitchen.model(), classes: ["Recipe": Recipe.self, "Person": Person.self])
    let old = folder.file("Old")
    let store =
      kind == "sqlite"
      ? try coordinator.addPersistentStore(ofType: SQLiteStoreType, configurationName: nil, at: old)
      : try coordinator.addPersistentStore(ofType: BinaryStoreType, configurationName: nil, at: old)
    let context = ManagedObjectContext(coordinator: coordinator, name: "writer")
    try context.performAndWait {
      for (title, author) in [("Soup", "Ann"), ("Bread", "Bob")] {
        let recipe = recipe(title, context)
        let person = Person(context: context)
        person.name = author
        recipe.author = person
        for name in ["b", "a"] {
          let step = EntityDescription.insertNewObject(forEntityName: "Step", into: context)
          step.setValue("\(title) \(name)", forKey: "text")
          recipe.mutableOrderedSetValue(forKey: "steps").insert(step, at: 0)
        }
        let tag = EntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue("\(title) tag", forKey: "name")
        recipe.mutableSetValue(forKey: "tags").add(tag)
      }
      try context.save()
      let new = folder.file("New.xml")
      let moved = try coordinator.migratePersistentStore(store, to: new, options: nil, type: XMLStoreType)
      context.reset()
      try check(context)
      try recipe("Tea", context).managedObjectContext?.save()
      // The file is read anew.
      try coordinator.remove(moved)
      try coordinator.addPersistentStore(ofType: XMLStoreType, configurationName: nil, at: new)
      context.reset()
      try check(context)
    }
  }

  private func check(_ context: ManagedObjectContext) throws {
    let recipes = try context.fetch(Recipe.fetchRequest())
    let texts = recipes.filter { $0.title != "Tea" }.map { recipe in
      let steps = (recipe.value(forKey: "steps") as? [ManagedObject] ?? []).compactMap {
        $0.value(forKey: "text") as? String
      }
      let tags = (recipe.value(forKey: "tags") as? Set<ManagedObject> ?? []).compactMap {
        $0.value(forKey: "name") as? String
      }
      return "\(recipe.title) \(recipe.author?.name ?? "-") \(steps) \(tags)"
    }
    #expect(
      texts.sorted() == [
        #"Bread Bob ["Bread a", "Bread b"] ["Bread tag"]"#, #"Soup Ann ["Soup a", "Soup b"] ["Soup tag"]"#,
      ])
  }
}
