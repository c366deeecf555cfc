import Foundation
import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Validates all objects that the save concerns. Changes that validation makes are processed like those at the
  /// beginning of the save. Objects that join the save this way, and objects that another object's validation changed
  /// after their own, are notified and validated again. Changes that an object's validation makes to itself stand.
  /// - Parameter announced: see `announceSave`.
  /// - Returns: those objects.
  /// - Throws: `ValidationError` with the problems of all objects; a single error of a class as it is (`thrown`).
  func validate(_ announced: inout [ManagedObject: ObjectState]) throws -> SavedObjects {
    if !settings.validatesBeforeSaving {
      finishEvent(propagating: true)
      noteOwners()
      try throwDeferredError()
      try giveUpLostDestinations()
      try stateOrdersOfMembers()
      return SavedObjects(pending)
    }
    let greatestRounds = 1000
    var validated: [ManagedObject: (state: ObjectState, problems: [ValidationError.Problem])] = [:]
    for _ in 0..<greatestRounds {
      finishEvent(propagating: true)
      noteOwners()
      try throwDeferredError()
      try giveUpLostDestinations()
      try loadLimitedLists()
      try stateOrdersOfMembers()
      let concerned = SavedObjects(pending)
      // Only subclasses have hooks that could change something.
      if !concerned.contains(where: \.runtime.hasSubclass) {
        try finishValidation(concerned.flatMap { Self.problems($0, isConcerned: true) })
        return concerned
      }
      let eventCount = eventCount
      for object in concerned where validated[object].map({ !object.state.isSame(as: $0.state) }) ?? true {
        let problems = Self.problems(object)
        validated[object] = (object.state, problems)
      }
      if event.isEmpty && self.eventCount == eventCount {
        try finishValidation(concerned.flatMap { validated[$0]?.problems ?? [] })
        return concerned
      }
      try announceSave(&announced)
    }
    throw ContextError.endlessWillSave(rounds: greatestRounds)
  }

  /// - Parameter isConcerned: whether the object certainly concerns the save, as nothing changed since that was found.
  private static func problems(_ object: ManagedObject, isConcerned: Bool = false) -> [ValidationError.Problem] {
    do {
      switch object.status {
      case .inserted: try object.validateForInsert()
      // A new object that another one's validation deleted does not belong to the save any more.
      case .deleted: if object.hasStored { try object.validateForDelete() }
      default: if isConcerned || object.isUpdated { try object.validateForUpdate() }
      }
      return []
    } catch let error as ValidationError {
      return error.problems
    } catch {
      // Several errors that a class has put into one count one by one, as in Core Data.
      let several = (error as NSError).userInfo[CoreDataErrorKey.detailedErrors] as? [NSError] ?? []
      let errors: [any Error] = several.isEmpty ? [error] : several
      return errors.map {
        ValidationError.Problem(throwing: $0, objectID: object.objectID, entity: object.entity.name, property: nil)
      }
    }
  }

  private func finishValidation(_ found: [ValidationError.Problem]) throws {
    var problems = found
    for object in pending.editedLists where object.status == .loaded && !object.isUpdated {
      for index in object.memberLists.indices where object.memberLists[index] != nil {
        problems += object.listProblems(index)
      }
    }
    try throwDeferredError()
    if !problems.isEmpty { throw ValidationError(problems).thrown }
  }

  /// Loads the to-many relationships whose number of members is limited and that changed without being loaded.
  private func loadLimitedLists() throws {
    if pending.memberChanges.isEmpty || !coordinator.hasLimitedLists { return }
    let limited = pending.memberDeltas().filter { key, delta in
      let runtime = coordinator.runtime(key.owner.entity)
      let rules = runtime.layout.relationships[key.relationship].definition
      return runtime.hasCountLimit[key.relationship] && (delta.hasRemovals || rules.maximumCount > 0)
    }.keys.sorted { ($0.owner.primaryKey ?? 0, $0.relationship) < ($1.owner.primaryKey ?? 0, $1.relationship) }
    for (key, owner) in zip(limited, try objects(with: limited.map(\.owner))) where owner.status == .loaded {
      try owner.loadMembers(key.relationship)
    }
  }
}
