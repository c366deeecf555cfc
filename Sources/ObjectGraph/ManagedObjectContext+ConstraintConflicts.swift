import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Has the merge policy settle what the store said would break a uniqueness constraint.
  func resolveConstraintConflicts(_ plan: SavePlan, _ error: StoreError) throws {
    let conflicts = try constraintConflicts(of: plan)
    // The store knows of a constraint that the model does not have.
    if conflicts.isEmpty { throw error }
    try settings.mergePolicy.resolve(constraintConflicts: conflicts)
  }

  /// Values for a constraint in one store: a constraint is about the rows of one store alone.
  private struct Place: Hashable {
    var store: String?
    var tuple: ValueTuple
  }

  /// Every set of objects of one store that would have the same values for a constraint.
  private func constraintConflicts(of plan: SavePlan) throws -> [ConstraintConflict] {
    let candidates = Array(
      zip(plan.updated + plan.inserted, plan.request.updated + plan.request.inserted))
    let replaced = Set(plan.request.updated.map(\.objectID) + plan.request.deleted.map(\.objectID))
    var conflicts: [ConstraintConflict] = []
    for constraint in UniquenessConstraint.all(ModelLayout(coordinator.model)) {
      var members: [Place: [ManagedObject]] = [:]
      var examples: [(place: Place, row: Snapshot)] = []
      for (object, row) in candidates {
        guard let tuple = constraint.values(of: row) else { continue }
        let place = Place(store: row.objectID.home.store, tuple: tuple)
        if members[place] == nil { examples.append((place, row)) }
        members[place, default: []].append(object)
      }
      var taken: [Place: Snapshot] = [:]
      for (store, examples) in Dictionary(grouping: examples, by: \.place.store) {
        guard let store else { continue }
        for row in try storedRows(constraint, like: examples.map(\.row), in: store)
        where !replaced.contains(row.objectID) {
          if let tuple = constraint.values(of: row) { taken[Place(store: store, tuple: tuple)] = row }
        }
      }
      for (place, row) in examples {
        let objects = members[place] ?? []
        let stored = taken[place]
        if objects.count + (stored == nil ? 0 : 1) < 2 { continue }
        let values = row.valuesByName.filter { constraint.properties.contains($0.key) }
        conflicts.append(
          ConstraintConflict(
            entity: constraint.entity, constraint: constraint.properties, constraintValues: values,
            databaseObjectID: stored?.objectID, databaseSnapshot: stored?.valuesByName, conflictingObjects: objects,
            conflictingSnapshots: objects.map { $0.currentValues() }))
      }
    }
    return conflicts
  }

  /// The rows of a store with the same values for a constraint as one of these.
  private func storedRows(
    _ constraint: UniquenessConstraint, like rows: [Snapshot], in store: String
  ) throws -> [Snapshot] {
    // The constraint is about every entity that has the properties.
    var entity = constraint.entity
    while let parent = entity.superentity,
      constraint.properties.allSatisfy({ parent.attribute($0) != nil || parent.relationship($0) != nil })
    {
      entity = parent
    }
    let isAttribute = constraint.properties.map { entity.attribute($0) != nil }
    var found: [Snapshot] = []
    let rowsPerFetch = isAttribute.contains(false) ? 200 : 5000
    for start in stride(from: 0, to: rows.count, by: rowsPerFetch) {
      let values = rows[start..<min(start + rowsPerFetch, rows.count)].map(\.valuesByName)
      var request = FetchRequest(entity)
      if isAttribute.contains(false) {
        request.predicate = .or(
          values.map { values in
            .and(
              constraint.properties.map { name in
                switch values[name] {
                case .attribute(let value): .comparison([name], .equal, value)
                case .toOne(let id): .refersTo([name], id)
                case .toMany, nil: .none
                }
              })
          })
      } else {
        request.predicate = .tupleIsIn(
          constraint.properties.map { [$0] },
          values.map { values in constraint.properties.map { values[$0]?.value ?? .null } })
      }
      found += try coordinator.snapshots(request, inStore: store)
    }
    return found
  }

  /// Settles one conflict as a policy of that kind does.
  func settle(_ conflict: ConstraintConflict, _ kind: MergePolicy.Kind) throws {
    // Another conflict of the same save may have settled some of them.
    let objects = conflict.conflictingObjects.filter { $0.isInserted || $0.isUpdated }
    if objects.count + (conflict.databaseObjectID == nil ? 0 : 1) < 2 { return }
    switch kind {
    case .mergeByPropertyObjectTrump, .overwrite: try join(objects, conflict, replacing: kind == .overwrite)
    case .mergeByPropertyStoreTrump, .rollback, .error:
      let losers = conflict.databaseObjectID == nil ? objects.dropFirst() : objects[...]
      for object in losers {
        if object.isInserted {
          delete(object)
        } else {
          takeBack(object, kind == .rollback ? nil : conflict.constraint)
        }
      }
    }
    propagateDeletes()
    try throwDeferredError()
  }

  /// Gives properties, or all for nil, their stored values; inverses follow.
  private func takeBack(_ object: ManagedObject, _ properties: [String]?) {
    guard let stored = object.stored else { return }
    let layout = object.runtime.layout
    for (index, attribute) in layout.attributes.enumerated() where properties?.contains(attribute.name) ?? true {
      if !attribute.isTransient { object.setValue(stored.attributes[index], at: index) }
    }
    for (index, relationship) in layout.relationships.enumerated() where properties?.contains(relationship.name) ?? true
    {
      if !relationship.isToMany { object.setDestination(stored.toOne[index], at: index) }
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Makes one object of several: the stored one keeps its row, the others give it their values in turn.
  private func join(_ objects: [ManagedObject], _ conflict: ConstraintConflict, replacing: Bool) throws {
    undoManager?.removeAllActions(withTarget: self)
    defer { abandonEvent() }
    let changed = objects.filter { !$0.isInserted }
    let new = objects.filter(\.isInserted)
    var wasRegistered = true
    let keeper: ManagedObject
    if let last = changed.last {
      keeper = last
      // The key is its own now: other stored objects that have it cannot stay.
      for other in changed.dropLast() { delete(other) }
      if let id = conflict.databaseObjectID, let other = try presentObject(with: id) { delete(other) }
    } else if let id = conflict.databaseObjectID {
      wasRegistered = registeredObject(with: id) != nil
      guard let object = try presentObject(with: id) else { return }
      keeper = object
    } else if let first = new.first {
      keeper = first
    } else {
      return
    }
    var survivor = keeper
    for object in new where object !== keeper {
      try give(object, to: survivor, replacing: replacing)
      if !wasRegistered, object === new.last { survivor = transplant(survivor, into: object) }
    }
    event.refreshed.append(survivor)
    survivor.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Gives a new object's values, links and identity to another, and forgets it.
  private func give(_ object: ManagedObject, to keeper: ManagedObject, replacing: Bool) throws {
    for (index, attribute) in object.runtime.layout.attributes.enumerated() where attribute.derivation == nil {
      guard let place = keeper.runtime.layout.attributeIndexes[attribute.name] else { continue }
      let value = object.values[index]
      if replacing || value != .null { keeper.setValue(value, at: place) }
    }
    for (index, relationship) in object.runtime.layout.relationships.enumerated() {
      let place = keeper.runtime.layout.relationshipIndexes[relationship.name]
      if relationship.isToMany {
        let members = try objects(with: object.objectIDs(for: relationship.name))
        try object.setObjects([], for: relationship.name)
        if place == nil || (members.isEmpty && !replacing) { continue }
        if replacing {
          try keeper.setObjects(members, for: relationship.name)
        } else {
          for member in members { try keeper.add(member, to: relationship.name) }
        }
      } else {
        let destination = object.destinations[index]
        object.setDestination(nil, at: index)
        if let place, destination != nil || replacing { keeper.setDestination(destination, at: place) }
      }
    }
    let ids = [object.objectID: keeper.objectID]
    unregister(object.objectID)
    forgetChanges(of: object)
    inserted.removeAll { $0 === object }
    for other in registeredObjects { other.replaceIDs(ids) }
    noteIDChanges(ids)
    object.makeInert(.detached)
    object.adopt(keeper.objectID)
  }

  /// Nobody has the stored row's object, so the new object becomes it.
  private func transplant(_ stored: ManagedObject, into object: ManagedObject) -> ManagedObject {
    guard stored.runtime === object.runtime else { return stored }
    object.adopt(stored.objectID)
    object.reservedID = nil
    object.values = stored.values
    object.destinations = stored.destinations
    object.memberLists = stored.memberLists
    object.stored = stored.stored
    object.status = stored.status
    object.isTouched = stored.isTouched
    object.hasEditedLists = stored.hasEditedLists
    touched = touched.map { $0 === stored ? object : $0 }
    editedLists = editedLists.map { $0 === stored ? object : $0 }
    stored.makeInert(.detached)
    register(object)
    return object
  }
}
