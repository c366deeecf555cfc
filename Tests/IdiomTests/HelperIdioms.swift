import Foundation
import Seedbed
import TestSupport
import Testing

extension ManagedObject {
  /// As base classes of many projects have it.
  class func count(in context: ManagedObjectContext) throws -> Int { try context.count(for: fetchRequest()) }
}

extension AttributeDescription {
  fileprivate convenience init(name: String, type: AttributeType, transformer: String? = nil) {
    self.init()
    self.name = name
    attributeType = type
    valueTransformerName = transformer
    allowsExternalBinaryDataStorage = type == .binary
    preservesValueInHistoryOnDeletion = true
  }
}

extension PersistentStoreDescription {
  fileprivate func setUp() -> Self {
    shouldAddStoreAsynchronously = false
    shouldMigrateStoreAutomatically = true
    shouldInferMappingModelAutomatically = true
    isReadOnly = false
    timeout = 1
    return self
  }
}

private func comparison(
  _ key: String, _ value: Any, type: ComparisonPredicate.Operator = .equalTo
) -> FetchPredicate {
  ComparisonPredicate(
    leftExpression: FetchExpression(forKeyPath: key), rightExpression: FetchExpression(forConstantValue: value),
    modifier: .direct, type: type)
}

private final class CountingContainer: PersistentContainer, @unchecked Sendable {
  nonisolated(unsafe) var calls: [String] = []

  override var viewContext: ManagedObjectContext {
    unsafe calls.append("view")
    return super.viewContext
  }

  override func newBackgroundContext() -> ManagedObjectContext {
    let context = super.newBackgroundContext()
    context.undoManager = nil
    unsafe calls.append("background")
    return context
  }

  override func performBackgroundTask(_ block: sending @escaping (ManagedObjectContext) -> Void) {
    unsafe calls.append("task")
    super.performBackgroundTask(block)
  }

  override func loadPersistentStores(
    completionHandler block: @escaping (PersistentStoreDescription, (any Error)?) -> Void
  ) {
    unsafe calls.append("load")
    super.loadPersistentStores(completionHandler: block)
  }
}

