import ObjectModel

/// A to-many relationship of an object, by position in the object's own entity.
struct MemberKey: Hashable {
  var owner: ObjectID
  var relationship: Int
}

/// Changes to to-many relationships that are not loaded, since the last save.
///
/// They are only written down as they come, and put in order when those of one relationship are asked for: most saves
/// never do.
struct MemberChanges: Sendable {
  private struct Entry {
    var key: MemberKey
    var member: ObjectID
    var isAddition: Bool
  }

  private var log: [Entry] = []
  private var deltas: [MemberKey: MemberDelta] = [:]
  /// Replaced ids that the changes still mention, with the ids that took their places.
  private var replacements: [ObjectID: ObjectID] = [:]

  var isEmpty: Bool { log.isEmpty && deltas.isEmpty }

  mutating func note(_ member: ObjectID, isAddition: Bool, in key: MemberKey) {
    log.append(Entry(key: key, member: member, isAddition: isAddition))
  }

  /// - Returns: the changes of one relationship, which are forgotten.
  mutating func remove(_ key: MemberKey) -> MemberDelta? {
    if isEmpty { return nil }
    compact()
    return deltas.removeValue(forKey: key)
  }

  /// The changes of each relationship that has some.
  mutating func byRelationship() -> [MemberKey: MemberDelta] {
    compact()
    return deltas
  }

  private mutating func compact() {
    if !replacements.isEmpty { replaceIDs() }
    for entry in log { deltas[entry.key, default: MemberDelta()].note(entry.member, isAddition: entry.isAddition) }
    log = []
  }

  /// The objects whose relationships changed.
  /// - Complexity: linear in the number of changes.
  var owners: Set<ObjectID> {
    let owners = Set(log.lazy.map(\.key.owner)).union(deltas.keys.lazy.map(\.owner))
    return replacements.isEmpty ? owners : Set(owners.map { replacements[$0] ?? $0 })
  }

  /// Gives owners and members other ids, which none of them has had before.
  mutating func replaceIDs(_ ids: [ObjectID: ObjectID]) {
    if !isEmpty { replacements.merge(ids) { _, latest in latest } }
  }

  private mutating func replaceIDs() {
    let ids = replacements
    replacements = [:]
    func replaced(_ key: MemberKey) -> MemberKey {
      MemberKey(owner: ids[key.owner] ?? key.owner, relationship: key.relationship)
    }
    log = log.map { Entry(key: replaced($0.key), member: ids[$0.member] ?? $0.member, isAddition: $0.isAddition) }
    deltas = Dictionary(
      deltas.map { key, delta in
        var delta = delta
        delta.replaceIDs(ids)
        return (replaced(key), delta)
      }, uniquingKeysWith: { first, _ in first })
  }
}

/// The changes of one relationship.
struct MemberDelta: Sendable {
  /// Members that came and went, in order.
  private var changes: [(member: ObjectID, isAddition: Bool)] = []

  mutating func note(_ member: ObjectID, isAddition: Bool) { changes.append((member, isAddition)) }

  /// For each member, whether it belongs to the relationship after all changes.
  private var outcome: [ObjectID: Bool] {
    Dictionary(changes.map { ($0.member, $0.isAddition) }, uniquingKeysWith: { _, last in last })
  }

  var hasRemovals: Bool { changes.contains { !$0.isAddition } && outcome.values.contains(false) }

  /// The members that came, in order.
  var added: [ObjectID] {
    var list = MemberList(stored: [])
    apply(to: &list)
    return list.members()
  }

  mutating func replaceIDs(_ ids: [ObjectID: ObjectID]) {
    changes = changes.map { (ids[$0.member] ?? $0.member, $0.isAddition) }
  }

  func apply(to list: inout MemberList) {
    let outcome = outcome
    for (member, isPresent) in outcome where !isPresent { list.remove(member) }
    for (member, isAddition) in changes where isAddition && outcome[member] == true { list.append(member) }
  }
}
