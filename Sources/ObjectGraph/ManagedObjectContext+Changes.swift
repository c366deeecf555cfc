import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Marks an object for deletion and applies the delete rules: cascades delete, nullified relationships lose it.
  /// `deny` is judged by the save. A new object is forgotten at once.
  /// - Throws: what the store throws while destinations are loaded. The object and those it cascades to are then not
  ///   all deleted; roll back or try again.
  public func delete(_ object: ManagedObject) throws {
    checkConfinement()
    // A list instead of recursion, so that a long chain of cascades does not exhaust the stack.
    var waiting = [object]
    while let next = waiting.popLast() {
      next.fire()
      try throwDeferredError()
      guard next.status == .loaded || next.status == .inserted else { continue }
      for (index, relationship) in next.runtime.layout.relationships.enumerated() {
        if relationship.description.deleteRule == .cascade { waiting += try destinations(of: next, index) }
        try letGo(of: next, index)
      }
      if next.isInserted {
        unregister(next.objectID)
        next.makeInert(.detached)
      } else {
        next.status = .deleted
        deleted.append(next)
      }
    }
    inserted.removeAll { !$0.isInserted }
  }

  /// Forgets what is loaded of an object; the next access loads it anew.
  /// - Parameter mergeChanges: load at once and keep changed attributes and to-one relationships; without it they are
  ///   lost.
  /// - Throws: what the store throws.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    checkConfinement()
    guard object.status == .loaded, let old = object.stored else { return }
    if !mergeChanges {
      forgetChanges(of: object)
      object.makeFault()
      return
    }
    guard let snapshot = try snapshot(of: object.objectID) else {
      forgetChanges(of: object)
      object.makeInert(.gone)
      return
    }
    object.stored = snapshot
    for (index, value) in object.values.enumerated() where value.isIdentical(to: old.attributes[index]) {
      object.values[index] = snapshot.attributes[index]
    }
    for (index, destination) in object.destinations.enumerated() where destination == old.toOne[index] {
      object.destinations[index] = snapshot.toOne[index]
    }
    if !object.hasEditedLists { object.memberLists = [] }
  }

  /// Takes back every change since the last save.
  public func rollback() {
    checkConfinement()
    for object in inserted {
      unregister(object.objectID)
      object.makeInert(.detached)
    }
    for object in touched + deleted + editedLists where object.status == .loaded || object.status == .deleted {
      if let stored = object.stored { object.load(stored) }
    }
    forgetPendingLists()
  }

  /// Forgets every object and every change; the objects must not be used any more.
  public func reset() {
    checkConfinement()
    inserted.forEach { $0.makeInert(.detached) }
    forgetRegistry()
    forgetPendingLists()
    deferredError = nil
  }

  /// Empties the lists of what a save would look at.
  func forgetPendingLists() {
    for object in touched { object.isTouched = false }
    for object in editedLists { object.hasEditedLists = false }
    inserted = []
    touched = []
    deleted = []
    editedLists = []
    deltas = [:]
  }

  private func forgetChanges(of object: ManagedObject) {
    if object.isTouched { touched.removeAll { $0 === object } }
    if object.hasEditedLists { editedLists.removeAll { $0 === object } }
    object.isTouched = false
    object.hasEditedLists = false
  }

  private func destinations(of object: ManagedObject, _ index: Int) throws -> [ManagedObject] {
    guard object.runtime.layout.relationships[index].isToMany else {
      return try object.destinations[index].flatMap { try existingObject(with: $0) }.map { [$0] } ?? []
    }
    try object.loadMembers(index)
    return try objects(with: object.memberLists[index]?.members() ?? [])
  }

  /// Takes a deleted object out of the inverse of one of its relationships.
  private func letGo(of object: ManagedObject, _ index: Int) throws {
    guard let inverse = object.runtime.layout.inverses[index] else { return }
    let relationship = object.runtime.layout.relationships[index]
    if inverse.isToMany && !relationship.isToMany {
      // Who is a member is said by the row that goes, whatever the delete rule.
      if let owner = object.destinations[index] { followRemoval(of: object.objectID, from: owner, inverse) }
      return
    }
    let rule = relationship.description.deleteRule
    guard rule == .nullify || rule == .cascade else { return }
    for destination in try destinations(of: object, index) {
      if inverse.isToMany {
        followRemoval(of: object.objectID, from: destination.objectID, inverse)
      } else if let back = destination.runtime.index(of: inverse),
        destination.currentDestination(back) == object.objectID
      {
        destination.destinations[back] = nil
        destination.touch()
      }
    }
  }
}