/// Extensions and helpers that projects bring with them.
@Suite("Idioms: helpers of projects")
struct HelperIdioms {
  @Test("requests of classes that only the running program knows")
  func dynamicRequests() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      #expect(try Recipe.count(in: context) == 3 && Person.count(in: context) == 2)
      let type: ManagedObject.Type = Recipe.self
      #expect(try context.fetch(type.fetchRequest()).count == 3)
      #expect(try context.count(for: Swift.type(of: recipes[0] as ManagedObject).fetchRequest()) == 3)
      for type in [Recipe.self, Person.self] as [ManagedObject.Type] {
        let request: FetchRequest<any FetchRequestResult> = type.fetchRequest()
        try context.execute(BatchDeleteRequest(fetchRequest: request))
      }
      context.reset()
      #expect(try Recipe.count(in: context) == 0 && Person.count(in: context) == 0)
    }
  }

  @Test("a context has the name that the program gave it, and no other")
  func names() throws {
    let container = try Kitchen.container()
    let context = container.newBackgroundContext()
    #expect(context.name == nil && ManagedObjectContext(.privateQueue).name == nil)
    context.name = "import"
    #expect(context.name == "import")
    context.name = nil
    #expect(context.name == nil)
  }

  @Test("a request is made before the work that uses it, and the work gives objects")
  func sending() async throws {
    let container = try Kitchen.container()
    let context = container.newBackgroundContext()
    try await context.perform { _ = try Kitchen.stock(context) }
    let request = Recipe.fetchRequest()
    request.predicate = FetchPredicate(format: "rating > %f", 4.0)
    let count = try await context.perform { try context.fetch(request).count }
    #expect(count == 2)
    let other = FetchRequest<Recipe>()
    other.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
    let titles = try await container.performBackgroundTask { context in try context.fetch(other).map(\.title) }
    #expect(titles == ["Bread", "Cake", "Soup"])
    let ids = try await context.perform { try context.fetch(Recipe.fetchRequest()) }.map(\.objectID)
    #expect(ids.count == 3)
  }

  @Test("sorting in memory by what a key path leads to")
  func sorting() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      for (recipe, count) in zip(recipes, [1, 3, 2]) {
        for _ in 0..<count {
          recipe.mutableSetValue(forKey: "tags").add(
            EntityDescription.insertNewObject(forEntityName: "Tag", into: context))
        }
      }
      let list = NSArray(array: recipes)
      func titles(_ key: String, ascending: Bool) -> [String] {
        list.sortedArray(using: [FetchSortDescriptor(key: key, ascending: ascending)]).map {
          ($0 as? Recipe)?.title ?? ""
        }
      }
      #expect(titles("tags.@count", ascending: false) == ["Bread", "Cake", "Soup"])
      #expect(titles("author.recipes.@count", ascending: true) == ["Bread", "Soup", "Cake"])
      #expect(titles("author.name", ascending: false) == ["Bread", "Soup", "Cake"])
      #expect(titles("title", ascending: true) == ["Bread", "Cake", "Soup"])
    }
  }

  @Test("decimals add up")
  func decimals() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      for (recipe, price) in zip(recipes, ["9.90", "9.91", "9.92"]) {
        recipe["price"] = Decimal(string: price)
        recipe.author = recipes[0].author
      }
      let author = try #require(recipes[0].author)
      #expect(
        (author.value(forKeyPath: "recipes.@sum.price") as? NSDecimalNumber)?.decimalValue == Decimal(string: "29.73"))
      #expect(
        (author.value(forKeyPath: "recipes.@avg.price") as? NSDecimalNumber)?.decimalValue == Decimal(string: "9.91"))
      #expect(author.value(forKeyPath: "recipes.@max.price") as? Decimal == Decimal(string: "9.92"))
      let loner = Person(context: context)
      #expect((loner.value(forKeyPath: "recipes.@sum.price") as? NSNumber)?.intValue == 0)
      #expect(loner.value(forKeyPath: "recipes.@avg.price") == nil)
      #expect(author.value(forKeyPath: "recipes.@distinctUnionOfSets.tags") is Set<AnyHashable>)
    }
  }

  @Test("Core Data's name of all entities is one of a configuration")
  func configuration() throws {
    let container = try Kitchen.container()
    let coordinator = container.persistentStoreCoordinator
    let store = coordinator.persistentStores[0]
    try coordinator.remove(store)
    try coordinator.addPersistentStore(
      ofType: InMemoryStoreType, configurationName: store.configurationName, at: nil, options: nil)
    let model = container.managedObjectModel
    #expect(model.entities(forConfigurationName: "PF_DEFAULT_CONFIGURATION_NAME")?.count == model.entities.count)
    #expect(model.entities(forConfigurationName: "Cloud") == nil)
  }

  @Test("predicates of typed parts, updates of any dictionary")
  func parts() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.predicate = comparison("title", "Soup")
      #expect(try context.fetch(request).map(\.title) == ["Soup"])
      request.predicate = comparison("rating", 4, type: .lessThan)
      #expect(try context.fetch(request).map(\.title) == ["Bread"])
      let values: [String: Any] = ["rating": 1, "saved": NSNull()]
      let update = BatchUpdateRequest(entityName: "Recipe")
      update.propertiesToUpdate = values
      update.resultType = .updatedObjectsCountResultType
      let result = try context.execute(update) as? BatchUpdateResult
      #expect(result?.result as? Int == 3)
      update.propertiesToUpdate = ["rating": 2]
      _ = try context.execute(update)
      request.predicate = FetchPredicate(format: "rating == 2")
      #expect(try context.count(for: request) == 3)
    }
  }

  @Test("subclasses of the container, and extensions without self")
  func subclasses() async throws {
    let description = PersistentStoreDescription(type: .inMemory).setUp()
    #expect(description.timeout == 1 && (description.copy() as? PersistentStoreDescription)?.timeout == 1)
    let container = CountingContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(), persistentStoreDescriptions: [description])
    container.loadPersistentStores { _, error in #expect(error == nil) }
    _ = container.viewContext
    await withCheckedContinuation { continuation in container.performBackgroundTask { _ in continuation.resume() } }
    unsafe #expect(container.calls == ["load", "view", "task", "background"])
    let attribute = AttributeDescription(name: "photo", type: .binary)
    #expect(attribute.allowsExternalBinaryDataStorage && attribute.preservesValueInHistoryOnDeletion)
  }

  @Test("validation says what a person can mend")
  func validation() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe["title"] = nil
      recipe["servings"] = 4
      do {
        try context.save()
        Issue.record("a title is required")
      } catch {
        #expect(error.localizedDescription == "title is a required value.")
        #expect((error as NSError).localizedDescription == "title is a required value.")
      }
    }
  }
}

