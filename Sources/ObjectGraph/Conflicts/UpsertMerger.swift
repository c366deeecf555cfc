import ObjectModel
import StoreInterface

/// Joins objects with the same key into one, for all conflicts of a save together, so that the store is asked and all
/// objects are gone through only once.
struct UpsertMerger {
  private let context: ManagedObjectContext
  private let replaces: Bool
  /// Stored rows whose objects the context did not have.
  private var unknown: Set<ObjectID> = []
  /// Keeps what was loaded ahead until it is used.
  private var held: [ManagedObject] = []
  /// For an object, the objects that lead to it by relationships without inverse, which do not follow when its id
  /// changes.
  private var referrers: [ObjectID: Set<ObjectID>] = [:]
  /// Objects of stored rows → the new objects that took their places.
  private var replacements: [ManagedObject: ManagedObject] = [:]
  private var survivors: [ManagedObject] = []
  /// New objects whose values another object took over.
  private var given: [ManagedObject] = []

  /// - Parameter replaces: nulls and missing members of new objects count too.
  init(_ conflicts: [ConstraintConflict], _ context: ManagedObjectContext, replaces: Bool) throws {
    self.context = context
    self.replaces = replaces
    let open = conflicts.filter { !$0.openObjects.isEmpty }
    let snapshots = open.compactMap(\.persisted).filter {
      context.registeredObject(for: $0.objectID)?.isUnloaded ?? true
    }
    for snapshot in snapshots where context.registeredObject(for: snapshot.objectID) == nil {
      unknown.insert(snapshot.objectID)
    }
    if !snapshots.isEmpty { held = context.materialise([SnapshotBlock(snapshots)]) }
    let new = open.flatMap(\.conflictingObjects).filter(\.isInserted)
    held += try context.loadPartners(of: new)
    try loadMembers(of: open)
    findReferrers(of: Set(new.map(\.objectID)))
  }

  /// Makes one object of those in conflict: the stored one keeps its row, the others give it their values in turn.
  mutating func join(_ conflict: ConstraintConflict) throws {
    let objects = conflict.openObjects
    if objects.isEmpty { return }
    let changed = objects.filter { !$0.isInserted }
    let new = objects.filter(\.isInserted)
    let stored = storedObject(of: conflict)
    var keeper: ManagedObject
    if let last = changed.last {
      keeper = last
      // The object has this key now, so other stored objects with it are deleted.
      for other in changed.dropLast() { context.delete(other) }
      if let stored, stored !== last { context.delete(stored) }
    } else if let stored {
      keeper = stored
    } else if conflict.persisted == nil, let first = new.first {
      keeper = first
    } else {
      return
    }
    let isUnknown = unknown.contains(keeper.objectID)
    for object in new where object !== keeper {
      try give(object, to: keeper)
      if isUnknown, object === new.last { keeper = moveRow(keeper, into: object) }
    }
    survivors.append(keeper)
  }

  /// To be called in the end, also after an error.
  func finish() {
    if !replacements.isEmpty { context.pending.replace(replacements) }
    let present = survivors.filter { !$0.isInert && $0.status != .deleted }
    context.abandonEvent()
    context.noteLoss(of: given.filter(\.isInert))
    context.noteRefresh(of: present)
    for object in present { object.awake(fromSnapshotEvents: .mergePolicy) }
  }

  /// The object of the row in conflict; nil when there is none or it is deleted here.
  private func storedObject(of conflict: ConstraintConflict) -> ManagedObject? {
    guard let id = conflict.persisted?.objectID, let object = context.registeredObject(for: id) else { return nil }
    return object.status == .loaded ? object : nil
  }

  // MARK: - Looking ahead

