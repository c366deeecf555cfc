import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface

/// Stores of the tests.
enum Stores {
  /// Makes a store, or opens one, and saves what the body does.
  static func write(
    _ url: URL, _ model: ManagedObjectModel, _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    try open(url, model) { context in
      try body(context)
      try context.save()
    }
  }

  /// Makes a store of LoopKit's first model, with five entries and five that are deleted.
  static func writeCarbohydrates(_ url: URL, _ model: ManagedObjectModel) throws {
    try write(url, model) { context in
      for number in 0..<5 {
        try context.insert(
          "CachedCarbObject",
          ["grams": Double(number), "startDate": Date.distantPast, "uploadState": 0, "createdByCurrentApp": true])
        try context.insert(
          "DeletedCarbObject", ["startDate": Date.distantFuture, "uploadState": 1, "externalID": "carb \(number)"])
      }
    }
  }

  /// Opens a store without migrating it, and closes it again.
  static func open<Result>(
    _ url: URL, _ model: ManagedObjectModel, _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let description = PersistentStoreDescription(type: .sqlite, url: url)
    description.shouldMigrateStoreAutomatically = false
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(with: description)
    defer { try? coordinator.remove(store) }
    let context = ManagedObjectContext(coordinator: coordinator, name: "test")
    return try context.performAndWait { try body(context) }
  }

  /// What the checker finds wrong with a store.
  static func problems(_ url: URL, _ model: ManagedObjectModel) throws -> [String] {
    try StoreChecker.check(path: url.path, model: model).findings.map { "\($0)" }
  }
}

extension ManagedObjectContext {
  /// All objects of an entity and its sub-entities, by primary key.
  func all(_ entity: String, exactly: Bool = false) throws -> [ManagedObject] {
    let request = FetchRequest<ManagedObject>(entityName: entity)
    request.includesSubentities = !exactly
    return try fetch(request)
  }

  /// A new object with values.
  @discardableResult
  func insert(_ entity: String, _ values: [String: Any] = [:]) throws -> ManagedObject {
    guard let found = persistentStoreCoordinator.managedObjectModel[entity] else {
      throw StoreError.failure("there is no entity \(entity)")
    }
    let object = insert(found)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }
}
