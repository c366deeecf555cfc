import ObjectModel
import Predicates
import StoreInterface

extension InMemoryContents {
  /// The greatest primary key that is accepted, so that adding to a counter never overflows.
  static let greatestAcceptedKey: Int64 = 1 << 62

  /// Fills empty contents. Contents that saves could not have made are refused. Derived attributes other than `now()`
  /// are computed, and the file's values for them ignored.
  mutating func load(_ file: StoreContents, model: ManagedObjectModel) throws(StoreError) {
    for (name, next) in file.nextPrimaryKeys {
      guard let entity = model[name], entity.superentity == nil else {
        throw .failure("\"\(name)\" is no root entity of the model")
      }
      guard (1...Self.greatestAcceptedKey).contains(next) else {
        throw .failure("\(name): the next primary key cannot be \(next)")
      }
      greatestPrimaryKeys[entity.index] = next - 1
    }
    for snapshot in file.snapshots { try loadRow(snapshot) }
    for snapshot in file.snapshots { try loadDestinations(of: snapshot) }
    var seen = Set<OwnerKey>()
    for list in file.toMany {
      let owner = OwnerKey(owner: list.owner, relationship: list.relationshipName)
      guard seen.insert(owner).inserted else {
        throw .failure("\(describe(list.owner)).\(list.relationshipName) is given twice")
      }
      try loadList(list)
    }
    try checkSymmetry(of: file.toMany)
    if !derivations.isEmpty { try deriveEverything() }
  }

  private mutating func loadRow(_ snapshot: Snapshot) throws(StoreError) {
    let entity = snapshot.objectID.entity
    let own = layout[entity]
    guard let rowKey = key(snapshot.objectID), rowKey.primaryKey >= 1, rowKey.primaryKey < Self.greatestAcceptedKey
    else { throw .failure("\(entity.name): an object's id is not one of this store") }
    guard !entity.isAbstract else { throw .failure("\(entity.name) is abstract; it has no objects") }
    guard snapshot.attributes.count == own.attributes.count, snapshot.toOne.count == own.relationships.count else {
      throw .failure("\(describe(snapshot.objectID)) does not have its entity's properties")
    }
    guard rows[rowKey.root].updateValue(snapshot, forKey: rowKey.primaryKey) == nil else {
      throw .failure("two objects have the id \(describe(snapshot.objectID))")
    }
    greatestPrimaryKeys[rowKey.root] = max(greatestPrimaryKeys[rowKey.root], rowKey.primaryKey)
    for (index, constraint) in constraints.enumerated() {
      guard let tuple = constraint.values(of: snapshot) else { continue }
      if uniqueRows[index].updateValue(rowKey, forKey: tuple) != nil {
        let names = constraint.properties.joined(separator: ", ")
        throw .failure("two objects of \(constraint.entity.name) have the same \(names): \(tuple.values)")
      }
    }
  }

  private mutating func loadDestinations(of snapshot: Snapshot) throws(StoreError) {
    let own = layout[snapshot.objectID.entity]
    for (index, relationship) in own.relationships.enumerated() {
      guard let destination = snapshot.toOne[index] else { continue }
      let place = "\(describe(snapshot.objectID)).\(relationship.name)"
      guard !relationship.isToMany else { throw .failure("\(place) is to-many and cannot have one destination") }
      guard let rowKey = key(destination), destination.entity.isKind(of: relationship.destination) else {
        throw .failure("\(place) leads to \(describe(destination)), which it cannot lead to")
      }
      let found = rows[rowKey.root][rowKey.primaryKey]
      // A relationship without a delete rule may lead to a deleted object, but not to one that never existed.
      guard found == nil ? isGivenOut(rowKey) : found?.objectID == destination
      else { throw .failure("\(place) leads to \(describe(destination)), which does not exist") }
      if found != nil, let inverse = own.inverses[index], inverse.isToMany {
        memberships[OwnerKey(owner: destination, relationship: inverse.name), default: Membership()]
          .append(snapshot.objectID)
      }
    }
  }

  private mutating func loadList(_ list: SaveRequest.ToManyChange) throws(StoreError) {
    let own = layout[list.owner.entity]
    let place = "\(describe(list.owner)).\(list.relationshipName)"
    guard storedSnapshot(list.owner) != nil else { throw .failure("\(place): the object does not exist") }
    guard let index = own.relationshipIndexes[list.relationshipName], own.relationships[index].isToMany else {
      throw .failure("\(place) is no to-many relationship")
    }
    let relationship = own.relationships[index]
    var membership = Membership()
    for member in list.members {
      guard storedSnapshot(member) != nil, member.entity.isKind(of: relationship.destination) else {
        throw .failure("\(place) has a member \(describe(member)), which does not exist or cannot be one")
      }
      guard membership.orderKeys[member] == nil else {
        throw .failure("\(place) has the member \(describe(member)) twice")
      }
      membership.append(member)
    }
    let ownKey = OwnerKey(owner: list.owner, relationship: relationship.name)
    if let inverse = own.inverses[index] {
      if !inverse.isToMany {
        let members = memberships[ownKey]?.orderKeys ?? [:]
        guard members.count == list.members.count, list.members.allSatisfy({ members[$0] != nil }) else {
          throw .failure("\(place) does not have the members whose \(inverse.name) leads to the object")
        }
      }
    } else {
      for member in list.members {
        let memberKey = OwnerKey(owner: member, relationship: solitaryName(relationship))
        if solitaryOwners.updateValue(list.owner, forKey: memberKey) != nil {
          throw .failure("\(place) has the member \(describe(member)), which another object has already")
        }
      }
    }
    memberships[ownKey] = membership.orderKeys.isEmpty ? nil : membership
  }

  private func checkSymmetry(of lists: [SaveRequest.ToManyChange]) throws(StoreError) {
    for list in lists {
      let own = layout[list.owner.entity]
      guard let index = own.relationshipIndexes[list.relationshipName], let inverse = own.inverses[index],
        inverse.isToMany
      else { continue }
      for member in list.members {
        let other = memberships[OwnerKey(owner: member, relationship: inverse.name)]
        guard other?.orderKeys[list.owner] != nil else {
          throw .failure(
            "\(describe(list.owner)).\(list.relationshipName) has the member \(describe(member)), "
              + "whose \(inverse.name) does not say so")
        }
      }
    }
  }

  private func isGivenOut(_ key: RowKey) -> Bool {
    key.primaryKey >= 1 && key.primaryKey <= greatestPrimaryKeys[key.root]
  }

  private func describe(_ id: ObjectID) -> String { "\(id.entity.name)/\(id.primaryKey ?? 0)" }
}
