/// Merges a list of members that was changed both here and elsewhere.
package enum MembershipMerge {
  /// The members and, where it counts, the order with both changes: the members that were added and removed elsewhere
  /// since `before`, and those that were added, removed or arranged here, from `before` to `mine`.
  ///
  /// Where both sides arranged the members that both have, the order of `mine` wins, or the stored one if
  /// `currentOrderWins`. Members that came elsewhere follow an order that was made here. Otherwise they are where they
  /// are stored, and members that were added here come behind the one that they follow here, or in front if they follow
  /// none; those at the end stay at the end. No id occurs twice in a list.
  /// - Complexity: linear in the length of the lists.
  package static func merged<ID: Hashable>(
    _ mine: [ID], from before: [ID], onto current: [ID], isOrdered: Bool, currentOrderWins: Bool = false
  ) -> [ID] {
    if before == current { return mine }
    let known = Set(before)
    let kept = Set(mine)
    // A member that both sides added counts as added here alone.
    let staying = current.filter { kept.contains($0) == known.contains($0) }
    let unchanged = before.filter(kept.contains)
    if staying == unchanged { return mine }
    guard isOrdered else { return staying + mine.filter { !known.contains($0) } }
    let present = Set(current)
    let isArrangedThere = staying.filter(known.contains) != unchanged.filter(present.contains)
    if mine.filter(known.contains) != unchanged && !(currentOrderWins && isArrangedThere) {
      let arranged = mine.filter { present.contains($0) || !known.contains($0) }
      let placed = Set(arranged)
      return arranged + staying.filter { !placed.contains($0) }
    }
    return placing(mine.filter { !known.contains($0) }, as: mine, in: staying)
  }

  /// Whether the members that two lists have in common stand in another order.
  package static func isArranged<ID: Hashable>(_ list: [ID], from before: [ID]) -> Bool {
    if list == before { return false }
    let (known, present) = (Set(before), Set(list))
    return list.filter(known.contains) != before.filter(present.contains)
  }

  /// Whether both sides put the members that are in all three lists into an order of their own, and not into the same
  /// one.
  package static func isArrangedTwice<ID: Hashable>(_ mine: [ID], from before: [ID], onto current: [ID]) -> Bool {
    let common = Set(before).intersection(mine).intersection(current)
    let (former, here, there) = (
      before.filter(common.contains), mine.filter(common.contains), current.filter(common.contains)
    )
    return here != former && there != former && here != there
  }

  /// Puts new members, in their order, into a list: each behind the one that it follows in `mine`.
  private static func placing<ID: Hashable>(_ new: [ID], as mine: [ID], in list: [ID]) -> [ID] {
    let added = Set(new)
    let present = Set(list)
    // Those at the end stay at the end.
    let lastKnown = mine.lastIndex { !added.contains($0) }
    var leading: [ID] = []
    var following: [ID: [ID]] = [:]
    var predecessor: ID?
    for member in lastKnown.map({ mine[...$0] }) ?? [] {
      if !added.contains(member) {
        if present.contains(member) { predecessor = member }
      } else if let predecessor {
        following[predecessor, default: []].append(member)
      } else {
        leading.append(member)
      }
    }
    if leading.isEmpty && following.isEmpty { return list + new }
    let last = lastKnown.map { mine[($0 + 1)...] } ?? mine[...]
    return leading + list.flatMap { [$0] + (following[$0] ?? []) } + last
  }
}