/// With accessors as Xcode makes them where the model names no class.
private final class Place: ManagedObject {
  var tint: NSObject? {
    get { self["tint"] }
    set { self["tint"] = newValue }
  }
  var address: [String: Any]? {
    get { self["address"] }
    set { self["address"] = newValue }
  }
  var width: CGFloat {
    get { self["width"] ?? 0 }
    set { self["width"] = newValue }
  }
  var size: NSNumber? {
    get { self["width"] }
    set { self["width"] = newValue }
  }
  var tags: NSSet? {
    get { self["tags"] }
    set { self["tags"] = newValue }
  }
}

/// Accessors and migrations as projects have them.
@Suite("Idioms: accessors of any object, versions of a file")
struct VersionedFileIdioms {
  @Test("transformables without a class, composites as dictionaries, widths")
  func accessors() throws {
    var place = EntityDefinition("Place")
    var tint = AttributeDefinition("tint", .transformable)
    tint.valueTransformerName = "NSSecureUnarchiveFromData"
    var address = AttributeDefinition("address", .composite)
    address.composite = AttributeDefinition.CompositeReference(
      name: "Address", elements: [AttributeDefinition("city", .string)])
    place.attributes = [tint, address, AttributeDefinition("width", .double)]
    place.relationships = [RelationshipDefinition("tags", toMany: "Tag", inverse: "places")]
    var tag = EntityDefinition("Tag")
    tag.relationships = [RelationshipDefinition("places", toMany: "Place", inverse: "tags")]
    let container = PersistentContainer(
      name: "Places", managedObjectModel: try ManagedObjectModel(entities: [place, tag]),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)], classes: ["Place": Place.self])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let place = Place(context: context)
      place.tint = NSArray(array: ["red", "blue"])
      place.address = ["city": "Rome"]
      place.width = 2.5
      place.tags = NSSet(array: [EntityDescription.insertNewObject(forEntityName: "Tag", into: context)])
      try context.save()
      context.reset()
      let found = try #require(try context.fetch(FetchRequest<Place>(entityName: "Place")).first)
      #expect((found.tint as? NSArray)?.firstObject as? String == "red")
      #expect(found.address?["city"] as? String == "Rome" && found.tags?.count == 1)
      #expect(found.width == 2.5 && found.size == 2.5)
      found.address = nil
      found.tint = nil
      #expect(found.address == nil && found.tint == nil)
    }
  }

  @Test("a model that was read from a file brings stores of its other versions along, also where they have more")
  func versions() throws {
    let folder = try TemporaryFolder()
    func model(_ attributes: String...) -> String {
      "<?xml version=\"1.0\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"><entity name=\"Note\">"
        + attributes.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>" }.joined()
        + "</entity></model>"
    }
    try folder.write(model("text", "old"), to: "M.xcdatamodeld/M.xcdatamodel/contents")
    try folder.write(model("text"), to: "M.xcdatamodeld/M 2.xcdatamodel/contents")
    try folder.write(
      """
      <?xml version="1.0"?><plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>M 2.xcdatamodel</string></dict></plist>
      """, to: "M.xcdatamodeld/.xccurrentversion")
    func open(_ path: String) throws -> PersistentContainer {
      let model = try #require(ManagedObjectModel(contentsOf: folder.file(path)))
      let container = PersistentContainer(name: "Notes", managedObjectModel: model)
      container.persistentStoreDescriptions = [PersistentStoreDescription(url: folder.file("Notes.sqlite"))]
      try container.loadPersistentStores()
      return container
    }
    do {
      let context = try open("M.xcdatamodeld/M.xcdatamodel").newBackgroundContext()
      try context.performAndWait {
        let note = EntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("kept", forKey: "text")
        note.setValue("gone", forKey: "old")
        try context.save()
      }
    }
    do {
      let context = try open("M.xcdatamodeld").newBackgroundContext()
      try context.performAndWait {
        let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
        #expect(notes.map { $0.value(forKey: "text") as? String } == ["kept"])
        #expect(notes[0].entity.attributesByName["old"] == nil)
      }
    }
    // The older version does not take what it does not know out of a store of the newer one.
    try folder.write(model("text", "new"), to: "M.xcdatamodeld/M 3.xcdatamodel/contents")
    _ = try open("M.xcdatamodeld/M 3.xcdatamodel")
    #expect(throws: (any Error).self) { try open("M.xcdatamodeld/M 2.xcdatamodel") }
  }
}
