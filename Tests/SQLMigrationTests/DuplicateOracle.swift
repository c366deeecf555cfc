import CoreDataLayout
import ObjectModel

@testable import SQLMigration

/// What becomes of duplicates by plain rules over dictionaries: the slow twin of their removal.
///
/// Links are kept one by one, each where it is stored: a to-one relationship at its object, a to-many one without
/// inverse at its members, a many-to-many one as pairs. Lists follow from them.
struct DuplicateOracle {
  typealias Key = ObjectContents.Key

  /// A property at the object that has it: a to-one relationship, or being in a list that nothing leads back from.
  struct Slot: Hashable {
    var object: Key
    var relationship: Relationship
  }

  /// Where a slot leads, and its place in the list there.
  struct Target {
    var object: Key
    var place: Int
  }

  /// A pair of a many-to-many relationship, with the places in both lists.
  struct Pair {
    var owner: Key
    var member: Key
    var place: Int
    var backPlace: Int
  }

  let model: ManagedObjectModel
  let policy: StoreMigration.DuplicatePolicy
  private(set) var objects: [Key: ObjectContents.Object]
  private(set) var removed: Set<Key> = []
  private let layout: StoreLayout
  private var slots: [Slot: Target] = [:]
  private var pairs: [Relationship: [Pair]] = [:]

  init(_ contents: ObjectContents, _ model: ManagedObjectModel, _ policy: StoreMigration.DuplicatePolicy) {
    self.model = model
    layout = StoreLayout(model: model)
    self.policy = policy
    objects = contents.objects
    for (key, object) in contents.objects {
      for relationship in relationships(of: key) {
        let list = object.links[relationship.name] ?? []
        for (place, member) in list.enumerated() {
          switch (relationship.isToMany, declared(relationship.inverse)) {
          case (false, let inverse):
            let order = inverse.map { inverse in
              inverse.isToMany ? contents.objects[member]?.links[inverse.name]?.firstIndex(of: key) ?? 0 : 0
            }
            slots[Slot(object: key, relationship: relationship)] = Target(object: member, place: order ?? 0)
          case (true, nil): slots[Slot(object: member, relationship: relationship)] = Target(object: key, place: place)
          case (true, let inverse?):
            guard inverse.isToMany, isMaster(relationship) else { continue }
            let back = contents.objects[member]?.links[inverse.name]?.firstIndex(of: key) ?? 0
            pairs[relationship, default: []].append(Pair(owner: key, member: member, place: place, backPlace: back))
          }
        }
      }
    }
  }

  // MARK: - The model

  private func relationships(of key: Key) -> [Relationship] {
    (model[key.entity]?.relationships ?? []).compactMap(declared)
  }

  /// The relationship as the entity has it that declares it.
  private func declared(_ relationship: Relationship?) -> Relationship? {
    relationship.flatMap { $0.declaringEntity.relationship($0.name) }
  }

  /// Every relationship that an entity declares.
  private var declarations: [Relationship] {
    model.entities.flatMap { entity in entity.relationships.filter { $0.declaringEntity == entity } }
  }

  /// One of the two sides has the pairs, the one that gives the table its name; a relationship that is its own inverse
  /// has each in both directions.
  private func isMaster(_ relationship: Relationship) -> Bool {
    layout.joinTable(of: relationship)?.table.master.relationship == relationship
  }

  private func isKind(_ key: Key, of entity: Entity) -> Bool { model[key.entity]?.isKind(of: entity) == true }

  /// The entity whose objects have a slot.
  private func holder(_ relationship: Relationship) -> Entity {
    relationship.isToMany ? relationship.destination : relationship.entity
  }

  // MARK: - Duplicates

