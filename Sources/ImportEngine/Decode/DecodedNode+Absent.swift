import ObjectModel
import StoreInterface

extension DecodedNode {
  /// Where an object is what the record says and nothing else, mapped relationships and nested objects that the record
  /// does not carry count as null, so that an object that exists already loses them. Such are the objects of a step
  /// with `on-match: replace`, elements of lists that have no key of their own, and what is nested in them without one.
  /// - Parameter isWhole: whether these are such objects.
  func clearAbsentRelationships(isWhole: Bool) {
    if isWhole { clearAbsentRelationships() }
    for (index, child) in plan.children.enumerated() {
      children[index].clearAbsentRelationships(
        isWhole: child.node.match.isEmpty && (isWhole || child.relationship.isToMany))
    }
  }

  private func clearAbsentRelationships() {
    for index in keys.indices {
      for entry in keys[index].entries.indices where keys[index].entries[entry].state == .absent {
        keys[index].entries[entry].state = .null
      }
      for row in keys[index].states.indices where keys[index].states[row] == .absent { keys[index].states[row] = .null }
    }
    for child in childStates.indices {
      for row in childStates[child].indices where childStates[child][row] == .absent { childStates[child][row] = .null }
    }
  }
}
