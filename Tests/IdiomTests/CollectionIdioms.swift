import Foundation
import Seedbed
import Testing

@Suite("Idioms: collections of Foundation, requests of any kind")
struct CollectionIdioms {
  @Test("requests: of no class in particular, as before a batch deletion")
  func anyRequest() throws {
    try Kitchen.cook { context in
      let count = try Kitchen.stock(context).count
      let request: FetchRequest<any FetchRequestResult> = Recipe.fetchRequest()
      #expect(try context.count(for: request) == count)
      #expect(try (context.fetch(request) as? [Recipe])?.count == count)
      request.predicate = FetchPredicate(format: "title == %@", "Soup")
      try context.execute(BatchDeleteRequest(fetchRequest: request))
      let typed: FetchRequest<Recipe> = Recipe.fetchRequest()
      #expect(try context.count(for: typed) == count - 1)
      let untyped = Recipe.fetchRequest()
      #expect(try context.fetch(untyped).map(\.title).sorted() == ["Bread", "Cake"])
    }
  }

  @Test("collections: sorted and filtered by what requests use")
  func foundation() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let byRating = [FetchSortDescriptor(key: "rating", ascending: false)]
      let good = FetchPredicate(format: "rating > 4")
      let set = NSSet(array: recipes)
      #expect((set.sortedArray(using: byRating) as? [Recipe])?.map(\.title) == ["Cake", "Soup", "Bread"])
      #expect(set.filtered(using: good).count == 2)
      let array = NSArray(array: recipes)
      #expect((array.sortedArray(using: byRating) as? [Recipe])?.map(\.title) == ["Cake", "Soup", "Bread"])
      #expect((array.filtered(using: good) as? [Recipe])?.map(\.title) == ["Soup", "Cake"])
      let ordered = NSOrderedSet(array: recipes)
      #expect((ordered.sortedArray(using: byRating) as? [Recipe])?.map(\.title) == ["Cake", "Soup", "Bread"])
      #expect((ordered.filtered(using: good).array as? [Recipe])?.map(\.title) == ["Soup", "Cake"])
      #expect(NSSet().sortedArray(using: byRating).isEmpty)
    }
  }

  @Test("collections: members as a mutable set")
  func mutableSet() throws {
    try Kitchen.cook { context in
      let soup = try Kitchen.stock(context)[0]
      let tags = try ["hot", "red", "thick"].map { name in
        let tag = try #require(EntityDescription.insertNewObject(forEntityName: "Tag", into: context) as ManagedObject?)
        tag.setValue(name, forKey: "name")
        return tag
      }
      let set = soup.mutableSetValue(forKey: "tags")
      set.union(Set(tags.prefix(2)))
      set.union(tags.suffix(2))
      #expect(Set(set.compactMap { $0.value(forKey: "name") as? String }) == ["hot", "red", "thick"])
      set.minus([tags[0]])
      set.intersect(Set(tags.prefix(2)))
      var names: [String] = []
      for tag in set { names.append(tag.value(forKey: "name") as? String ?? "") }
      #expect(names == ["red"])
    }
  }

  @Test("collections: members that cannot be read take none away")
  func unreadable() throws {
    let container = try Kitchen.container()
    let coordinator = container.persistentStoreCoordinator
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let recipes = try Kitchen.stock(context)
      let (soup, bread) = (recipes[0], recipes[1])
      let tags = try ["hot", "red"].map { name in
        let tag = try #require(EntityDescription.insertNewObject(forEntityName: "Tag", into: context) as ManagedObject?)
        tag.setValue(name, forKey: "name")
        return tag
      }
      let (ofSoup, ofBread) = (soup.mutableSetValue(forKey: "tags"), bread.mutableSetValue(forKey: "tags"))
      ofSoup.union(tags)
      ofBread.union(tags)
      try context.save()
      context.refresh(bread, mergeChanges: false)
      try coordinator.remove(try #require(coordinator.persistentStores.first))
      ofSoup.intersect(ofBread)
      #expect(ofSoup.count == 2 && !soup.hasChanges)
      #expect(throws: (any Error).self) { try context.fetch(Recipe.fetchRequest()) }
    }
  }

  @Test("imports: a pool for each batch")
  func pool() throws {
    try Kitchen.cook { context in
      for number in 0..<3 {
        try autoreleasepool {
          Recipe(context: context).title = "Recipe \(number)"
          try context.save()
        }
      }
      #expect(try context.count(for: Recipe.fetchRequest()) == 3)
    }
  }

  final class NewestWins: MergePolicy, @unchecked Sendable {
    init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }
    override func resolve(constraintConflicts list: [ConstraintConflict]) throws {
      try super.resolve(constraintConflicts: list)
    }
  }

  final class Chosen: MergePolicy, @unchecked Sendable {
    override init(merge kind: MergePolicyType) { super.init(merge: kind) }
  }

  @Test("merge: a policy of one's own begins with a kind")
  func policy() throws {
    #expect(NewestWins().mergeType == .mergeByPropertyObjectTrumpMergePolicyType)
    #expect(Chosen(merge: .rollbackMergePolicyType).mergeType == .rollbackMergePolicyType)
  }
}
