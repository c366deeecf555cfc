import CoreDataLayout
import ObjectModel
import StoreInterface

/// Hands out order keys inside ordered to-many relationships, in the order in which rows come.
struct OrderKeyCounter {
  /// A to-one relationship whose inverse is ordered, by the root of its entity and its name.
  private struct Group: Hashable {
    var root: Int
    var relationship: String
  }
  /// The next key of each owner, by the owner's primary key.
  private var next: [Group: [Int64: Int64]] = [:]

  /// Fills the order column of every to-one whose inverse is ordered.
  mutating func fill(_ batch: RowBatch) {
    for (column, definition) in batch.columns.enumerated() {
      guard case .toOneOrder(let name) = definition.source,
        let foreign = batch.columns.firstIndex(where: { $0.source == .toOne(name) })
      else { continue }
      fill(batch, column, foreign, &next[Group(root: batch.entity.root.index, relationship: name), default: [:]])
    }
  }

  private func fill(_ batch: RowBatch, _ column: Int, _ foreign: Int, _ next: inout [Int64: Int64]) {
    // Safety: both are columns of the batch, and `row` is under its count.
    for row in 0..<batch.count {
      let state = unsafe batch.states[foreign][row]
      unsafe batch.states[column][row] = state
      guard state == RowBatch.State.value.rawValue else { continue }
      let owner = unsafe batch.integers(foreign)[row]
      let key = next[owner] ?? OrderKey.first
      next[owner] = key + OrderKey.step
      unsafe batch.integers(column)[row] = key
    }
  }
}