  /// Loads the to-many relationships of stored objects that are going to get members.
  private func loadMembers(of conflicts: [ConstraintConflict]) throws {
    struct List: Hashable {
      var entity: Entity
      var name: String
    }
    var owners: [List: [ManagedObject]] = [:]
    for conflict in conflicts {
      let stored =
        conflict.conflictingObjects.filter { !$0.isInserted } + [storedObject(of: conflict)].compactMap(\.self)
      for new in conflict.conflictingObjects where new.isInserted {
        for (index, relationship) in new.runtime.layout.relationships.enumerated()
        where relationship.isToMany {
          if !replaces && new.memberLists[index]?.count == 0 { continue }
          for owner in stored where owner.runtime.layout.relationshipIndexes[relationship.name] != nil {
            owners[List(entity: owner.entity, name: relationship.name), default: []].append(owner)
          }
        }
      }
    }
    for (list, owners) in owners.sorted(by: { ($0.key.entity.index, $0.key.name) < ($1.key.entity.index, $1.key.name) })
    {
      try context.prefetch([[list.name]], for: owners)
    }
  }

  private mutating func findReferrers(of ids: Set<ObjectID>) {
    let coordinator = context.coordinator
    let places = coordinator.model.entities.map { entity in
      let inverses = coordinator.runtime(entity).layout.inverses
      return inverses.indices.filter { inverses[$0] == nil }
    }
    if places.allSatisfy(\.isEmpty) { return }
    for object in context.registry.all where !object.isUnloaded && !object.isInert {
      for index in places[object.entity.index] {
        for id in object.mentionedIDs(index) where ids.contains(id) {
          referrers[id, default: []].insert(object.objectID)
        }
      }
    }
  }

  // MARK: - Joining two

  /// Gives a new object's values, links and identity to another, and forgets it.
  private mutating func give(_ object: ManagedObject, to keeper: ManagedObject) throws {
    for (index, attribute) in object.runtime.layout.attributes.enumerated() where attribute.derivation == nil {
      guard let place = keeper.runtime.layout.attributeIndexes[attribute.name] else { continue }
      let value = object.values[index]
      if replaces || value != .null { keeper.setValue(value, at: place) }
    }
    for (index, relationship) in object.runtime.layout.relationships.enumerated() {
      let place = keeper.runtime.layout.relationshipIndexes[relationship.name]
      if place != nil, relationship.inverse == nil {
        for id in object.mentionedIDs(index) { referrers[id, default: []].insert(keeper.objectID) }
      }
      if relationship.isToMany {
        let members = try context.objects(with: object.objectIDs(for: relationship.name))
        try object.setObjects([], for: relationship.name)
        if place == nil || (members.isEmpty && !replaces) { continue }
        if replaces {
          try keeper.setObjects(members, for: relationship.name)
        } else {
          for member in members { try keeper.add(member, to: relationship.name) }
        }
      } else {
        let destination = object.destinations[index]
        object.setDestination(nil, at: index)
        if let place, destination != nil || replaces { keeper.setDestination(destination, at: place) }
      }
    }
    let ids = [object.objectID: keeper.objectID]
    context.unregister(object.objectID)
    if let mentioning = referrers.removeValue(forKey: object.objectID) {
      for id in mentioning { context.registeredObject(for: id)?.replaceIDs(ids) }
      referrers[keeper.objectID, default: []].formUnion(mentioning)
    }
    context.noteIDChanges(ids)
    object.makeInert(.detached)
    object.adopt(keeper.objectID)
    given.append(object)
  }

  /// The context has no object of the stored row, so the new object takes over the row.
  private mutating func moveRow(_ stored: ManagedObject, into object: ManagedObject) -> ManagedObject {
    guard stored.runtime === object.runtime else { return stored }
    object.replace(stored)
    replacements[stored] = object
    unknown.remove(object.objectID)
    stored.makeInert(.detached)
    context.register(object)
    return object
  }
}

extension ManagedObject {
  /// The destinations of a relationship of a loaded object, as far as they are loaded.
  fileprivate func mentionedIDs(_ index: Int) -> [ObjectID] {
    if runtime.links[index].isToMany {
      return loadedMembers(index) ?? []
    }
    return loadedDestination(index).map { [$0] } ?? []
  }
}
