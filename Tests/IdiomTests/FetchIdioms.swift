import Foundation
import Seedbed
import Testing

@Suite("Idioms: fetch, sort, templates")
struct FetchIdioms {
  private func titles(_ recipes: [Recipe]) -> [String] { recipes.map(\.title) }

  @Test("fetch: the request of a class")
  func byClass() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      let recipes: [Recipe] = try context.fetch(request)
      #expect(Set(titles(recipes)) == ["Soup", "Bread", "Cake"])
    }
  }

  @Test("fetch: a request with its type written")
  func byType() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request: FetchRequest<Recipe> = Recipe.fetchRequest()
      request.fetchLimit = 2
      request.fetchOffset = 1
      #expect(try context.fetch(request).count == 2)
    }
  }

  @Test("fetch: a request without arguments")
  func bare() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = FetchRequest<Person>()
      #expect(try context.fetch(request).compactMap(\.name).sorted() == ["Ann", "Bob"])
    }
  }

  @Test("fetch: plain objects by the entity's name")
  func byName() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = FetchRequest<ManagedObject>(entityName: "Recipe")
      for object in try context.fetch(request) { #expect(object.value(forKey: "title") is String) }
      request.returnsObjectsAsFaults = false
      #expect(try context.fetch(request).allSatisfy { !$0.isFault })
    }
  }

  @Test("fetch: the entity set later")
  func entityLater() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = FetchRequest<ManagedObject>()
      request.entity = EntityDescription.entity(forEntityName: "Person", in: context)
      #expect(try context.fetch(request).count == 2)
    }
  }

  @Test("fetch: the number only")
  func count() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.predicate = FetchPredicate(format: "rating >= %f", 4.0)
      #expect(try context.count(for: request) == 2)
      let counting = FetchRequest<NSNumber>(entityName: "Recipe")
      counting.resultType = .countResultType
      #expect(try context.fetch(counting).first?.intValue == 3)
    }
  }

  @Test("fetch: ids only")
  func ids() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let request = FetchRequest<ObjectID>(entityName: "Recipe")
      request.resultType = .managedObjectIDResultType
      #expect(Set(try context.fetch(request)) == Set(recipes.map(\.objectID)))
    }
  }

  @Test("fetch: inside the context, by the request")
  func execute() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      #expect(try Recipe.fetchRequest().execute(in: context).count == 3)
    }
  }

  @Test("fetch: relationships brought along, and objects refreshed")
  func prefetching() throws {
    let container = try Kitchen.container()
    let (context, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let recipe = try context.performAndWait { try Kitchen.stock(context)[0] }
    let soup = recipe.objectID
    try other.performAndWait {
      (other.object(with: soup) as? Recipe)?.title = "Stew"
      try other.save()
    }
    try context.performAndWait {
      let request = Recipe.fetchRequest()
      request.relationshipKeyPathsForPrefetching = ["author", "tags"]
      request.predicate = FetchPredicate(format: "SELF == %@", soup)
      let known = try context.fetch(request)
      #expect(known.first === recipe && recipe.title == "Soup")
      request.shouldRefreshRefetchedObjects = true
      let refreshed = try context.fetch(request)
      #expect(refreshed.first === recipe && recipe.title == "Stew")
    }
  }

  @Test("fetch: relationships brought along by key paths")
  func prefetchingByKeyPath() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      context.reset()
      let request = Recipe.fetchRequest()
      request.relationshipKeyPathsForPrefetching = [\Recipe.author]
      #expect(try context.fetch(request).map(\.author?.name) == ["Ann", "Bob", "Ann"])
      request.relationshipKeyPathsForPrefetching = [\Recipe.title]
      #expect(throws: StoreError.self) { try context.fetch(request) }
    }
  }

  @Test("fetch: only some stores")
  func affectedStores() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.affectedStores = context.persistentStoreCoordinator.persistentStores
      #expect(try context.count(for: request) == 3)
      request.affectedStores = []
      #expect(throws: StoreError.self) { try context.count(for: request) }
    }
  }

  @Test("fetch: many, a batch at a time")
  func batches() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.fetchBatchSize = 2
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
      #expect(try context.fetchedObjects(request).map(\.title) == ["Bread", "Cake", "Soup"])
    }
  }

  @Test("fetch: without waiting, with a completion block")
  func asynchronous() async throws {
    let container = try Kitchen.container()
    let context = container.newBackgroundContext()
    try context.performAndWait { _ = try Kitchen.stock(context) }
    let count = await withCheckedContinuation { continuation in
      context.perform {
        let request = AsynchronousFetchRequest(fetchRequest: Recipe.fetchRequest()) { result in
          continuation.resume(returning: result.finalResult?.count)
        }
        do { try context.execute(request) } catch { continuation.resume(returning: nil) }
      }
    }
    #expect(count == 3)
  }

  @Test("fetch: a request prints as what it asks")
  func printing() {
    let request = Recipe.fetchRequest()
    request.predicate = FetchPredicate(format: "title == %@", "Soup")
    request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: false)]
    #expect("\(request)".contains("entity: Recipe") && "\(request)".contains("title == \"Soup\""))
    #expect("\(request)".contains("(title, descending, compare:)"))
  }

  @Test("sort: by a key, either way")
  func sortByKey() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: false)]
      #expect(titles(try context.fetch(request)) == ["Soup", "Cake", "Bread"])
    }
  }

  @Test("sort: by a Swift key path")
  func sortByKeyPath() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [FetchSortDescriptor(keyPath: \Recipe.rating, ascending: true)]
      #expect(titles(try context.fetch(request)) == ["Bread", "Soup", "Cake"])
    }
  }

  @Test("sort: by a relationship's attribute, then another")
  func sortByPath() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [
        FetchSortDescriptor(key: "author.name", ascending: true), FetchSortDescriptor(key: "rating", ascending: false),
      ]
      #expect(titles(try context.fetch(request)) == ["Cake", "Soup", "Bread"])
    }
  }

  @Test("sort: as people expect it")
  func sortLocalized() throws {
    try Kitchen.cook { context in
      for title in ["item 10", "Item 2", "item 1"] { Recipe(context: context).title = title }
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true, comparison: .localizedStandard)]
      let found = try context.fetch(request)
      #expect(titles(found) == ["item 1", "Item 2", "item 10"])
    }
  }

  @Test("sort: reversed")
  func sortReversed() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let descriptor = FetchSortDescriptor(key: "title", ascending: true)
      let request = Recipe.fetchRequest()
      request.sortDescriptors = [descriptor.reversedSortDescriptor]
      #expect(titles(try context.fetch(request)).first == "Soup" && descriptor.key == "title" && descriptor.isAscending)
    }
  }

  @Test("templates: as it is")
  func template() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let model = try #require(context.persistentStoreCoordinator).managedObjectModel
      let request = try #require(model.fetchRequestTemplate(forName: "Favorites"))
      #expect(try context.fetch(request).compactMap { $0 as? Recipe }.map(\.title) == ["Cake"])
    }
  }

  @Test("templates: with a variable")
  func templateVariable() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let model = context.persistentStoreCoordinator.managedObjectModel
      let request = model.fetchRequestFromTemplate(withName: "ByTitle", substitutionVariables: ["TITLE": "Soup"])
      #expect(try context.count(for: try #require(request)) == 1)
    }
  }

  @Test("templates: with several variables, and none of that name")
  func templateVariables() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let model = context.persistentStoreCoordinator.managedObjectModel
      let request = try #require(
        model.fetchRequestFromTemplate(withName: "RatedBetween", substitutionVariables: ["LOW": 3, "HIGH": 4.5]))
      request.sortDescriptors = [FetchSortDescriptor(key: "rating", ascending: true)]
      #expect(try context.fetch(request).compactMap { $0["title"] } == ["Bread", "Soup"])
      #expect(model.fetchRequestTemplate(forName: "Nope") == nil)
      let typed: FetchRequest<Recipe> = try #require(model.fetchRequestTemplate(forName: "Favorites"))
      #expect(try context.fetch(typed).map(\.title) == ["Cake"])
      let any: FetchRequest<any FetchRequestResult>? = model.fetchRequestFromTemplate(
        withName: "ByTitle", substitutionVariables: ["TITLE": "Soup"])
      #expect(any?.resultType == .managedObjectResultType)
      let ids: FetchRequest<ObjectID> = try #require(model.fetchRequestTemplate(forName: "Favorites"))
      #expect(try context.fetch(ids).map(\.primaryKey) == [3])
    }
  }
}
