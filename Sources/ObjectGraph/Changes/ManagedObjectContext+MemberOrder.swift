import ObjectModel
import StoreInterface

/// Members that were set at the other side come last in an ordered relationship. The store puts them there by itself,
/// in the order of their primary keys; where they stand otherwise in a context, the save has to write the order.
extension ManagedObjectContext {
  /// Notes the ordered relationships whose order a save must write, because the store's own, by primary key, would
  /// differ. Loads them where needed.
  /// - Throws: what loading throws.
  /// - Complexity: linear in the ordered relationships that changed since the last save, with their members.
  func stateOrdersOfMembers() throws {
    var rank = MemberRank(self)
    if pending.hasOrderedMemberChanges { try loadListsOutOfOrder(&rank) }
    for object in pending.editedLists where object.status == .loaded {
      for (index, relationship) in object.runtime.layout.relationships.enumerated()
      where relationship.isOrdered && object.isLoaded(index) {
        let isStated = object.isArrangedElsewhere(index, &rank)
        object.noteOrder(isStated: isStated, at: index)
        if isStated { object.noteUpdate() }
      }
    }
  }

  private func loadListsOutOfOrder(_ rank: inout MemberRank) throws {
    let keys = pending.memberDeltas().filter { key, delta in
      coordinator.runtime(key.owner.entity).layout.relationships[key.relationship].isOrdered
        && !rank.isStoreOrder(delta.added, saidBy: key)
    }.keys.sorted { ($0.owner.primaryKey ?? 0, $0.relationship) < ($1.owner.primaryKey ?? 0, $1.relationship) }
    let owners = Array(zip(keys, try objects(with: keys.map(\.owner)))).filter { $1.status == .loaded }
    // Many owners' members are read at once, and what is left one by one.
    let groups = Dictionary(grouping: owners) { key, _ in
      MemberGroup(entity: key.owner.entity, relationship: key.relationship)
    }
    for (group, members) in groups { try loadMembers(group.relationship, of: members.map { $0.1 }) }
    for (key, owner) in owners { try owner.loadMembers(key.relationship) }
  }
}

/// Owners whose members are read at once.
private struct MemberGroup: Hashable {
  var entity: Entity
  var relationship: Int
}

/// The order in which a store appends members that were set at their own side.
struct MemberRank {
  private let context: ManagedObjectContext
  private var insertions: [ObjectID: Int]?

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Whether the store, or the parent context, appends new members in this order.
  mutating func isStoreOrder(_ added: [ObjectID], saidBy key: MemberKey) -> Bool {
    if added.count < 2 { return true }
    // A parent's objects, and the rows of a join table, come in an order that is not known here.
    let runtime = context.coordinator.runtime(key.owner.entity)
    if context.parent != nil || runtime.layout.inverses[key.relationship]?.isToMany != false { return false }
    let ranks = added.map { rank(of: $0) }
    return zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// New objects get their primary keys in the order of insertion, after all others.
  private mutating func rank(of member: ObjectID) -> (Int64, Int) {
    if let key = member.primaryKey ?? context.registeredObject(for: member)?.reservedID?.primaryKey { return (key, 0) }
    let positions = insertions ?? Self.positions(of: context.pending.inserted)
    insertions = positions
    return (.max, positions[member] ?? 0)
  }

  private static func positions(of inserted: [ManagedObject]) -> [ObjectID: Int] {
    Dictionary(inserted.enumerated().map { ($1.objectID, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ManagedObject {
  /// Whether the loaded members of an ordered relationship, all of them set at the other side, stand in an order that
  /// the store does not come to by itself.
  fileprivate func isArrangedElsewhere(_ index: Int, _ rank: inout MemberRank) -> Bool {
    guard isLoaded(index), memberLists[index]?.isSetHere == false, hasChangedMembers(index) == true,
      let list = memberLists[index], let members = loadedMembers(index)
    else { return false }
    let kept = list.stored.filter { list.contains($0) }
    return !members.starts(with: kept)
      || !rank.isStoreOrder(
        Array(members.dropFirst(kept.count)), saidBy: MemberKey(owner: objectID, relationship: index))
  }
}
