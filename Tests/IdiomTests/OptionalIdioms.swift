import Foundation
import Seedbed
import TestSupport
import Testing

/// What Core Data has as an optional or a value of any type, where the types here say more.
@Suite("Idioms: optionals and plain values")
struct OptionalIdioms {
  @Test("optionals: names of entities, destinations")
  func model() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      #expect(recipe.entity.name! == "Recipe" && recipe.objectID.entity.name ?? "?" == "Recipe")
      if let name = recipe.entity.name { #expect(name == "Recipe") }
      let described = recipe.entity.relationshipsByName.map { name, relationship in
        "\(name) \(relationship.destinationEntity?.name ?? "?") \(relationship.inverseRelationship?.name ?? "none")"
      }
      #expect(described.sorted() == ["author Person recipes", "steps Step recipe", "tags Tag recipes"])
      // Without a question for an optional, the names stay texts.
      let names: [String] = context.persistentStoreCoordinator!.managedObjectModel.entities.map { $0.name }
      #expect(Set(names) == ["Recipe", "Person", "Step", "Tag"])
    }
  }

  /// The later date of a row counts, as an app has it.
  private final class LatestPolicy: MergePolicy {
    var seen: [String] = []

    init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

    override func resolve(optimisticLockingConflicts list: [MergeConflict]) throws {
      for conflict in list {
        let here = conflict.objectSnapshot?["title"] as? String ?? "?"
        // Without a persisted snapshot, another context of the coordinator saved what is cached.
        let snapshot = conflict.persistedSnapshot ?? conflict.cachedSnapshot
        guard let stored = snapshot?["title"] as? String else { throw KitchenError.poison }
        let read = conflict.persistedSnapshot == nil ? "by the coordinator" : "past it"
        let author = conflict.objectSnapshot?["author"] as? ManagedObjectID
        let isFavorite = conflict.objectSnapshot?["isFavorite"] as? Bool ?? true
        let isNull = conflict.objectSnapshot?["link"] is NSNull
        seen.append("\(here), \(read), \(stored), \(author?.entity.name ?? "?"), \(isFavorite), \(isNull)")
      }
      try super.resolve(optimisticLockingConflicts: list)
    }
  }

  @Test("values: snapshots of a conflict, in a policy of one's own")
  func conflict() throws {
    let container = try Kitchen.container()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let policy = LatestPolicy()
      context.mergePolicy = policy
      let recipe = try Kitchen.stock(context)[0]
      _ = recipe.rating
      let other = container.newBackgroundContext()
      let id = recipe.objectID
      try other.performAndWait {
        (try other.existingObject(with: id) as? Recipe)?.title = "Elsewhere"
        try other.save()
      }
      recipe.title = "Here"
      try context.save()
      #expect(policy.seen == ["Here, by the coordinator, Elsewhere, Person, false, true"] && recipe.title == "Here")
    }
  }

  @Test("values: snapshots of conflicts are read anywhere, also when their context is gone")
  func conflictElsewhere() async throws {
    let container = try Kitchen.container()
    let error: SaveConflictError? = await container.newBackgroundContext().perform { [container] in
      do {
        let context = container.newBackgroundContext()
        try context.performAndWait {
          let recipes = try Kitchen.stock(context)
          let other = container.newBackgroundContext()
          let id = recipes[0].objectID
          try other.performAndWait {
            (try other.existingObject(with: id) as? Recipe)?.title = "Elsewhere"
            try other.save()
          }
          recipes[0].title = "Here"
          try context.save()
        }
        return nil
      } catch {
        return error as? SaveConflictError
      }
    }
    let conflict = try #require(error?.optimisticLockingConflicts.first)
    #expect(conflict.objectSnapshot?["title"] as? String == "Here")
    #expect(conflict.cachedSnapshot?["title"] as? String == "Elsewhere" && conflict.persistedSnapshot == nil)
    #expect(conflict.objectSnapshot?["steps"] == nil && conflict.objectPropertyValues["title"]?.value == "Here")
    #expect((conflict.objectSnapshot?["author"] as? ManagedObjectID)?.entity.name == "Person")
  }

  @Test("values: what a constraint's conflict says")
  func constraint() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      EntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ann", forKey: "name")
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      let conflict = try #require(error?.constraintConflicts.first)
      #expect(conflict.constraint == ["name"] && conflict.constraintValues["name"] as? String == "Ann")
      #expect(conflict.databaseSnapshot?["name"] as? String == "Ann")
      #expect(conflict.conflictingSnapshots.first?["name"] as? String == "Ann")
      #expect(conflict.conflictingSnapshots.first?["age"] is NSNull)
    }
  }

  @Test("values: what a notification has under a text, and under the raw value of a key")
  func notification() throws {
    try Kitchen.cook { context in
      let recipe = try Kitchen.stock(context)[0]
      @Sendable func objects(_ note: Notification, forKey key: String) -> Set<ManagedObject> {
        (note.userInfo?[key] as? Set<ManagedObject>) ?? Set()
      }
      let told = Collected<String>()
      let token = NotificationCenter.default.addObserver(
        forName: .ManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { note in
        let updated = objects(note, forKey: UpdatedObjectsKey).count
        let inserted =
          note.userInfo?[ManagedObjectContext.NotificationKey.insertedObjects.rawValue] as? Set<ManagedObject>
        let isReset = note.userInfo?[InvalidatedAllObjectsKey] != nil
        told.append("\(updated) \(inserted?.count ?? 0) \(isReset) \(note.userInfo?["other"] == nil)")
      }
      defer { NotificationCenter.default.removeObserver(token) }
      recipe.title = "Stew"
      Recipe(context: context).title = "Pie"
      context.processPendingChanges()
      context.rollback()
      _ = told.removeAll()
      recipe.title = "Stew"
      Recipe(context: context).title = "Pie"
      context.processPendingChanges()
      #expect(told.removeAll() == ["1 1 false true"])
      context.reset()
      #expect(told.removeAll().last == "0 0 true true")
      var mine: [AnyHashable: Any] = [:]
      mine["other"] = 3
      #expect(mine["other"] as? Int == 3 && mine[AnyHashable("other")] as? Int == 3)
      mine["other"] = nil
      #expect(mine.isEmpty)
    }
  }

  @Test("values: the properties that history names, and members from a set without a type")
  func history() throws {
    let folder = try TemporaryFolder()
    let description = PersistentStoreDescription(url: folder.file("Kitchen.sqlite"))
    description.setOption(true as NSNumber, forKey: PersistentHistoryTrackingKey)
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(), persistentStoreDescriptions: [description],
      classes: ["Recipe": Recipe.self, "Person": Person.self])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let recipes = try Kitchen.stock(context)
      let before = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
      recipes[0].title = "Stew"
      try context.save()
      let request = PersistentHistoryChangeRequest.fetchHistory(after: before)
      let result = try context.execute(request) as? PersistentHistoryResult
      let transactions = result?.result as? [PersistentHistoryTransaction] ?? []
      let changes = transactions.flatMap { $0.changes ?? [] }
      #expect(changes.map { $0.updatedProperties?.map(\.name) ?? [] } == [["title"]])
      for change in changes {
        for property in change.updatedProperties ?? [] { #expect(property.name == "title") }
        #expect(change.tombstone == nil && change.updatedPropertyNames == ["title"])
      }
      let tags = ["hot", "cheap"].map { name in
        let tag = EntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue(name, forKey: "name")
        return tag
      }
      let untyped = Set<AnyHashable>(tags)
      recipes[0].mutableSetValue(forKey: "tags").union(untyped)
      #expect(recipes[0].mutableSetValue(forKey: "tags").count == 2)
      recipes[0].mutableSetValue(forKey: "tags").intersect([tags[0]] as Set<AnyHashable>)
      #expect(recipes[0].value(forKey: "tags") as? Set<ManagedObject> == [tags[0]])
      recipes[0].mutableSetValue(forKey: "tags").minus(untyped)
      #expect((recipes[0].value(forKey: "tags") as? Set<ManagedObject>)?.isEmpty == true)
    }
  }
}