  /// Resolves all duplicates.
  /// - Returns: whether relationships broke that were right before.
  mutating func resolve(_ constraints: [(entity: Entity, names: [String])]) -> Bool {
    let before = mistakes()
    var goesOn = true
    while goesOn {
      goesOn = false
      for constraint in constraints {
        let winners = winners(constraint)
        if winners.isEmpty { continue }
        goesOn = true
        if policy == .merge { merge(winners) } else { drop(winners) }
        for loser in winners.keys { objects[loser] = nil }
        removed.formUnion(winners.keys)
      }
    }
    return mistakes().contains { name, count in count > before[name] ?? 0 }
  }

  /// The object that stays, by those that go.
  private func winners(_ constraint: (entity: Entity, names: [String])) -> [Key: Key] {
    var groups: [[[UInt8]]: [Key]] = [:]
    for (key, object) in objects where isKind(key, of: constraint.entity) {
      let values = constraint.names.map { object.attributes[$0] ?? .null }
      if !values.contains(.null) { groups[values.map { Array("\($0)".utf8) }, default: []].append(key) }
    }
    var result: [Key: Key] = [:]
    for group in groups.values {
      let sorted = group.sorted { $0.number < $1.number }
      let winner = policy == .keepLast ? sorted[sorted.count - 1] : sorted[0]
      for key in sorted where key != winner { result[key] = winner }
    }
    return result
  }

  /// References to what goes end.
  private mutating func drop(_ winners: [Key: Key]) {
    slots = slots.filter { winners[$0.key.object] == nil && winners[$0.value.object] == nil }
    pairs = pairs.mapValues { $0.filter { winners[$0.owner] == nil && winners[$0.member] == nil } }
  }

  /// What stays takes what it lacks, and references to what goes lead to it.
  private mutating func merge(_ winners: [Key: Key]) {
    let losers = winners.keys.sorted { $0.number < $1.number }
    for loser in losers {
      guard let winner = winners[loser], let entity = model[winner.entity], let other = model[loser.entity] else {
        continue
      }
      for attribute in entity.attributes where isMissing(objects[winner]?.attributes[attribute.name]) {
        guard let owner = declaring(attribute.name, entity), other.isKind(of: owner) else { continue }
        let value = objects[loser]?.attributes[attribute.name]
        if isMissing(value) { continue }
        objects[winner]?.attributes[attribute.name] = value
      }
      for relationship in declarations where !relationship.isToMany || relationship.inverse == nil {
        let slot = Slot(object: winner, relationship: relationship)
        guard isKind(winner, of: holder(relationship)), slots[slot] == nil else { continue }
        slots[slot] = slots[Slot(object: loser, relationship: relationship)]
      }
    }
    for relationship in declarations { redirect(relationship, winners) }
    slots = slots.filter { winners[$0.key.object] == nil }
    for (relationship, list) in pairs { pairs[relationship] = redirected(list, winners) }
  }

  /// A composite is one value, which is there when one of its elements is.
  private func isMissing(_ value: Value?) -> Bool {
    switch value {
    case .null: true
    case .composite(let elements): elements.values.allSatisfy(isMissing)
    default: false
    }
  }

  private func declaring(_ attribute: String, _ entity: Entity) -> Entity? {
    var owner = entity
    while let parent = owner.superentity, parent.attribute(attribute) != nil { owner = parent }
    return owner
  }

  /// Members of what goes come behind those that the other has, owner by owner, each in its own order.
  private mutating func redirect(_ relationship: Relationship, _ winners: [Key: Key]) {
    let moved = slots.filter { $0.key.relationship == relationship && winners[$0.value.object] != nil }.sorted {
      left, right in
      (left.value.object.number, left.value.place, left.key.object.number)
        < (right.value.object.number, right.value.place, right.key.object.number)
    }
    var last: [Key: Int] = [:]
    for (slot, target) in slots where slot.relationship == relationship {
      last[target.object] = max(last[target.object] ?? -1, target.place)
    }
    for (slot, target) in moved {
      guard let winner = winners[target.object] else { continue }
      last[winner, default: -1] += 1
      slots[slot] = Target(object: winner, place: last[winner] ?? 0)
    }
  }

