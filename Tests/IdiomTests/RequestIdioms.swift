import Foundation
import Seedbed
import Testing

@Suite("Idioms: requests handed on")
struct RequestIdioms {
  @Test("requests: a copy changes by itself")
  func copy() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request: FetchRequest<Recipe> = FetchRequest(entityName: "Recipe")
      request.predicate = FetchPredicate(format: "rating > %@", NSNumber(value: 3))
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
      request.fetchOffset = 1
      request.returnsObjectsAsFaults = false
      request.relationshipKeyPathsForPrefetching = ["author"]
      let copy = request.copy() as! FetchRequest<Recipe>
      copy.fetchOffset = 0
      copy.predicate = nil
      #expect(request.fetchOffset == 1 && request.predicate?.predicateFormat == "rating > 3")
      #expect(copy.returnsObjectsAsFaults == false && copy.relationshipKeyPathsForPrefetching?.count == 1)
      #expect(try context.fetch(request).map(\.title) == ["Soup"])
      #expect(try context.fetch(copy).map(\.title) == ["Bread", "Cake", "Soup"])
    }
  }

  @Test("requests: a copy says all that a request says")
  func wholeCopy() throws {
    try Kitchen.cook { context in
      let model = try #require(context.persistentStoreCoordinator).managedObjectModel
      let request = FetchRequest<NSDictionary>()
      request.entity = model.entitiesByName["Recipe"]
      request.predicate = FetchPredicate(value: false)
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: false)]
      request.fetchLimit = 1
      request.fetchOffset = 2
      request.fetchBatchSize = 3
      request.includesSubentities = false
      request.includesPendingChanges = false
      request.includesPropertyValues = false
      request.returnsObjectsAsFaults = false
      request.shouldRefreshRefetchedObjects = true
      request.relationshipKeyPathsForPrefetching = ["author"]
      request.affectedStores = []
      request.propertiesToFetch = ["title"]
      request.propertiesToGroupBy = ["title"]
      request.havingPredicate = FetchPredicate(value: true)
      request.returnsDistinctResults = true
      let copy = try #require(request.copy() as? FetchRequest<NSDictionary>)
      func texts(_ request: FetchRequest<NSDictionary>) -> [String] {
        Mirror(reflecting: request).children.flatMap { child in
          Mirror(reflecting: child.value).children.flatMap { settings in
            Mirror(reflecting: settings.value).children.map { "\($0.label ?? "") \($0.value)" }
          }
        }
      }
      #expect(texts(copy) == texts(request) && texts(copy).count > 15)
    }
  }

  @Test("requests: variables of any type")
  func variables() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let model = try #require(context.persistentStoreCoordinator).managedObjectModel
      let variables: [String: Any] = ["LOW": 4, "HIGH": NSNumber(value: 4.75)]
      let request = try #require(
        model.fetchRequestFromTemplate(withName: "RatedBetween", substitutionVariables: variables))
      #expect(try context.fetch(request).compactMap { $0.value(forKey: "title") as? String } == ["Soup"])
      let predicate = FetchPredicate(format: "title IN $TITLES")
      let titles: [String: Any] = ["TITLES": ["Soup", "Cake"] as NSArray]
      let recipes = try context.fetch(Recipe.fetchRequest() as FetchRequest<Recipe>)
      #expect(recipes.filter(predicate.withSubstitutionVariables(titles).evaluate).count == 2)
      #expect(recipes.filter { predicate.evaluate(with: $0, substitutionVariables: titles) }.count == 2)
      let ordered: [String: Any] = ["TITLES": NSOrderedSet(array: ["Soup", "Bread"])]
      #expect(recipes.filter(predicate.withSubstitutionVariables(ordered).evaluate).count == 2)
      let nothing: [String: Any] = ["TITLES": NSNull()]
      #expect(recipes.allSatisfy { !predicate.evaluate(with: $0, substitutionVariables: nothing) })
    }
  }

  @Test("expressions: their values, of an object, of none, with variables")
  func expressions() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let sum = FetchExpression(format: "4 + 5 - 2**3")
      #expect(sum.expressionValue(with: nil, context: nil) as? Int == 1)
      let numbers = FetchExpression(forConstantValue: [1, 2, 6] as Any)
      let average = FetchExpression(forFunction: "average:", arguments: [numbers])
      #expect(average.expressionValue(with: nil, context: nil) as? Double == 3)
      let rating = FetchExpression(format: "rating * 2")
      #expect(rating.expressionValue(with: recipe, context: nil) as? Double == 9)
      let author = FetchExpression(forKeyPath: "author")
      #expect(author.expressionValue(with: recipe, context: nil) as? Person === recipe.author)
      let scaled = FetchExpression(format: "rating * $FACTOR")
      let variables: NSMutableDictionary = ["FACTOR": NSNumber(value: 10)]
      #expect(scaled.expressionValue(with: recipe, context: variables) as? Double == 45)
      let same = FetchExpression(format: "$X")
      #expect(same.expressionValue(with: nil, context: ["X": recipe]) as? Recipe === recipe)
      let steps = (1...3).map { number in
        let step = EntityDescription.insertNewObject(forEntityName: "Step", into: context)
        step.setValue(number, forKey: "minutes")
        step.setValue(recipe, forKey: "recipe")
        return step
      }
      let long = FetchExpression(format: "SUBQUERY(steps, $s, $s.minutes > 1)")
      #expect(
        (long.expressionValue(with: recipe, context: nil) as? [ManagedObject]).map { Set($0) } == Set(steps[1...]))
      let value: Any = "Soup"
      let options: ComparisonPredicate.Options = [.caseInsensitive]
      let predicate = ComparisonPredicate(
        leftExpression: FetchExpression(forKeyPath: "title"), rightExpression: FetchExpression(forConstantValue: value),
        modifier: .direct, type: .equalTo, options: options)
      #expect(predicate.evaluate(with: recipe) && predicate.predicateFormat == #"title ==[c] "Soup""#)
    }
  }

  @Test("requests: an asynchronous fetch that is set up step by step")
  func asynchronous() async throws {
    let context = try Kitchen.container().newBackgroundContext()
    let (ends, end) = AsyncStream.makeStream(of: Int?.self)
    try await context.perform {
      try Kitchen.stock(context)
      let request = AsynchronousFetchRequest<Recipe>(fetchRequest: FetchRequest(entityName: "Recipe")) {
        result in
        end.yield(result.progress?.isCancelled == true ? nil : result.finalResult?.count)
      }
      request.estimatedResultCount = 3
      let result = try context.execute(request) as? AsynchronousFetchResult<Recipe>
      #expect(result?.progress?.totalUnitCount == 3 && result?.fetchRequest === request)
    }
    for await count in ends {
      #expect(count == 3)
      break
    }
  }

  @Test("undo: the last group as it stands")
  func nestedGroup() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let undoManager = ContextUndoManager()
      context.undoManager = undoManager
      undoManager.beginUndoGrouping()
      recipe.title = "Stew"
      context.processPendingChanges()
      undoManager.endUndoGrouping()
      if undoManager.canUndo { undoManager.undoNestedGroup() }
      #expect(recipe.title == "Soup" && undoManager.canRedo)
    }
  }

  @Test("results: a snapshot by the names of diffable data sources")
  func snapshot() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let request = Recipe.fetchRequest() as FetchRequest<Recipe>
      request.sortDescriptors = [
        FetchSortDescriptor(key: "author.name", ascending: true), FetchSortDescriptor(key: "title", ascending: true),
      ]
      let controller = FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: nil)
      final class Observer: FetchedResultsControllerDelegate {
        var snapshots: [FetchedResultsSnapshot] = []
        func controller(
          _ controller: FetchedResultsController<any FetchRequestResult>,
          didChangeContentWith snapshot: FetchedResultsSnapshot
        ) { snapshots.append(snapshot) }
      }
      let observer = Observer()
      controller.delegate = observer
      try controller.performFetch()
      recipes[1].title = "Buns"
      context.processPendingChanges()
      let snapshot = try #require(observer.snapshots.last)
      #expect(snapshot.sectionIdentifiers == ["Ann", "Bob"] && snapshot.numberOfSections == 2)
      #expect(snapshot.itemIdentifiers == [recipes[2], recipes[0], recipes[1]].map(\.objectID))
      #expect(snapshot.numberOfItems == 3 && snapshot.numberOfItems(inSection: "Ann") == 2)
      #expect(snapshot.itemIdentifiers(inSection: "Bob") == [recipes[1].objectID])
      #expect(snapshot.sectionIdentifier(containingItem: recipes[1].objectID) == "Bob")
      #expect(snapshot.indexOfSection("Bob") == 1 && snapshot.indexOfItem(recipes[0].objectID) == 1)
      #expect(snapshot.indexOfSection("Cid") == nil)
    }
  }
}
