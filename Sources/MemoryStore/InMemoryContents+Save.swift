import Foundation
import ObjectModel
import Predicates
import StoreInterface

extension InMemoryContents {
  /// Writes everything or nothing: all checks come before the first change, but for those of derived values.
  mutating func save(_ request: SaveRequest) throws(StoreError) {
    if derivations.isEmpty { return try apply(request) }
    var request = request
    request.inserted = keepingDerivedValues(request.inserted)
    request.updated = keepingDerivedValues(request.updated)
    let before = constraints.contains(where: \.hasDerivedPart) ? self : nil
    trace = SaveTrace()
    do {
      try apply(request)
      try derive(now: Date())
    } catch {
      if let before { self = before }
      trace = nil
      throw error
    }
  }

  private mutating func apply(_ request: SaveRequest) throws(StoreError) {
    try checkRows(request)
    try checkVersions(request)
    try checkToMany(request)
    let tuples = try checkConstraints(request)

    for deletion in request.deleted { remove(deletion.objectID) }
    // By primary key, since that is the order in which new members come last where no list says their places, as in a
    // SQLite store.
    let written = request.updated.map { ($0, Snapshot.version(after: $0.version)) } + request.inserted.map { ($0, 1) }
    for (snapshot, version) in written.sorted(by: { $0.0.objectID.primaryKey ?? 0 < $1.0.objectID.primaryKey ?? 0 }) {
      write(snapshot, version: version)
    }
    for (constraint, added) in tuples.enumerated() {
      uniqueRows[constraint].merge(added) { _, new in new }
    }
    for change in request.toMany { write(change) }
  }

  // MARK: - Checks

  private func checkRows(_ request: SaveRequest) throws(StoreError) {
    var seen = Set<ObjectID>()
    for snapshot in request.inserted + request.updated {
      let entity = snapshot.objectID.entity
      let entityLayout = layout[entity]
      guard key(snapshot.objectID) != nil else { throw .failure("\(entity.name): the id is not one of this store") }
      guard snapshot.attributes.count == entityLayout.attributes.count,
        snapshot.toOne.count == entityLayout.relationships.count
      else { throw .failure("\(entity.name): the snapshot does not have the entity's properties") }
      if snapshot.toOne.contains(where: { $0.map { key($0) == nil } ?? false }) {
        throw .failure("\(entity.name): a to-one relationship leads to an object that is not in this store")
      }
    }
    for snapshot in request.inserted {
      let entity = snapshot.objectID.entity
      if entity.isAbstract { throw .failure("\(entity.name) is abstract; it has no objects") }
      if let key = key(snapshot.objectID), rows[key.root][key.primaryKey] != nil {
        throw .failure("\(entity.name): primary key \(key.primaryKey) is taken")
      }
    }
    let ids = request.insertedIDs + request.updatedIDs + request.deletedIDs
    for id in ids where !seen.insert(id).inserted {
      throw .failure("\(id.entity.name): an object occurs twice in one save")
    }
  }

  private func checkVersions(_ request: SaveRequest) throws(StoreError) {
    let expected =
      request.updated.map { (objectID: $0.objectID, version: $0.version) } + request.deleted
      + request.checked
    let stale = expected.compactMap { id, version in
      let found = storedSnapshot(id)?.version
      return found == version ? nil : (objectID: id, expected: version, found: found)
    }
    if !stale.isEmpty { throw .optimisticLockingFailure(stale) }
  }

  private func checkToMany(_ request: SaveRequest) throws(StoreError) {
    for change in request.toMany {
      guard let index = layout[change.owner.entity].relationshipIndexes[change.relationshipName],
        layout[change.owner.entity].relationships[index].isToMany
      else {
        throw .failure("\(change.owner.entity.name) has no to-many relationship \"\(change.relationshipName)\"")
      }
      if key(change.owner) == nil || change.members.contains(where: { key($0) == nil }) {
        throw .failure("\(change.owner.entity.name).\(change.relationshipName): an id is not one of this store")
      }
    }
  }

  /// The tuples that the save adds, by constraint.
  private func checkConstraints(_ request: SaveRequest) throws(StoreError) -> [[ValueTuple: RowKey]] {
    var added: [[ValueTuple: RowKey]] = Array(repeating: [:], count: constraints.count)
    let touched = Set((request.updatedIDs + request.deletedIDs).compactMap { key($0) })
    for snapshot in request.updated + request.inserted {
      guard let rowKey = key(snapshot.objectID) else { continue }
      for (index, constraint) in constraints.enumerated() where !constraint.hasDerivedPart {
        guard let tuple = constraint.values(of: snapshot) else { continue }
        // A row that this save changes or deletes gives up its old values first.
        let stored = uniqueRows[index][tuple].flatMap { touched.contains($0) ? nil : $0 }
        if added[index].updateValue(rowKey, forKey: tuple) != nil || stored != nil {
          throw constraint.conflict(tuple)
        }
      }
    }
    return added
  }

  func key(_ objectID: ObjectID) -> RowKey? {
    guard case .permanent(storeIdentifier, let primaryKey) = objectID.reference else { return nil }
    return RowKey(root: objectID.entity.root.index, primaryKey: primaryKey)
  }

  // MARK: - Changes

