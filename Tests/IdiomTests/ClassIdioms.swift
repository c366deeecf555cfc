import Foundation
import Seedbed
import TestSupport
import Testing

/// Containers that are told of no classes, as Core Data's are not.
@Suite("Idioms: classes")
struct ClassIdioms {
  private func container(_ classes: [String: ManagedObject.Type] = [:]) throws -> PersistentContainer {
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)], classes: classes)
    try container.loadPersistentStores()
    return container
  }

  @Test("classes: one that is first used to make an object")
  func made() throws {
    let context = try container().newBackgroundContext()
    try context.performAndWait {
      let soup = Recipe(context: context)
      soup.title = "Soup"
      let person = Person(context: context)
      person.name = "Ann"
      soup.author = person
      try context.save()
      context.reset()
      let request = FetchRequest<Recipe>(entityName: "Recipe")
      let found = try context.fetch(request)
      #expect(found.map(\.title) == ["Soup"] && found.first?.author?.name == "Ann" && found.first?.fetchCount == 1)
      #expect(found.first.map { $0 as ManagedObject } is Recipe)
    }
  }

  @Test("classes: one that is first used to fetch, by its entity's name and without")
  func fetched() throws {
    for isNamed in [true, false] {
      let folder = try TemporaryFolder()
      let description = PersistentStoreDescription(url: folder.file("Kitchen.sqlite"))
      func container() throws -> PersistentContainer {
        let container = PersistentContainer(
          name: "Kitchen", managedObjectModel: try Kitchen.model(), persistentStoreDescriptions: [description])
        try container.loadPersistentStores()
        return container
      }
      let maker = try container().newBackgroundContext()
      try maker.performAndWait {
        Recipe(context: maker).title = "Soup"
        try maker.save()
      }
      let reader = try container().newBackgroundContext()
      try reader.performAndWait {
        let request = isNamed ? FetchRequest<Recipe>(entityName: "Recipe") : Recipe.fetchRequest()
        let titles = try reader.fetch(request).map(\.title)
        #expect(titles == ["Soup"])
        #expect(EntityDescription.insertNewObject(forEntityName: "Recipe", into: reader) is Recipe)
      }
    }
  }

  @Test("classes: with the one that is used, those that it lists")
  func listed() throws {
    let context = try container().newBackgroundContext()
    context.performAndWait {
      let step = Step(context: context)
      step.setValue("Stir", forKey: "text")
      #expect(EntityDescription.insertNewObject(forEntityName: "Tag", into: context) is Tag)
      #expect(Step.entity().name == "Step")
    }
  }

  @Test("classes: of an entity that has objects already, none is taken")
  func late() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try ClassIdioms().container().newBackgroundContext()
      context.performAndWait {
        let plain = EntityDescription.insertNewObject(forEntityName: "Recipe", into: context)
        plain.setValue("Soup", forKey: "title")
        _ = Recipe(context: context)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("had objects before"))
  }

  @Test("classes: stated ones are not replaced")
  func stated() throws {
    let context = try container(["Recipe": Recipe.self, "Tag": Label.self]).newBackgroundContext()
    context.performAndWait {
      _ = Step(context: context)
      #expect(EntityDescription.insertNewObject(forEntityName: "Tag", into: context) is Label)
      #expect(EntityDescription.insertNewObject(forEntityName: "Recipe", into: context) is Recipe)
    }
  }

  @Test("classes: many threads that use one first all get objects of it")
  func raced() throws {
    for _ in 0..<50 {
      let container = try container()
      DispatchQueue.concurrentPerform(iterations: 8) { index in
        let context = container.newBackgroundContext()
        context.performAndWait {
          let object = index % 2 == 0 ? Recipe(context: context) : nil
          #expect(object?.objectID.isTemporaryID ?? true)
          if index % 2 == 1 { #expect((try? context.fetch(Recipe.fetchRequest()).isEmpty) == true) }
        }
      }
    }
  }
}

private final class Step: ManagedObject, ClassListing {
  static var modelClasses: [String: ManagedObject.Type] { ["Step": Step.self, "Tag": Tag.self] }
}

private final class Tag: ManagedObject {}
private final class Label: ManagedObject {}

/// A store of objects of any class.
private struct Repository<T: ManagedObject> {
  let context: ManagedObjectContext

  func create() -> T { T(context: context) }

  func all() throws -> [T] {
    let request = FetchRequest<T>(entityName: String(describing: T.self))
    return try context.fetch(request)
  }

  func count() throws -> Int { try context.count(for: FetchRequest<T>(entityName: T.entity().name)) }
}

extension ClassIdioms {
  @Test("classes: a repository of any class makes and fetches its objects")
  func repository() throws {
    try Kitchen.cook { context in
      let recipes = Repository<Recipe>(context: context)
      recipes.create().title = "Soup"
      try context.save()
      #expect(try recipes.count() == 1 && recipes.all().map(\.title) == ["Soup"])
    }
  }
}