  /// Pairs of what goes become those of what stays, behind its own; one that is there already stays as it is.
  private func redirected(_ list: [Pair], _ winners: [Key: Key]) -> [Pair] {
    func turned(_ list: [Pair]) -> [Pair] {
      list.map { Pair(owner: $0.member, member: $0.owner, place: $0.backPlace, backPlace: $0.place) }
    }
    func redirected(_ list: [Pair]) -> [Pair] {
      var result = list.filter { winners[$0.owner] == nil }
      let moved = list.filter { winners[$0.owner] != nil }.sorted { left, right in
        (left.owner.number, left.place, left.member.number) < (right.owner.number, right.place, right.member.number)
      }
      for pair in moved {
        guard let winner = winners[pair.owner] else { continue }
        if result.contains(where: { $0.owner == winner && $0.member == pair.member }) { continue }
        let last = list.filter { $0.owner == winner }.map(\.place).max() ?? -1
        let count = result.count { $0.owner == winner }
        result.append(
          Pair(owner: winner, member: pair.member, place: last + 1 + count, backPlace: pair.backPlace))
      }
      return result
    }
    return turned(redirected(turned(redirected(list))))
  }

  // MARK: - Results

  /// The objects with their lists.
  var contents: ObjectContents {
    var result = ObjectContents()
    result.objects = objects
    for key in objects.keys {
      for relationship in relationships(of: key) {
        result.objects[key]?.links[relationship.name] = list(relationship, of: key)
      }
    }
    return result
  }

  private func list(_ relationship: Relationship, of key: Key) -> [Key] {
    if !relationship.isToMany { return slots[Slot(object: key, relationship: relationship)].map { [$0.object] } ?? [] }
    guard let inverse = declared(relationship.inverse), inverse.isToMany else {
      let stored = declared(relationship.inverse) ?? relationship
      return slots.filter { $0.key.relationship == stored && $0.value.object == key }
        .sorted { ($0.value.place, $0.key.object.number) < ($1.value.place, $1.key.object.number) }.map(\.key.object)
    }
    if isMaster(relationship) {
      return (pairs[relationship] ?? []).filter { $0.owner == key }.sorted {
        ($0.place, $0.member) < ($1.place, $1.member)
      }
      .map(\.member)
    }
    return (pairs[inverse] ?? []).filter { $0.member == key }
      .sorted { ($0.backPlace, $0.owner) < ($1.backPlace, $1.owner) }.map(\.owner)
  }

  /// How many links are wrong, by relationship and kind of mistake.
  private func mistakes() -> [String: Int] {
    var result: [String: Int] = [:]
    func note(_ mistake: String, _ relationship: Relationship) {
      result["\(relationship.entity.name).\(relationship.name) \(mistake)", default: 0] += 1
    }
    for (slot, target) in slots {
      let relationship = slot.relationship
      let wanted = relationship.isToMany ? relationship.entity : relationship.destination
      if !isKind(target.object, of: wanted) { note("leads to an object of another entity", relationship) }
      guard !relationship.isToMany, let inverse = declared(relationship.inverse), !inverse.isToMany else { continue }
      let back = slots[Slot(object: target.object, relationship: inverse)]?.object
      if back != slot.object { note("has an object that does not lead back", relationship) }
    }
    for (relationship, list) in pairs {
      for pair in list {
        if !isKind(pair.owner, of: relationship.entity) { note("is of an object of another entity", relationship) }
        if !isKind(pair.member, of: relationship.destination) {
          note("leads to an object of another entity", relationship)
        }
      }
    }
    for relationship in declarations {
      let description = relationship.definition
      for key in objects.keys where isKind(key, of: relationship.entity) {
        let count = list(relationship, of: key).count
        if count == 0 {
          if !description.isOptional { note("is empty", relationship) }
        } else if relationship.isToMany,
          count < description.minimumCount || description.maximumCount > 0 && count > description.maximumCount
        {
          note("has too few or too many objects", relationship)
        }
      }
    }
    return result
  }
}
