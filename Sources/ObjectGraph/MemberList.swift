import ObjectModel

/// The members of one to-many relationship of one object, loaded into a context.
struct MemberList {
  /// Members by position; gaps are allowed.
  private var positions: [ObjectID: Int]
  private var nextPosition: Int
  private var ordered: [ObjectID]?
  /// What the store says.
  private(set) var stored: [ObjectID]
  /// The relationship was set through this object, not only followed from the other side.
  var isSetHere = false

  init(stored: [ObjectID]) {
    self.stored = stored
    positions = [:]
    nextPosition = 0
    for member in stored {
      positions[member] = nextPosition
      nextPosition += 1
    }
    ordered = stored
  }

  var count: Int { positions.count }

  func contains(_ member: ObjectID) -> Bool { positions[member] != nil }

  /// The members in order.
  /// - Complexity: n log n after a change, constant otherwise.
  mutating func members() -> [ObjectID] {
    if let ordered { return ordered }
    let sorted = positions.sorted { $0.value < $1.value }.map(\.key)
    ordered = sorted
    return sorted
  }

  /// Adds at the end; a member stays where it is.
  mutating func append(_ member: ObjectID) {
    guard positions[member] == nil else { return }
    positions[member] = nextPosition
    nextPosition += 1
    ordered?.append(member)
  }

  mutating func remove(_ member: ObjectID) {
    if positions.removeValue(forKey: member) != nil { ordered = nil }
  }

  /// Gives the members this order; all of them must be in the list.
  mutating func arrange(_ members: [ObjectID]) {
    for (position, member) in members.enumerated() { positions[member] = position }
    nextPosition = members.count
    ordered = members
  }

  /// Whether the members, or their order where it counts, are not those of the store.
  mutating func isChanged(isOrdered: Bool) -> Bool {
    if isOrdered { return members() != stored }
    return stored.count != positions.count || !stored.allSatisfy { positions[$0] != nil }
  }

  /// After a save: temporary ids are replaced, and the members are what the store has.
  mutating func commit(_ permanentIDs: [ObjectID: ObjectID]) {
    let saved = members().map { permanentIDs[$0] ?? $0 }
    self = MemberList(stored: saved)
  }
}

/// Changes to a to-many relationship that is not loaded: members that came and went since the last save.
struct MemberDelta {
  private(set) var added: [ObjectID] = []
  private var isPresent: [ObjectID: Bool] = [:]

  mutating func append(_ member: ObjectID) {
    added.append(member)
    isPresent[member] = true
  }

  mutating func remove(_ member: ObjectID) { isPresent[member] = false }

  var hasRemovals: Bool { isPresent.values.contains(false) }

  func apply(to list: inout MemberList) {
    for (member, isPresent) in isPresent where !isPresent { list.remove(member) }
    for member in added where isPresent[member] == true { list.append(member) }
  }
}
