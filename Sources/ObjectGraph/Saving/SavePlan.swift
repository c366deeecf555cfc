import ObjectModel
import StoreInterface

/// The changes that a save writes, computed without changing any object.
struct SavePlan {
  let objects: SavedObjects
  private let context: ManagedObjectContext
  private(set) var request = SaveRequest()
  /// Inserted and updated snapshots that lead to objects without permanent ids, by position.
  private var unresolved: (inserted: [Int], updated: [Int]) = ([], [])

  private var isChild: Bool { context.parent != nil }

  /// A plan in which new objects have no permanent ids yet: `finish` gives them theirs.
  /// - Parameter objects: what the save concerns, validated.
  init(_ context: ManagedObjectContext, _ objects: SavedObjects) {
    self.objects = objects
    self.context = context
    request.author = context.settings.transactionAuthor
    request.contextName = context.name
    request.keepsVersionsOfNewOwners = !context.settings.updatesOwners
    let updated = objects.updated
    request.inserted = objects.inserted.map { snapshot(of: $0, version: isChild ? 0 : 1) }
    request.updated = updated.map { snapshot(of: $0, version: $0.storedVersion ?? 0) }
    if !isChild {
      unresolved = (leadingToTemporary(request.inserted), leadingToTemporary(request.updated))
      if updated.allSatisfy(\.runtime.tellsPropertiesApart) {
        request.updatedProperties = updated.map(\.changedProperties)
      }
    }
    if !isChild && !context.pending.watched.isEmpty {
      request.checked = context.pending.watched.filter { $0.status == .loaded && !$0.isUpdated }.compactMap { object in
        object.storedVersion.map { (objectID: object.objectID, version: $0) }
      }
    }
    request.deleted = objects.deleted.map { (objectID: $0.objectID, version: $0.storedVersion ?? 0) }
  }

  /// Gives new objects their permanent ids and adds the members of to-many relationships. Asks the store, and changes
  /// no object but for that.
  mutating func finish() throws {
    if !isChild { try reserveIDs() }
    for object in context.pending.editedLists where object.status == .loaded || object.isInserted {
      for index in object.memberLists.indices where object.isListWritten(index) {
        guard var list = object.memberLists[index] else { continue }
        request.toMany.append(
          SaveRequest.ToManyChange(
            owner: permanent(object.objectID), relationshipName: object.runtime.layout.relationships[index].name,
            members: list.members().map { permanent($0) }, membersBefore: list.isOverwriting ? nil : list.stored))
      }
    }
  }

  private mutating func reserveIDs() throws {
    let inserted = objects.inserted
    // Keys that a failed save reserved are used again, so that they follow the order of insertion all the same.
    let keyless = inserted.contains(where: \.hasReservedID) ? inserted.filter { !$0.hasReservedID } : inserted
    let ids = try context.reserveIDs(for: keyless)
    var next = 0
    // In one pass, since every look at many objects waits for memory.
    for index in inserted.indices {
      if inserted[index].hasReservedID {
        request.inserted[index].objectID = permanent(inserted[index])
      } else {
        inserted[index].reserve(ids[next])
        if inserted[index].objectID.isTemporary { request.inserted[index].objectID = ids[next] }
        next += 1
      }
    }
    for index in unresolved.inserted {
      request.inserted[index].toOne = permanent(destinations: request.inserted[index].toOne)
    }
    for index in unresolved.updated {
      request.updated[index].toOne = permanent(destinations: request.updated[index].toOne)
    }
  }

  private func permanent(destinations: [ObjectID?]) -> [ObjectID?] {
    destinations.map { destination in destination.map { $0.isTemporary ? permanent($0) : $0 } }
  }

  private func leadingToTemporary(_ snapshots: [Snapshot]) -> [Int] {
    snapshots.indices.filter { index in
      snapshots[index].edited == nil && snapshots[index].ownToOne.contains { $0?.isTemporary == true }
    }
  }

  /// The changes for the parent context.
  var childSave: ManagedObjectContext.ChildSave {
    ManagedObjectContext.ChildSave(
      inserted: request.inserted, stores: objects.inserted.map(\.assignedStore),
      // The parent's owners are updated through their members, so updates of owners alone are left out.
      updated: zip(objects.updated, request.updated).compactMap { object, after in
        guard object.differsFromStored(countingTransients: true) else { return nil }
        return object.stored.map { ManagedObjectContext.ChildSave.Update(before: $0, after: after) }
      },
      deleted: request.deletedIDs,
      members: request.toMany)
  }

  /// Temporary → permanent, of new objects that have not got their permanent id yet. Empty in a child context, whose
  /// objects keep their temporary ids.
  var permanentIDs: [ObjectID: ObjectID] {
    if context.parent != nil { return [:] }
    var ids: [ObjectID: ObjectID] = [:]
    for object in objects.inserted where object.objectID.isTemporary { ids[object.objectID] = object.reservedID }
    return ids
  }

  /// The id that an object has after the save.
  private func permanent(_ id: ObjectID) -> ObjectID {
    guard id.isTemporary, context.parent == nil, let object = context.registeredObject(for: id), object.isInserted
    else { return id }
    return object.reservedID ?? id
  }

  /// A child's snapshots keep transient attributes, for the parent's objects have them too.
  private func snapshot(of object: ManagedObject, version: Int64) -> Snapshot {
    if !isChild, let edited = object.unsavedEdits {
      return Snapshot(edited, objectID: object.objectID, version: version)
    }
    var attributes = object.values
    if !isChild && !object.runtime.transientAttributes.isEmpty {
      for index in object.runtime.transientAttributes { attributes[index] = .null }
    }
    return Snapshot(objectID: object.objectID, version: version, attributes: attributes, toOne: object.destinations)
  }

  private func permanent(_ object: ManagedObject) -> ObjectID {
    if object.isInserted, context.parent == nil, object.objectID.isTemporary, let id = object.reservedID { return id }
    return object.objectID
  }
}
