import Seedbed

func problems(savingIn context: ManagedObjectContext) throws -> [String] {
  do {
    if context.hasChanges { try context.save() }
    return []
  } catch let error as ValidationError {
    return error.problems.map { "\($0.entity).\($0.property ?? ""): \($0.code.rawValue)" }
  }
}

func addPerson(_ name: String, age: Int, to container: PersistentContainer) async throws {
  try await container.performBackgroundTask { context in
    context.mergePolicy = MergePolicy.mergeByPropertyObjectTrump
    let person = Person(context: context)
    person.name = name
    person["age"] = age
    try context.save()
  }
}

func rename(_ id: ObjectID, to title: String, in context: ManagedObjectContext) throws -> [String] {
  (try context.existingObject(with: id) as? Recipe)?.title = title
  do {
    try context.save()
    return []
  } catch let error as SaveConflictError {
    let changed = error.optimisticLockingConflicts.flatMap { $0.sourceObject.changedValues().keys }
    context.rollback()
    return changed
  }
}

/// What others saved of a person's age wins, for everything else what was changed here.
final class StoredAgeWins: MergePolicy, @unchecked Sendable {
  init() { super.init(.mergeByPropertyObjectTrump) }

  override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
    for conflict in conflicts {
      if let age = conflict.persistedPropertyValues?["age"]?.value { conflict.sourceObject["age"] = age }
    }
    try super.resolve(optimisticLockingConflicts: conflicts)
  }
}

func edit(_ id: ObjectID, in parent: ManagedObjectContext, _ change: @Sendable (Recipe) -> Bool) throws {
  let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  context.parent = parent
  try context.performAndWait {
    guard let recipe = try context.existingObject(with: id) as? Recipe else { return }
    if change(recipe) { try context.save() }
  }
}
