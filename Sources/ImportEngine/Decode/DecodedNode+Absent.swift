import StoreInterface

extension DecodedNode {
  /// For `on-match: replace`: mapped relationships and nested objects that a record does not carry count as null, so
  /// that an object that exists already loses them.
  func clearAbsentRelationships() {
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
