import ObjectModel
import StoreInterface

/// The members of one to-many relationship of one object, loaded into a context.
struct MemberList {
  /// The position of each member; gaps are allowed.
  private var positions: [ObjectID: Int]
  private var nextPosition: Int
  private var ordered: [ObjectID]?
  /// The members that the store has.
  private(set) var stored: [ObjectID]
  private var storedSet: Set<ObjectID>?
  /// Whether the relationship was set through this object, not only at the other side.
  var isSetHere = false
  /// Whether the next save writes the order, because the store does not come to it by itself, although the members were
  /// set at the other side.
  var isOrderStated = false
  /// Whether the next save writes the members even if they were changed elsewhere since.
  private(set) var isOverwriting = false
  /// In a child context: the parent's `stateVersion` when the list was read.
  private(set) var version: Int64

  init(stored: [ObjectID], version: Int64 = 0) {
    self.stored = stored
    self.version = version
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

  /// Whether the store has the member.
  /// - Complexity: linear the first time, constant then.
  mutating func isStored(_ member: ObjectID) -> Bool {
    if let storedSet { return storedSet.contains(member) }
    let set = Set(stored)
    storedSet = set
    return set.contains(member)
  }

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

  /// Puts a member of the store back: behind those that precede it there.
  mutating func restore(_ member: ObjectID) {
    guard positions[member] == nil, let place = stored.firstIndex(of: member) else { return append(member) }
    let preceding = Set(stored[..<place])
    var order = members()
    order.insert(member, at: order.lastIndex { preceding.contains($0) }.map { $0 + 1 } ?? 0)
    arrange(order)
  }

  mutating func remove(_ member: ObjectID) {
    if positions.removeValue(forKey: member) != nil { ordered = nil }
  }

  mutating func removeAll() {
    positions = [:]
    ordered = []
  }

  /// Gives the members this order; all of them must be in the list.
  mutating func arrange(_ members: [ObjectID]) {
    for (position, member) in members.enumerated() { positions[member] = position }
    nextPosition = members.count
    ordered = members
  }

  /// Has the next save write the members as they are here, even if they were changed elsewhere since.
  mutating func overwriteOthers() { isOverwriting = true }

  /// Whether the members, or their order where it counts, are not those of the store.
  mutating func isChanged(isOrdered: Bool) -> Bool {
    if isOrdered { return members() != stored }
    return stored.count != positions.count || !stored.allSatisfy { positions[$0] != nil }
  }

  /// Whether the members are those of the store, in another order.
  mutating func isRearranged() -> Bool {
    positions.count == stored.count && members() != stored && stored.allSatisfy { positions[$0] != nil }
  }

  /// Makes these the store's members, and keeps what came and went here since the last ones. Without an order of its
  /// own the list is the store's members and then those added here; an order that was set here stays, unless the stored
  /// one is to win.
  mutating func rebase(onto fresh: [ObjectID], isOrdered: Bool, version: Int64, storedOrderWins: Bool) {
    let merged = MembershipMerge.merged(
      members(), from: stored, onto: fresh, isOrdered: isOrdered, currentOrderWins: storedOrderWins)
    let (wasSetHere, wasStated) = (isSetHere, isOrderStated)
    self = MemberList(stored: fresh, version: version)
    (isSetHere, isOrderStated) = (wasSetHere, wasStated)
    let known = Set(merged)
    for member in fresh where !known.contains(member) { remove(member) }
    for member in merged { append(member) }
    if isOrdered { arrange(merged) }
  }

  /// Gives members other ids, those of the store included.
  mutating func replaceIDs(_ ids: [ObjectID: ObjectID]) {
    var replaced = MemberList(stored: stored.map { ids[$0] ?? $0 }, version: version)
    let current = members().map { ids[$0] ?? $0 }
    let known = Set(current)
    for member in replaced.stored where !known.contains(member) { replaced.remove(member) }
    for member in current { replaced.append(member) }
    replaced.arrange(replaced.unique(current))
    replaced.isSetHere = isSetHere
    replaced.isOrderStated = isOrderStated
    replaced.isOverwriting = isOverwriting
    self = replaced
  }

  private func unique(_ ids: [ObjectID]) -> [ObjectID] {
    var seen: Set<ObjectID> = []
    return ids.filter { seen.insert($0).inserted }
  }

  /// After a save: temporary ids are replaced, and the members are what the store has.
  mutating func commit(_ permanentIDs: [ObjectID: ObjectID]) {
    let saved = members().map { permanentIDs[$0] ?? $0 }
    self = MemberList(stored: saved)
  }
}
