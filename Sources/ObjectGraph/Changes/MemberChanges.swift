import ObjectModel

/// A to-many relationship of an object, by position in the object's own entity.
struct MemberKey: Hashable {
  var owner: ObjectID
  var relationship: Int
}

/// Changes to to-many relationships that are not loaded, since the last save.
///
/// They are only written down as they come, and put in order when those of one relationship are asked for: most saves
/// never ask.
struct MemberChanges: Sendable {
  private struct Entry {
    var key: MemberKey
    var member: ObjectID
    var change: MemberDelta.Change
    var event: Int?
  }

  private var log: [Entry] = []
  private var deltas: [MemberKey: MemberDelta] = [:]
  /// Replaced ids that the changes still mention, with the ids that took their places.
  private var replacements: [ObjectID: ObjectID] = [:]

  var isEmpty: Bool { log.isEmpty && deltas.isEmpty }

  /// - Parameter event: the event that the change is part of; nil where undo does not take it back.
  mutating func note(_ member: ObjectID, isAddition: Bool, in key: MemberKey, event: Int?) {
    log.append(Entry(key: key, member: member, change: isAddition ? .addition : .removal, event: event))
  }

  /// The member's own side has not changed after all: the store's members tell whether it is one.
  mutating func forget(_ member: ObjectID, in key: MemberKey) {
    if !isEmpty { log.append(Entry(key: key, member: member, change: .forgotten, event: nil)) }
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
    for entry in log {
      if entry.change == .forgotten {
        deltas[entry.key]?.note(entry.member, .forgotten, event: nil)
      } else {
        deltas[entry.key, default: MemberDelta()].note(entry.member, entry.change, event: entry.event)
      }
    }
    log = []
  }

  /// The objects whose relationships changed.
  /// - Complexity: linear in the number of changes.
  var owners: Set<ObjectID> {
    let owners = Set(log.lazy.filter { $0.change != .forgotten }.map(\.key.owner)).union(deltas.keys.lazy.map(\.owner))
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
    for index in log.indices {
      let entry = log[index]
      log[index].key = replaced(entry.key)
      log[index].member = ids[entry.member] ?? entry.member
    }
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
  enum Change {
    case addition, removal
    /// What came before counts no more.
    case forgotten
  }

  /// Members that came and went, in order.
  private var changes: [(member: ObjectID, change: Change, event: Int?)] = []

  mutating func note(_ member: ObjectID, _ change: Change, event: Int?) { changes.append((member, change, event)) }

  /// For each member, its last change.
  private var outcome: [ObjectID: Change] {
    Dictionary(changes.map { ($0.member, $0.change) }, uniquingKeysWith: { _, last in last })
  }

  var hasRemovals: Bool { changes.contains { $0.change == .removal } && outcome.values.contains(.removal) }

  /// The members that came, in order.
  var added: [ObjectID] {
    var list = MemberList(stored: [])
    apply(to: &list)
    return list.members()
  }

  /// The changes without those of an event; nil where it made none.
  func before(event: Int) -> MemberDelta? {
    var former = self
    former.changes.removeAll { $0.event == event }
    return former.changes.count < changes.count ? former : nil
  }

  mutating func replaceIDs(_ ids: [ObjectID: ObjectID]) {
    for index in changes.indices { changes[index].member = ids[changes[index].member] ?? changes[index].member }
  }

  func apply(to list: inout MemberList) {
    let outcome = outcome
    for (member, change) in outcome where change == .removal { list.remove(member) }
    for (member, change, _) in changes where change == .addition && outcome[member] == .addition {
      list.append(member)
    }
  }
}
