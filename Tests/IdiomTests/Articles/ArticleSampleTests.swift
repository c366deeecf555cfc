import Foundation
import Seedbed
import Synchronization
import TestSupport
import Testing

@Suite("Samples of the articles about fetching, saving and watching")
struct ArticleSampleTests {
  @Test(
    "every sample is compiled here, word for word",
    arguments: [("Fetching", "Fetching"), ("SavingAndConflicts", "Saving"), ("Watching", "Watching")])
  func sameText(article: String, samples: String) throws {
    let source = try DocumentSamples.source("\(samples)Samples.swift")
    let blocks = try DocumentSamples.swift(in: "Sources/ObjectGraph/ObjectGraph.docc/\(article).md")
    #expect(blocks.count >= 3)
    for block in blocks { #expect(source.contains(block), "\(block)") }
  }

  // MARK: - Fetching

  @Test("fetching: objects, text of users, counts and ids, groups, batches, a second pass")
  func fetching() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      #expect(try favorites(in: context).map(\.title) == ["Cake"])
      #expect(try recipes(matching: "title BEGINSWITH 'B'", in: context).map(\.title) == ["Bread"])
      #expect(throws: PredicateFormatError.self) { try recipes(matching: "title BEGINSWITH", in: context) }
      let byAnn = try recipes(by: "ann", in: context)
      #expect(byAnn.count == 2 && byAnn.ids.count == 2)
      #expect(try bestRatings(in: context) == ["Ann": 5])
      #expect(try lengthOfAllTitles(in: context) == 13)
      #expect(try shortTitles(in: context).map(\.title) == ["Soup", "Cake"])
    }
  }

  @Test("fetching: without waiting")
  func fetchingInBackground() async throws {
    let context = try Kitchen.container().newBackgroundContext()
    try await context.perform { _ = try Kitchen.stock(context) }
    #expect(try await titles(in: context).sorted() == ["Bread", "Cake", "Soup"])
  }

  // MARK: - Saving

  @Test("saving: all problems of a save")
  func validation() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)[0].setValue(nil, forKey: "title")
      _ = Recipe(context: context)
      #expect(try problems(savingIn: context) == ["Recipe.title: missing-value", "Recipe.title: missing-value"])
      context.rollback()
      #expect(try problems(savingIn: context) == [])
    }
  }

  @Test("saving: a person who is there gets the age")
  func upsert() async throws {
    let container = try Kitchen.container()
    for age in [40, 41] { try await addPerson("Ann", age: age, to: container) }
    let context = container.newBackgroundContext()
    let ages = try await context.perform { try context.fetch(Person.fetchRequest()).map { $0["age"]?.integer } }
    #expect(ages == [41])
  }

  @Test("saving: a conflict is told, and a policy of one's own resolves one")
  func conflict() throws {
    let container = try Kitchen.container()
    let (context, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let (recipe, ann) = try context.performAndWait {
      let recipe = try Kitchen.stock(context)[0]
      let ann = try #require(recipe.author)
      #expect(ann.name == "Ann")
      return (recipe, ann)
    }
    let (soup, person) = (recipe.objectID, ann.objectID)
    try other.performAndWait {
      #expect(try rename(soup, to: "Stew", in: other) == [])
      other.object(with: person)["age"] = 50
      try other.save()
    }
    try context.performAndWait {
      #expect(try rename(soup, to: "Broth", in: context) == ["title"])
      context.mergePolicy = StoredAgeWins()
      ann["age"] = 20
      ann.name = "Anna"
      try context.save()
      #expect(ann["age"] == 50 && ann.name == "Anna")
    }
  }

  @Test("saving: an edit is kept, or thrown away")
  func edits() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      for isKept in [false, true] {
        try edit(recipe.objectID, in: context) { recipe in
          recipe.title = "Stew"
          return isKept
        }
        #expect(recipe.title == (isKept ? "Stew" : "Soup"))
      }
    }
  }

  // MARK: - Watching

  @Test("watching: a list follows inserts, moves, updates and deletes")
  func list() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let list = try RecipeList(context: context)
      let pie = Recipe(context: context)
      pie.title = "Apple pie"
      recipes[0].title = "A soup"
      recipes[1]["rating"] = 1.0
      context.delete(recipes[2])
      context.processPendingChanges()
      #expect(list.rows == [recipes[0], pie, recipes[1]].map(\.objectID))
      #expect(Set(list.redrawn) == Set(recipes[...1].map(\.objectID)))
    }
  }

  @Test("watching: ids of saves")
  func notifications() throws {
    let count = Mutex(0)
    let context = try Kitchen.container().newBackgroundContext()
    let observer = watchSaves(of: context) { inserted in count.withLock { $0 += inserted } }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.performAndWait { _ = try Kitchen.stock(context) }
    #expect(count.withLock(\.self) == 5)
  }

  @MainActor @Test("watching: the view context merges an import")
  func merging() async throws {
    let container = try Kitchen.container()
    let request = FetchRequest<ManagedObject>(entityName: "Tag")
    #expect(try container.viewContext.fetch(request).isEmpty)
    try await importTags(["quick", "sweet"], into: container)
    #expect(try container.viewContext.fetch(request).count == 2)
  }
}
