import Foundation
import Seedbed
import Testing

/// Everyday lines of Core Data code as its developers write them, minus `NS`.
@Suite("Idioms: insert, set, read")
struct ObjectIdioms {
  @Test("insert: by the entity's name")
  func insertByName() throws {
    try Kitchen.cook { context in
      let recipe = EntityDescription.insertNewObject(forEntityName: "Recipe", into: context)
      #expect(recipe.isInserted && recipe.objectID.isTemporaryID && recipe is Recipe)
    }
  }

  @Test("insert: by the entity's name, cast to the class")
  func insertCast() throws {
    try Kitchen.cook { context in
      let recipe = try #require(EntityDescription.insertNewObject(forEntityName: "Recipe", into: context) as? Recipe)
      recipe.title = "Soup"
      #expect(context.insertedObjects == [recipe])
    }
  }

  @Test("insert: with the class and a context")
  func insertByClass() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe.title = "Soup"
      try context.save()
      #expect(!recipe.objectID.isTemporaryID && recipe.entity.name == "Recipe")
    }
  }

  @Test("insert: with an entity looked up")
  func insertByEntity() throws {
    try Kitchen.cook { context in
      let entity = try #require(EntityDescription.entity(forEntityName: "Recipe", in: context))
      let recipe = Recipe(entity: entity, insertInto: context)
      #expect(recipe.managedObjectContext === context && context.hasChanges)
    }
  }

  @Test("insert: a plain managed object of an entity without a class")
  func insertPlain() throws {
    try Kitchen.cook { context in
      let entity = try #require(context.persistentStoreCoordinator.managedObjectModel.entitiesByName["Tag"])
      let tag = ManagedObject(entity: entity, insertInto: context)
      tag.setValue("quick", forKey: "name")
      #expect(tag.value(forKey: "name") as? String == "quick")
    }
  }

  @Test("insert: a permanent id before the save")
  func permanentID() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      try context.obtainPermanentIDs(for: [recipe])
      #expect(!recipe.objectID.isTemporaryID)
    }
  }

  @Test("insert: only what is not there yet")
  func findOrInsert() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = FetchRequest<Person>(entityName: "Person")
      request.predicate = FetchPredicate(format: "name == %@", "Ann")
      let ann = try context.fetch(request).first ?? Person(context: context)
      #expect(ann.name == "Ann" && !ann.isInserted)
    }
  }

  @Test("set: literals of every kind")
  func setLiterals() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe["title"] = "Soup"
      recipe["servings"] = 2
      recipe["rating"] = 4.5
      recipe["price"] = 3
      recipe["isFavorite"] = true
      recipe["created"] = nil
      #expect(recipe["title"]?.string == "Soup" && recipe["servings"]?.integer == 2 && recipe["rating"]?.double == 4.5)
      #expect(recipe["price"]?.decimal == 3 && recipe["isFavorite"]?.boolean == true && recipe["created"] == nil)
    }
  }

  @Test("set: Swift values of every kind")
  func setValues() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      let (date, url, code, picture) = (Date.now, URL(string: "https://example.com"), UUID(), Data([1, 2]))
      recipe["created"] = date
      recipe["link"] = url
      recipe["code"] = code
      recipe["picture"] = picture
      recipe["price"] = Decimal(string: "1.25")
      recipe["servings"] = Int16(3)
      recipe["rating"] = Float(0.5)
      #expect(recipe["created"]?.date == date && recipe["link"]?.uri == url && recipe["code"]?.uuid == code)
      #expect(recipe["picture"]?.data == picture && recipe["price"]?.decimal == Decimal(string: "1.25"))
    }
  }

  @Test("set: by key")
  func setValueForKey() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe.setValue("Soup", forKey: "title")
      recipe.setValue(6, forKey: "servings")
      recipe.setValue(NSNumber(value: 4.5), forKey: "rating")
      recipe.setValue(NSDecimalNumber(string: "9.99"), forKey: "price")
      recipe.setValue(nil, forKey: "created")
      #expect(recipe.title == "Soup" && recipe.rating == 4.5 && recipe["price"]?.decimal == Decimal(string: "9.99"))
    }
  }

  @Test("set: several keys at once")
  func setValuesForKeys() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe.setValuesForKeys(["title": "Soup", "servings": 2, "created": NSNull()])
      #expect(recipe.title == "Soup" && recipe["servings"]?.integer == 2 && recipe["created"] == nil)
    }
  }

  @Test("set: a to-one relationship; the inverse follows")
  func setToOne() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      let ann = Person(context: context)
      recipe.setValue(ann, forKey: "author")
      #expect((ann.value(forKey: "recipes") as? Set<Recipe>) == [recipe])
      recipe.author = nil
      #expect((ann.value(forKey: "recipes") as? Set<Recipe>)?.isEmpty == true)
    }
  }

  @Test("set: a to-many relationship to a set")
  func setToMany() throws {
    try Kitchen.cook { context in
      let (soup, bread) = (Recipe(context: context), Recipe(context: context))
      let ann = Person(context: context)
      ann.setValue(Set([soup, bread]), forKey: "recipes")
      #expect(soup.author === ann && bread.author === ann)
      ann.setValue(NSSet(array: [soup]), forKey: "recipes")
      #expect(bread.author == nil)
    }
  }

  @Test("set: primitive values in an accessor")
  func setPrimitive() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      recipe.willChangeValue(forKey: "title")
      recipe.setPrimitiveValue("Stew", forKey: "title")
      recipe.didChangeValue(forKey: "title")
      #expect(recipe.isUpdated && recipe.changedPropertyValues().keys.sorted() == ["title"])
    }
  }

  @Test("set: text for a number stops and names attribute and types")
  func wrongType() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Kitchen.cook { context in Recipe(context: context)["servings"] = "many" }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("property = \"servings\"") && message.contains("desired type = Integer 16"))
    #expect(message.contains("given type = String"))
  }

  @Test("set: a set with something else than objects stops, and loses nothing")
  func wrongMembers() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Kitchen.cook { context in
        let ann = Person(context: context)
        ann.setValue(NSSet(array: [Recipe(context: context), "Soup"]), forKey: "recipes")
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("property = \"recipes\"") && message.contains("a set or an array of managed objects"))
  }

  @Test("set: an unknown key stops and names it")
  func unknownKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Kitchen.cook { context in Recipe(context: context).setValue(1, forKey: "nope") }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("not key value coding-compliant for the key \"nope\""))
  }

  @Test("read: by key, cast")
  func valueForKey() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      #expect(recipe.value(forKey: "title") as? String == "Soup")
      #expect(recipe.value(forKey: "servings") as? Int == 4 && recipe.value(forKey: "servings") as? Int16 == 4)
      #expect(recipe.value(forKey: "rating") as? Double == 4.5 && recipe.value(forKey: "isFavorite") as? Bool == false)
      #expect(recipe.value(forKey: "created") as? Date == Date(timeIntervalSinceReferenceDate: 0))
      #expect(recipe.value(forKey: "link") == nil && (recipe.value(forKey: "author") as? Person)?.name == "Ann")
    }
  }

  @Test("read: by key path")
  func valueForKeyPath() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      #expect(recipe.value(forKeyPath: "author.name") as? String == "Ann")
      let ann = try #require(recipe.author)
      #expect(ann.value(forKeyPath: "recipes.title") as? Set<String> == ["Soup", "Cake"])
      #expect((ann.value(forKeyPath: "recipes.title") as? NSSet)?.count == 2)
      #expect((ann.value(forKeyPath: "recipes.author") as? Set<Person>) == [ann])
      for recipe in ann.members(of: "recipes") { recipe["price"] = Decimal(string: "2.50") }
      #expect(ann.value(forKeyPath: "recipes.price") as? Set<Decimal> == [2.5])
      #expect(ann.value(forKeyPath: "recipes.rating") as? Set<Double> == [4.5, 5])
      #expect(ann.value(forKeyPath: "recipes.isFavorite") as? Set<Bool> == [true, false])
      #expect((ann.value(forKeyPath: "recipes.created") as? Set<Date>)?.count == 1)
      #expect(ann.value(forKeyPath: "recipes.@count") as? Int == 2)
      #expect(ann.value(forKeyPath: "recipes.@max.rating") as? Double == 5)
    }
  }

  @Test("read: as a typed value with a subscript")
  func typedSubscript() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[1]
      let title: String? = recipe["title"]
      let rating: Double = recipe["rating"] ?? 0
      let servings: Int? = recipe["servings"]
      #expect(title == "Bread" && rating == 3 && servings == 4)
    }
  }

  @Test("read: several keys as a dictionary")
  func dictionaryWithValues() throws {
    try Kitchen.cook { context in
      let values = try Kitchen.stock(context)[0].dictionaryWithValues(forKeys: ["title", "link"])
      #expect(values["title"] as? String == "Soup" && values["link"] is NSNull)
    }
  }

  @Test("read: committed and changed values")
  func changedPropertyValues() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      recipe.title = "Stew"
      #expect(recipe.hasChanges && recipe.changedPropertyValues()["title"]?.value?.string == "Stew")
      #expect(recipe.committedPropertyValues(forKeys: ["title"])["title"]?.value?.string == "Soup")
    }
  }

  @Test("read: a primitive value of a fault is nil until it is accessed")
  func primitives() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      context.refresh(recipe, mergeChanges: false)
      #expect(recipe.isFault && recipe.primitiveValue(forKey: "title") == nil)
      recipe.willAccessValue(forKey: "title")
      defer { recipe.didAccessValue(forKey: "title") }
      #expect(recipe.primitiveValue(forKey: "title") as? String == "Soup")
    }
  }

  @Test("read: printing shows entity, id and values, and a fault as one")
  func printing() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let id = recipe.objectID.uriRepresentation().absoluteString
      #expect("\(recipe)".hasPrefix("<Recipe: \(id)> (entity: Recipe; data: {author = x-coredata://"))
      #expect("\(recipe)".contains("rating = 4.5") && "\(recipe)".contains("title = Soup"))
      context.refresh(recipe, mergeChanges: false)
      #expect("\(recipe)" == "<Recipe: \(id)> (entity: Recipe; data: <fault>)" && recipe.isFault)
      #expect("\(recipe.objectID)" == id)
    }
  }

  @Test("read: an object by its URI")
  func uri() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let uri = recipe.objectID.uriRepresentation()
      let id = try #require(context.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri))
      #expect(try context.existingObject(with: id) === recipe && context.object(with: id) === recipe)
    }
  }
}
