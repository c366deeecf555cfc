import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// The objects that a save concerns, by what it does with them.
  private struct Concerned {
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []

    /// Those that were not concerned before, or not in the same way.
    func subtracting(_ other: Concerned?) -> Concerned {
      guard let other else { return self }
      func rest(_ objects: KeyPath<Concerned, [ManagedObject]>) -> [ManagedObject] {
        let known = Set(other[keyPath: objects])
        return self[keyPath: objects].filter { !known.contains($0) }
      }
      return Concerned(inserted: rest(\.inserted), updated: rest(\.updated), deleted: rest(\.deleted))
    }
  }

  /// Validates all objects that the save concerns, each once. What validation changes is processed as at the beginning of
  /// the save, and the objects that come to it by that are told and validated too.
  /// - Parameter announced: see `announceSave`.
  /// - Throws: `ValidationError` with the problems of all objects.
  func validate(_ announced: inout [ManagedObject: ObjectState]) throws {
    let greatestRounds = 1000
    var problems: [ValidationError.Problem] = []
    var validated: Concerned?
    for _ in 0..<greatestRounds {
      finishEvent(propagating: true)
      try throwDeferredError()
      try loadLimitedLists()
      let all = Concerned(
        inserted: inserted.filter(\.isInserted), updated: touched.filter(\.isUpdated), deleted: deleted)
      let fresh = all.subtracting(validated)
      for object in fresh.inserted { problems += Self.problems(object, object.validateForInsert) }
      for object in fresh.updated { problems += Self.problems(object, object.validateForUpdate) }
      for object in fresh.deleted { problems += Self.problems(object, object.validateForDelete) }
      if event.isEmpty { return try finishValidation(problems) }
      validated = all
      try announceSave(&announced)
    }
    throw ContextError.endlessWillSave(rounds: greatestRounds)
  }

  private static func problems(
    _ object: ManagedObject, _ check: () throws -> Void
  ) -> [ValidationError.Problem] {
    do {
      try check()
      return []
    } catch let error as ValidationError {
      return error.problems
    } catch {
      return [
        ValidationError.Problem(
          objectID: object.objectID, entity: object.entity.name, property: nil, code: .custom, message: "\(error)")
      ]
    }
  }

  private func finishValidation(_ found: [ValidationError.Problem]) throws {
    var problems = found
    for object in editedLists where object.status == .loaded && !object.isUpdated {
      for index in object.memberLists.indices where object.memberLists[index] != nil {
        problems += object.listProblems(index)
      }
    }
    try throwDeferredError()
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  /// Loads the to-many relationships whose number of members is limited and that changed without being loaded.
  private func loadLimitedLists() throws {
    if memberChanges.isEmpty || !coordinator.hasLimitedLists { return }
    let limited = memberChanges.byRelationship().filter { key, delta in
      let runtime = coordinator.runtime(key.owner.entity)
      let rules = runtime.layout.relationships[key.relationship].description
      return runtime.hasCountLimit[key.relationship] && (delta.hasRemovals || rules.maximumCount > 0)
    }.keys.sorted { ($0.owner.primaryKey ?? 0, $0.relationship) < ($1.owner.primaryKey ?? 0, $1.relationship) }
    for (key, owner) in zip(limited, try objects(with: limited.map(\.owner))) where owner.status == .loaded {
      try owner.loadMembers(key.relationship)
    }
  }
}
