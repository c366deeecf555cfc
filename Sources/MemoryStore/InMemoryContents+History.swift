import ObjectModel
import Predicates
import StoreInterface

extension InMemoryContents {
  /// The change of an object in a save.
  struct Change {
    var object: ObjectID
    var type: PersistentHistoryChangeType
    var properties: Set<String> = []
    var tombstone: [String: Value] = [:]
  }

  private struct ToManySide: Hashable {
    var owner: ObjectID
    var name: String
  }

  /// Saves, and records what was changed where a history is kept.
  mutating func saveRecording(_ request: SaveRequest) throws(StoreError) {
    guard history != nil else { return try save(request) }
    let before = self
    try save(request)
    let changes = changes(since: before, request)
    history?.append(changes, request, store: storeIdentifier)
  }

  private func changes(since before: InMemoryContents, _ request: SaveRequest) -> [Change] {
    var changes: [Change] = []
    for deletion in request.deleted {
      guard let snapshot = before.storedSnapshot(deletion.objectID) else { continue }
      changes.append(Change(object: snapshot.objectID, type: .delete, tombstone: tombstone(of: snapshot)))
    }
    var names: [ObjectID: Set<String>] = [:]
    var order: [ObjectID] = []
    func note(_ id: ObjectID, _ changed: Set<String>) {
      if changed.isEmpty { return }
      if names[id] == nil { order.append(id) }
      names[id, default: []].formUnion(changed)
    }
    for snapshot in request.updated {
      guard let old = before.storedSnapshot(snapshot.objectID), let new = storedSnapshot(snapshot.objectID) else {
        continue
      }
      note(new.objectID, changedNames(old, new))
    }
    // For a relationship without an inverse, the history has an update only when a save sets the members, not when a
    // member is deleted.
    let stated = Set(request.toMany.map { ToManySide(owner: $0.owner, name: $0.relationshipName) })
    for id in possibleOwners(before, request) where before.storedSnapshot(id) != nil && storedSnapshot(id) != nil {
      note(
        id,
        Set(
          id.entity.relationships.filter { relationship in
            relationship.isToMany
              && (relationship.inverse != nil || stated.contains(ToManySide(owner: id, name: relationship.name)))
          }.filter { before.members(of: id, relationship: $0) != members(of: id, relationship: $0) }.map(\.name)))
    }
    changes += order.map { Change(object: $0, type: .update, properties: names[$0] ?? []) }
    changes += request.inserted.map { Change(object: $0.objectID, type: .insert) }
    return changes
  }

  private func changedNames(_ old: Snapshot, _ new: Snapshot) -> Set<String> {
    let layout = layout[new.objectID.entity]
    let attributes = layout.attributes.indices.filter { index in
      !layout.attributes[index].isTransient && !old.attributes[index].isIdentical(to: new.attributes[index])
    }
    let relationships = layout.relationships.indices.filter { old.toOne[$0] != new.toOne[$0] }
    return Set(attributes.map { layout.attributes[$0].name } + relationships.map { layout.relationships[$0].name })
  }

  /// The objects whose to-many relationships the save can have changed.
  private func possibleOwners(_ before: InMemoryContents, _ request: SaveRequest) -> [ObjectID] {
    var owners: [ObjectID] = []
    for snapshot in request.inserted + request.updated {
      owners += (before.storedSnapshot(snapshot.objectID)?.toOne ?? []).compactMap(\.self)
      owners += snapshot.toOne.compactMap(\.self)
    }
    for deletion in request.deleted {
      guard let snapshot = before.storedSnapshot(deletion.objectID) else { continue }
      owners += snapshot.toOne.compactMap(\.self)
      for relationship in snapshot.objectID.entity.relationships where relationship.isToMany {
        owners += before.members(of: snapshot.objectID, relationship: relationship)
      }
    }
    for change in request.toMany {
      owners.append(change.owner)
      owners += change.members
      if let relationship = change.owner.entity.relationship(change.relationshipName) {
        owners += before.members(of: change.owner, relationship: relationship)
      }
    }
    var seen: Set<ObjectID> = []
    return owners.filter { seen.insert($0).inserted }
  }

  private func tombstone(of snapshot: Snapshot) -> [String: Value] {
    var values: [String: Value] = [:]
    for (attribute, value) in zip(layout[snapshot.objectID.entity].attributes, snapshot.attributes)
    where attribute.preservesValueInHistoryOnDeletion && !attribute.isTransient && value != .null {
      values[attribute.name] = value
    }
    return values
  }
}
