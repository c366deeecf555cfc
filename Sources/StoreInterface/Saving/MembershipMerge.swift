/// Merges a list of members that was changed both here and elsewhere.
package enum MembershipMerge {
  /// The members and, where it counts, the order with both changes: the members that were added and removed elsewhere
  /// since `before`, and those that were added, removed or arranged here, from `before` to `mine`.
  ///
  /// An order that was changed here wins, and members that were added elsewhere follow it; otherwise the stored order
  /// stays, and members that were added here follow. No id occurs twice in a list.
  /// - Complexity: linear in the length of the lists.
  package static func merged<ID: Hashable>(
    _ mine: [ID], from before: [ID], onto current: [ID], isOrdered: Bool
  ) -> [ID] {
    if before == current { return mine }
    let known = Set(before)
    let kept = Set(mine)
    let present = Set(current)
    // A member that both sides added counts as added here alone.
    let staying = current.filter { kept.contains($0) == known.contains($0) }
    let unchanged = before.filter(kept.contains)
    if staying == unchanged { return mine }
    if isOrdered && mine.filter(known.contains) != unchanged {
      let arranged = mine.filter { present.contains($0) || !known.contains($0) }
      let placed = Set(arranged)
      return arranged + staying.filter { !placed.contains($0) }
    }
    return staying + mine.filter { !known.contains($0) }
  }
}
