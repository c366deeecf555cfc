import Foundation
import Seedbed
import TestSupport
import Testing

/// Stores that move to another file or type while a program works with them, as Core Data code saves a document
/// elsewhere.
@Suite("Idioms: moved stores")
struct MovedStoreIdioms {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func coordinator() throws -> PersistentStoreCoordinator {
    PersistentStoreCoordinator(
      managedObjectModel: try Kitchen.model(), classes: ["Recipe": Recipe.self, "Person": Person.self])
  }

  private func stock(_ context: ManagedObjectContext) throws {
    let recipes = try Kitchen.stock(context)
    for text in ["Chop", "Boil", "Eat"] {
      let step = EntityDescription.insertNewObject(forEntityName: "Step", into: context)
      step.setValue(text, forKey: "text")
      recipes[0].mutableOrderedSetValue(forKey: "steps").insert(step, at: 0)
    }
    for name in ["hot", "quick"] {
      let tag = EntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue(name, forKey: "name")
      recipes[0].mutableSetValue(forKey: "tags").add(tag)
      if name == "hot" { recipes[2].mutableSetValue(forKey: "tags").add(tag) }
    }
    // A key that no object has any more, and another version.
    context.delete(recipes[1])
    recipes[0].rating = 4
    try context.save()
  }

  private func texts(_ context: ManagedObjectContext) throws -> [String] {
    let request: FetchRequest<Recipe> = Recipe.fetchRequest()
    request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
    return try context.fetch(request).map { recipe in
      let steps = (recipe.value(forKey: "steps") as? [ManagedObject] ?? []).map { $0.value(forKey: "text") as? String }
      let tags = (recipe.value(forKey: "tags") as? Set<ManagedObject> ?? []).compactMap {
        $0.value(forKey: "name") as? String
      }
      return
        "\(recipe.objectID.primaryKey ?? 0) \(recipe.title) \(recipe.rating ?? 0) \(recipe.author?.value(forKey: "name") as? String ?? "-") "
        + "\(steps.compactMap(\.self).joined(separator: ",")) \(tags.sorted().joined(separator: ","))"
    }
  }

  private static let stocked = ["3 Cake 5.0 Ann  hot", "1 Soup 4.0 Ann Eat,Boil,Chop hot,quick"]

  @Test("moved stores: a file saved elsewhere keeps its objects, and the old file stays")
  func sameType() throws {
    let (old, new) = (folder.file("Old.sqlite"), folder.file("New.sqlite"))
    let coordinator = try coordinator()
    let store = try coordinator.addPersistentStore(type: .sqlite, configuration: nil, at: old, options: nil)
    let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      try stock(context)
      let soup = try #require(try context.fetch(Recipe.fetchRequest()).first { $0.title == "Soup" })
      let moved = try coordinator.migratePersistentStore(store, to: new, options: nil, type: .sqlite)
      #expect(coordinator.persistentStores.map { coordinator.url(for: $0) } == [new])
      #expect(moved.identifier == store.identifier && soup.objectID.persistentStore === moved)
      #expect(try texts(context) == Self.stocked)
      soup.title = "Stew"
      try context.save()
    }
    let other = try self.coordinator()
    try other.addPersistentStore(type: .sqlite, configuration: nil, at: old, options: nil)
    let reader = ManagedObjectContext(coordinator: other, name: "reader")
    #expect(try reader.performAndWait { try texts(reader) } == Self.stocked)
  }

  @Test("moved stores: a store becomes one of another type", arguments: ["memory", "binary"])
  func otherType(kind: String) throws {
    let new = folder.file("New.sqlite")
    let coordinator = try coordinator()
    let store =
      kind == "memory"
      ? try coordinator.addPersistentStore(ofType: InMemoryStoreType, configurationName: nil, at: nil)
      : try coordinator.addPersistentStore(
        ofType: BinaryStoreType, configurationName: nil, at: folder.file("Old.binary"))
    let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      try stock(context)
      if store is any MetadataKeeping { coordinator.setMetadata(["origin": kind], for: store) }
      let moved = try coordinator.migratePersistentStore(
        store, to: new, options: [PersistentHistoryTrackingKey: true], withType: SQLiteStoreType)
      context.reset()
      #expect(coordinator.persistentStores.count == 1 && moved.type == SQLiteStoreType)
      #expect(try texts(context) == Self.stocked)
      if store is any MetadataKeeping { #expect(coordinator.metadata(for: moved)["origin"] as? String == kind) }
      // Keys of objects that are gone are not given out again.
      let added = Recipe(context: context)
      added.title = "Tea"
      try context.save()
      #expect(added.objectID.primaryKey == 4)
      let history = try context.execute(
        PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?))
      #expect((history.result as? [PersistentHistoryTransaction])?.count == 2)
    }
  }

  @Test("moved stores: a move that cannot be made leaves the store as it is")
  func refused() throws {
    let coordinator = try coordinator()
    let old = folder.file("Old.sqlite")
    let store = try coordinator.addPersistentStore(type: .sqlite, configuration: nil, at: old, options: nil)
    let context = ManagedObjectContext(coordinator: coordinator, name: "writer")
    try context.performAndWait {
      try stock(context)
      let taken = folder.file("Taken")
      try Data("mine".utf8).write(to: taken)
      #expect(throws: StoreError.self) { try coordinator.migratePersistentStore(store, to: old, type: .sqlite) }
      #expect(throws: StoreError.self) { try coordinator.migratePersistentStore(store, to: taken, type: .binary) }
      #expect(throws: StoreError.self) {
        try coordinator.migratePersistentStore(store, to: folder.file("Taken/New.binary"), type: .binary)
      }
      let other = try self.coordinator()
      #expect(throws: StoreError.self) {
        try other.migratePersistentStore(store, to: folder.file("New"), type: .sqlite)
      }
      #expect(coordinator.persistentStores.map(\.identifier) == [store.identifier])
      #expect(try Data(contentsOf: taken) == Data("mine".utf8))
      #expect(try texts(context) == Self.stocked)
    }
  }
}
