/// What becomes of a list of members that one side changed while others changed it too.
package enum MembershipMerge {
  /// The members and, where it counts, the order that keep both: what others brought and took away since `before`, and
  /// what was added, removed or arranged on the way from `before` to `mine`.
  ///
  /// An order that was changed here wins, and what others added follows it; otherwise the others' order stays, and what
  /// was added here follows. No id occurs twice in a list.
  /// - Complexity: linear in the length of the lists.
  package static func merged<ID: Hashable>(
    _ mine: [ID], from before: [ID], onto current: [ID], isOrdered: Bool
  ) -> [ID] {
    if before == current { return mine }
    let known = Set(before)
    let kept = Set(mine)
    let present = Set(current)
    // What both sides added is as good as added here alone.
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
