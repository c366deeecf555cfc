import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Writes all changes to the store in one transaction. After an error nothing is written, the context is as it was
  /// (but for what `willSave` changed), and it can be saved again.
  ///
  /// An object counts as changed when an attribute or to-one relationship differs from the store, or a to-many
  /// relationship that its own row has to say (many-to-many, without inverse, an order) was set through it. Objects
  /// without such a change are not written and keep their version.
  /// - Throws: `ValidationError` with the problems of all objects, `StoreError`, `ContextError.endlessWillSave`.
  public func save() throws {
    checkConfinement()
    try throwDeferredError()
    if !hasChanges { return }
    try announceSave()
    try validate()
    let plan = try SavePlan(self)
    try throwDeferredError()
    try coordinator.store.save(plan.request)
    commit(plan)
  }

  private func announceSave() throws {
    let greatestRounds = 1000
    var announced: Set<ManagedObject> = []
    for _ in 0..<greatestRounds {
      let changed = inserted.filter(\.isInserted) + touched.filter(\.isUpdated) + deleted
      let fresh = changed.filter { announced.insert($0).inserted }
      if fresh.isEmpty { return }
      fresh.forEach { $0.willSave() }
    }
    throw ContextError.endlessWillSave(rounds: greatestRounds)
  }

  private func validate() throws {
    try loadLimitedLists()
    var problems: [ValidationError.Problem] = []
    func collect(_ object: ManagedObject, _ check: () throws -> Void) {
      do {
        try check()
      } catch let error as ValidationError {
        problems += error.problems
      } catch {
        problems.append(
          ValidationError.Problem(
            objectID: object.objectID, entity: object.entity.name, property: nil, code: .custom, message: "\(error)"))
      }
    }
    for object in inserted where object.isInserted { collect(object, object.validateForInsert) }
    for object in touched where object.isUpdated { collect(object, object.validateForUpdate) }
    for object in deleted { collect(object, object.validateForDelete) }
    for object in editedLists where object.status == .loaded && !object.isUpdated {
      for index in object.memberLists.indices where object.memberLists[index] != nil {
        problems += object.countProblems(index)
      }
    }
    try throwDeferredError()
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  /// Loads the to-many relationships whose number of members is limited and that changed without being loaded.
  private func loadLimitedLists() throws {
    let limited = deltas.filter { key, delta in
      let runtime = coordinator.runtime(key.owner.entity)
      let rules = runtime.layout.relationships[key.relationship].description
      return runtime.hasCountLimit[key.relationship] && (delta.hasRemovals || rules.maximumCount > 0)
    }.keys.sorted { ($0.owner.primaryKey ?? 0, $0.relationship) < ($1.owner.primaryKey ?? 0, $1.relationship) }
    for (key, owner) in zip(limited, try objects(with: limited.map(\.owner))) where owner.status == .loaded {
      try owner.loadMembers(key.relationship)
    }
  }

  private func commit(_ plan: SavePlan) {
    for (object, snapshot) in zip(plan.inserted, plan.request.inserted) {
      unregister(object.objectID)
      object.adopt(snapshot.objectID)
      object.reservedID = nil
      object.stored = snapshot
      object.destinations = snapshot.toOne
      object.status = .loaded
      register(object)
    }
    for (object, snapshot) in zip(plan.updated, plan.request.updated) {
      var saved = snapshot
      saved.version += 1
      object.stored = saved
      object.destinations = saved.toOne
    }
    for object in editedLists where object.status == .loaded {
      for index in object.memberLists.indices { object.memberLists[index]?.commit(plan.permanentIDs) }
    }
    for object in plan.deleted {
      unregister(object.objectID)
      object.makeInert(.gone)
    }
    forgetPendingLists()
    (plan.inserted + plan.updated + plan.deleted).forEach { $0.didSave() }
  }
}

/// What a save writes, worked out without changing any object's values.
private struct SavePlan {
  let inserted: [ManagedObject]
  let updated: [ManagedObject]
  let deleted: [ManagedObject]
  /// Temporary → permanent, of new objects.
  private(set) var permanentIDs: [ObjectID: ObjectID] = [:]
  private(set) var request = SaveRequest()

  init(_ context: ManagedObjectContext) throws {
    inserted = context.inserted.filter(\.isInserted)
    updated = context.touched.filter(\.isUpdated)
    deleted = context.deleted

    // Keys that a failed save reserved are used again, so that they follow the order of insertion all the same.
    let keyless = inserted.filter { $0.reservedID == nil }
    for (object, id) in zip(keyless, try context.coordinator.permanentIDs(for: keyless.map(\.entity))) {
      object.reservedID = id
    }
    permanentIDs.reserveCapacity(inserted.count)
    for object in inserted { permanentIDs[object.objectID] = object.reservedID }

    request.inserted = inserted.map { snapshot(of: $0, version: 1) }
    request.updated = updated.map { snapshot(of: $0, version: $0.stored?.version ?? 0) }
    request.deleted = deleted.map { (objectID: $0.objectID, version: $0.stored?.version ?? 0) }
    for object in context.editedLists where object.status == .loaded || object.isInserted {
      for index in object.memberLists.indices where object.isListWritten(index) {
        let members = object.memberLists[index]?.members() ?? []
        request.toMany.append(
          SaveRequest.ToManyChange(
            owner: permanent(object.objectID), relationshipName: object.runtime.layout.relationships[index].name,
            members: members.map { permanent($0) }))
      }
    }
  }

  private func permanent(_ id: ObjectID) -> ObjectID { id.isTemporary ? permanentIDs[id] ?? id : id }

  private func snapshot(of object: ManagedObject, version: Int64) -> Snapshot {
    var attributes = object.values
    for (index, attribute) in object.runtime.layout.attributes.enumerated() where attribute.isTransient {
      attributes[index] = .null
    }
    return Snapshot(
      objectID: permanent(object.objectID), version: version, attributes: attributes,
      toOne: object.destinations.map { $0.map { permanent($0) } })
  }
}