  private mutating func write(_ snapshot: Snapshot, version: Int64) {
    guard let key = key(snapshot.objectID) else { return }
    let old = rows[key.root][key.primaryKey]
    trace?.noteSaved(snapshot.objectID, before: old)
    var new = snapshot
    new.version = version
    let entityLayout = layout[snapshot.objectID.entity]
    for (index, attribute) in entityLayout.attributes.enumerated() {
      if attribute.isTransient {
        new.attributes[index] = .null
      } else if case .composite = new.attributes[index] {
        new.attributes[index] = attribute.normalized(new.attributes[index])
      }
    }
    if let old { forgetUniqueValues(of: old, key) }
    rows[key.root][key.primaryKey] = new
    greatestPrimaryKeys[key.root] = max(greatestPrimaryKeys[key.root], key.primaryKey)
    for (index, inverse) in entityLayout.inverses.enumerated() {
      guard let inverse, inverse.isToMany, !entityLayout.relationships[index].isToMany else { continue }
      let before = old?.toOne[index]
      let after = new.toOne[index]
      if before == after { continue }
      if let before { removeMember(new.objectID, from: before, inverse.name) }
      if let after { addMember(new.objectID, to: after, inverse.name) }
    }
  }

  private mutating func remove(_ objectID: ObjectID) {
    guard let key = key(objectID), let old = rows[key.root].removeValue(forKey: key.primaryKey) else { return }
    trace?.note(objectID, before: old)
    forgetUniqueValues(of: old, key)
    let entityLayout = layout[objectID.entity]
    for (index, relationship) in entityLayout.relationships.enumerated() {
      let inverse = entityLayout.inverses[index]
      if !relationship.isToMany {
        if let inverse, inverse.isToMany, let owner = old.toOne[index] {
          removeMember(objectID, from: owner, inverse.name)
        }
        continue
      }
      let ownKey = OwnerKey(owner: objectID, relationship: relationship.name)
      let members = memberships.removeValue(forKey: ownKey)?.orderKeys.keys.map { $0 } ?? []
      trace?.formerMembers[ownKey] = members
      for member in members {
        if let inverse {
          if inverse.isToMany { removeMember(objectID, from: member, inverse.name) }
        } else {
          solitaryOwners[OwnerKey(owner: member, relationship: solitaryName(relationship))] = nil
        }
      }
    }
    for relationship in layout.solitaryRelationships(to: objectID.entity) {
      let name = solitaryName(relationship)
      if let owner = solitaryOwners.removeValue(forKey: OwnerKey(owner: objectID, relationship: name)) {
        removeMember(objectID, from: owner, relationship.name)
      }
    }
  }

  /// Old members leave, new ones come, and the other side follows.
  private mutating func write(_ change: SaveRequest.ToManyChange) {
    let entityLayout = layout[change.owner.entity]
    guard let index = entityLayout.relationshipIndexes[change.relationshipName] else { return }
    let relationship = entityLayout.relationships[index]
    let inverse = entityLayout.inverses[index]
    let ownKey = OwnerKey(owner: change.owner, relationship: relationship.name)
    let before = memberships[ownKey]?.orderKeys ?? [:]
    var after = Membership()
    if let inverse, !inverse.isToMany {
      // The to-one side has the members; this list has their order, and members that it leaves out come last.
      for member in change.members where before[member] != nil { after.append(member) }
      for member in members(of: change.owner, relationship: relationship) { after.append(member) }
      memberships[ownKey] = after.orderKeys.isEmpty ? nil : after
      return
    }
    let wanted = newMembers(change, of: relationship).filter { before[$0] != nil || storedSnapshot($0) != nil }
    for member in wanted { after.append(member) }
    memberships[ownKey] = after.orderKeys.isEmpty ? nil : after
    trace?.owners.insert(ownKey)
    for member in before.keys where after.orderKeys[member] == nil {
      if let inverse {
        removeMember(change.owner, from: member, inverse.name)
      } else {
        solitaryOwners[OwnerKey(owner: member, relationship: solitaryName(relationship))] = nil
      }
    }
    for member in wanted where before[member] == nil {
      if let inverse {
        addMember(change.owner, to: member, inverse.name)
      } else {
        let memberKey = OwnerKey(owner: member, relationship: solitaryName(relationship))
        if let previous = solitaryOwners.updateValue(change.owner, forKey: memberKey), previous != change.owner {
          removeMember(member, from: previous, relationship.name)
        }
      }
    }
  }

  private func newMembers(_ change: SaveRequest.ToManyChange, of relationship: Relationship) -> [ObjectID] {
    guard let before = change.membersBefore else { return change.members }
    return MembershipMerge.merged(
      change.members, from: before, onto: members(of: change.owner, relationship: relationship),
      isOrdered: relationship.isOrdered)
  }

  private mutating func addMember(_ member: ObjectID, to owner: ObjectID, _ relationship: String) {
    let key = OwnerKey(owner: owner, relationship: relationship)
    trace?.owners.insert(key)
    memberships[key, default: Membership()].append(member)
  }

  private mutating func removeMember(_ member: ObjectID, from owner: ObjectID, _ relationship: String) {
    let key = OwnerKey(owner: owner, relationship: relationship)
    trace?.owners.insert(key)
    memberships[key]?.orderKeys[member] = nil
    if memberships[key]?.orderKeys.isEmpty == true { memberships[key] = nil }
  }

  private mutating func forgetUniqueValues(of snapshot: Snapshot, _ key: RowKey) {
    for (index, constraint) in constraints.enumerated() {
      guard let tuple = constraint.values(of: snapshot), uniqueRows[index][tuple] == key else { continue }
      uniqueRows[index][tuple] = nil
    }
  }

  /// The relationship's name within the member's row, with the entity that declares it.
  func solitaryName(_ relationship: Relationship) -> String {
    relationship.declaringEntity.name + "." + relationship.name
  }
}

extension ModelLayout {
  /// The to-many relationships without inverse whose destination the entity is, as their declaring entities have them.
  fileprivate func solitaryRelationships(to entity: Entity) -> [Relationship] {
    layouts.flatMap { owner in
      owner.relationships.filter {
        $0.isToMany && $0.definition.inverseName == nil && entity.isKind(of: $0.destination)
          && $0.declaringEntity == owner.entity
      }
    }
  }
}
