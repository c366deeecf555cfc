import Foundation
import Seedbed
import Testing

@Suite("Idioms: validation, hooks, ordered relationships")
struct GraphIdioms {
  // MARK: - Validation

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

  // MARK: - Hooks

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
      context.refresh(recipe, mergeChanges: false)
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

  @Test("hooks: willSave sets the time of the last change")
  func timeOfSaving() throws {
    try Kitchen.cook { context in
      context.userInfo["keepsTimes"] = true
      let recipe = Recipe(context: context)
      recipe.title = "Soup"
      try context.save()
      let first = try #require(recipe.value(forKey: "saved") as? Date)
      #expect(recipe.saves == ["will", "did"] && !context.hasChanges)
      recipe.title = "Bread"
      try context.save()
      let second = try #require(recipe.value(forKey: "saved") as? Date)
      #expect(
        second > first && recipe.committedPropertyValues(forKeys: ["saved"])["saved"] == .attribute(.date(second)))
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

  // MARK: - Key paths

  @Test("key paths: set through relationships, to-many ones too")
  func setValueForKeyPath() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      let ann = try #require(recipe.author)
      recipe.setValue("Anna", forKeyPath: "author.name")
      #expect(ann.value(forKey: "name") as? String == "Anna")
      recipe.setValue("Stew", forKeyPath: "title")
      #expect(recipe.title == "Stew")
      ann.setValue(2.0, forKeyPath: "recipes.rating")
      let recipes = try #require(ann.value(forKey: "recipes") as? Set<ManagedObject>)
      #expect(recipes.count == 2 && recipes.allSatisfy { $0.value(forKey: "rating") as? Double == 2 })
      recipe["author"] = nil
      #expect(recipe.author == nil)
      recipe.setValue("Nobody", forKeyPath: "author.name")
      #expect(ann.value(forKey: "name") as? String == "Anna")
    }
  }

  // MARK: - Ordered relationships

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
      context.refresh(recipe, mergeChanges: false)
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
      steps.addObjects(from: [all[0], all[2], all[3]])
      let before = recipe.steps
      steps.moveObjects(at: [1, 3], to: 1)
      #expect(recipe.steps == [before[0], before[1], before[3], before[2]])
      steps.moveObjects(at: [2, 3], to: 0)
      #expect(recipe.steps == [before[3], before[2], before[0], before[1]])
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
