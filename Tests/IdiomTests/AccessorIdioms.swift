import Foundation
import Seedbed
import Testing

/// Classes written by hand, and collections of Foundation's in accessors.
@Suite("Idioms: accessors and collections")
struct AccessorIdioms {
  private class Dish: ManagedObject {
    var title: String? {
      get { self["title"] }
      set { self["title"] = newValue }
    }
    var price: NSDecimalNumber? {
      get { self["price"] }
      set { self["price"] = newValue }
    }
    var author: ManagedObject? {
      get { self["author"] }
      set { self["author"] = newValue }
    }
    var tags: NSSet? {
      get { self["tags"] }
      set { self["tags"] = newValue }
    }
    var steps: NSOrderedSet? {
      get { self["steps"] }
      set { self["steps"] = newValue }
    }
    var tagSet: Set<ManagedObject>? {
      get { self["tags"] }
      set { self["tags"] = newValue }
    }
    var stepList: [ManagedObject]? {
      get { self["steps"] }
      set { self["steps"] = newValue }
    }

    override var description: String { "Dish \(title ?? "?")" }
  }

  private func serve(_ body: (ManagedObjectContext) throws -> Void) throws {
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)], classes: ["Recipe": Dish.self])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait { try body(context) }
  }

  private func insert(_ name: String, _ context: ManagedObjectContext) -> ManagedObject {
    EntityDescription.insertNewObject(forEntityName: name, into: context)
  }

  @Test("accessors: a to-one relationship, a decimal number, sets")
  func accessors() throws {
    try serve { context in
      let dish = Dish(context: context)
      let (ann, tag) = (insert("Person", context), insert("Tag", context))
      let steps = [insert("Step", context), insert("Step", context)]
      dish.title = "Soup"
      dish.price = NSDecimalNumber(string: "2.50")
      dish.author = ann
      dish.tags = NSSet(array: [tag])
      dish.steps = NSOrderedSet(array: steps)
      #expect(dish.price == NSDecimalNumber(string: "2.5") && dish.author == ann)
      #expect(dish.tags?.count == 1 && dish.tags?.anyObject() as? ManagedObject == tag)
      #expect(dish.steps?.firstObject as? ManagedObject == steps[0] && dish.steps?.index(of: steps[1]) == 1)
      #expect(dish.tagSet == [tag] && dish.stepList == steps)
      dish.stepList = steps.reversed()
      dish.tagSet = []
      #expect(dish.steps?.lastObject as? ManagedObject == steps[0] && dish.tags?.count == 0)
      dish.author = nil
      dish.price = nil
      #expect(dish.author == nil && dish.price == nil && (dish["author"] as ManagedObject?) == nil)
    }
  }

  @Test("printing: a class of one's own says what it is")
  func description() throws {
    try serve { context in
      let dish = Dish(context: context)
      dish.title = "Soup"
      #expect(
        "\(dish)" == "Dish Soup" && String(reflecting: dish) == "Dish Soup" && dish.debugDescription == "Dish Soup")
      #expect(insert("Tag", context).debugDescription.hasPrefix("<ManagedObject: x-coredata:///Tag/t"))
      #expect(
        dish.isEqual(dish) && !dish.isEqual(insert("Tag", context)) && !dish.isEqual(nil) && !dish.isEqual("dish"))
    }
  }

  @Test("ordered: what a mutable ordered set of Foundation's has")
  func mutableOrderedSet() throws {
    try serve { context in
      let dish = Dish(context: context)
      let first = insert("Step", context)
      let second = insert("Step", context)
      let steps = dish.mutableOrderedSetValue(forKey: "steps")
      #expect(steps.firstObject == nil)
      steps.add(first)
      steps.add(second)
      #expect(steps.firstObject == first && steps.lastObject == second && steps[1] == second)
      #expect(steps.set == [second, first])
      let index = steps.index(of: second)
      if index != NSNotFound { steps.removeObject(at: index) }
      #expect(steps.index(of: second) == NSNotFound && steps.firstIndex(of: second) == nil)
      steps[0] = second
      #expect(dish.stepList == [second])
      #expect(dish.mutableSetValue(forKey: "tags").anyObject() == nil)
    }
  }

  @Test("changes: what an observer asks of the event that it is told")
  func currentEvent() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let seen = Collected<String>()
      let token = NotificationCenter.default.addObserver(
        forName: .ManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { notification in
        for object in notification.userInfo?[UpdatedObjectsKey] as? Set<ManagedObject> ?? [] {
          let old = object.changedValuesForCurrentEvent()["title"] as? String ?? "-"
          seen.append("\(old) > \(object.changedValues()["title"] as? String ?? "-")")
        }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      recipe.title = "Broth"
      context.processPendingChanges()
      #expect(recipe.changedValuesForCurrentEvent().isEmpty)
      recipe.title = "Stew"
      context.processPendingChanges()
      #expect(seen.removeAll() == ["Soup > Broth", "Broth > Stew"])
    }
  }

  @Test("batches: a request with objects is carried out again")
  func batchTwice() throws {
    try Kitchen.cook { context in
      let request = BatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "b"]])
      request.resultType = .count
      for _ in 0..<2 {
        let result = try context.execute(request) as? BatchInsertResult
        #expect(result?.result as? Int == 2)
      }
      #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Tag")) == 4)
      #expect(request.objectsToInsert?.count == 2)
    }
  }

  @Test("sets: changed objects of a context")
  func changedObjects() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      recipes[0].title = "Stew"
      context.delete(recipes[1])
      let tag = insert("Tag", context)
      #expect(context.insertedObjects.union(context.updatedObjects).isSuperset(of: [tag, recipes[0]]))
      #expect(context.deletedObjects == [recipes[1]] && context.registeredObjects.isSuperset(of: recipes))
      #expect(context.insertedObjects.intersection(context.deletedObjects).isEmpty)
      try context.obtainPermanentIDs(for: Array(context.insertedObjects))
      #expect(!tag.objectID.isTemporaryID)
    }
  }

  @Test("ids: of a store that is not there")
  func foreignURI() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let coordinator = try #require(context.persistentStoreCoordinator)
      let uri = recipe.objectID.uriRepresentation()
      #expect(coordinator.managedObjectID(forURIRepresentation: uri) == recipe.objectID)
      let elsewhere = try #require(URL(string: "x-coredata://ABCDEF00-0000-0000-0000-000000000000/Recipe/p1"))
      #expect(coordinator.managedObjectID(forURIRepresentation: elsewhere) == nil)
    }
  }

  @Test("validation: the value of an error")
  func validationValue() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      recipe["servings"] = 0
      do {
        try context.save()
      } catch let error as NSError {
        #expect(
          error.userInfo[ValidationValueErrorKey] as? Int == 0
            && error.userInfo[ValidationKeyErrorKey] as? String == "servings")
      }
      recipe["servings"] = 1
      recipe.setValue(nil, forKey: "title")
      do {
        try context.save()
      } catch let error as NSError {
        #expect(error.userInfo[ValidationValueErrorKey] is NSNull)
      }
      #expect(context.hasChanges)
    }
  }

  /// A container whose contexts have a policy of its own.
  private final class KitchenContainer: PersistentContainer, @unchecked Sendable {
    override func newBackgroundContext() -> ManagedObjectContext {
      let context = super.newBackgroundContext()
      context.mergePolicy = .mergeByPropertyObjectTrump
      return context
    }
  }

  @Test("stack: background contexts of a container of one's own")
  func container() async throws {
    let container = KitchenContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)])
    try container.loadPersistentStores()
    let kind = await container.performBackgroundTask { $0.mergePolicy.mergeType }
    #expect(kind == .mergeByPropertyObjectTrumpMergePolicyType)
  }

  @Test("sorting and comparisons: what they are made of")
  func parts() throws {
    let sort = FetchSortDescriptor(key: "title", ascending: false)
    #expect(sort.ascending == false && sort.key == "title")
    let predicate = ComparisonPredicate(
      leftExpression: FetchExpression(forKeyPath: "title"), rightExpression: FetchExpression(forConstantValue: "s"),
      modifier: .direct, type: .beginsWith, options: [.caseInsensitive])
    #expect(predicate.options.contains(.caseInsensitive))
  }
}
