public import ObjectModel
import StoreInterface

/// A to-many relationship of an object in conflict, with the members that were added and removed.
public struct MemberConflict: Sendable, Hashable {
  /// The relationship's name.
  public let relationshipName: String
  /// Members that came to it here, whichever side was set.
  public let addedHere: [ObjectID]
  /// Members that left it here.
  public let removedHere: [ObjectID]
  /// Members that were added elsewhere since the relationship was loaded; nil when it is not loaded, so that this is
  /// not known.
  public let addedByOthers: [ObjectID]?
  /// Members that were removed elsewhere since the relationship was loaded; nil when it is not loaded.
  public let removedByOthers: [ObjectID]?
  /// The members that the store has now.
  public let persistedMembers: [ObjectID]
  /// Whether the relationship is ordered, and members that both sides have were put into one order here and into
  /// another one elsewhere.
  public let isArrangedByBoth: Bool

  /// The first of some ids, for messages.
  static func text(_ ids: [ObjectID]) -> String {
    let shown = ids.prefix(10).map { id in "\(id.entity.name) \(id.primaryKey.map { "\($0)" } ?? "(new)")" }
    return (shown.isEmpty ? ["none"] : shown).joined(separator: ", ")
      + (ids.count > shown.count ? " and \(ids.count - shown.count) more" : "")
  }
}

extension ManagedObject {
  /// To-many relationships whose members were changed here, or elsewhere since they were loaded. Empty where the store
  /// fails, because the conflict about the object is reported anyway.
  func memberConflicts() -> [MemberConflict] {
    guard status == .loaded, let context else { return [] }
    var conflicts: [MemberConflict] = []
    for (index, relationship) in runtime.layout.relationships.enumerated() where relationship.isToMany {
      let list = memberLists.indices.contains(index) ? memberLists[index] : nil
      var (added, removed) = context.memberChanges(of: self, index)
      if var list, list.isSetHere {
        let members = list.members()
        (added, removed) = (members.filter { !list.isStored($0) }, list.stored.filter { !list.contains($0) })
      }
      if list == nil && added.isEmpty && removed.isEmpty { continue }
      guard let now = try? context.storedMembers(of: self, index) else { continue }
      let (known, present) = (list.map { Set($0.stored) }, Set(now))
      let addedByOthers = known.map { known in now.filter { !known.contains($0) } }
      let removedByOthers = list.map { $0.stored.filter { !present.contains($0) } }
      let isArrangedByBoth =
        relationship.isOrdered
        && list.map { list in
          MembershipMerge.isArrangedTwice(loadedMembers(index) ?? [], from: list.stored, onto: now)
        } ?? false
      if added.isEmpty && removed.isEmpty && addedByOthers?.isEmpty != false && removedByOthers?.isEmpty != false
        && !isArrangedByBoth
      {
        continue
      }
      conflicts.append(
        MemberConflict(
          relationshipName: relationship.name, addedHere: added, removedHere: removed, addedByOthers: addedByOthers,
          removedByOthers: removedByOthers, persistedMembers: now, isArrangedByBoth: isArrangedByBoth))
    }
    return conflicts
  }
}
