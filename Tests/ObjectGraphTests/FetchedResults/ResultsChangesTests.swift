import Testing

@testable import ObjectGraph

@Suite("Changes of sectioned results")
struct ResultsChangesTests {
  typealias Changes = ResultsChanges<Int>

  /// Does what a table view does: takes out by old positions, puts in by new ones.
  private func applied(_ changes: Changes, to old: [Changes.Section], names new: [Changes.Section]) -> [[Int]] {
    var gone: Set<Int> = []
    for change in changes.deleted { gone.insert(change.item) }
    for change in changes.moved { gone.insert(change.item) }
    var rest: [String: [Int]] = [:]
    for (index, section) in old.enumerated() where !changes.deletedSections.contains(index) {
      rest[section.name] = section.items.filter { !gone.contains($0) }
    }
    for index in changes.insertedSections { rest[new[index].name] = [] }
    let arrivals = (changes.inserted.map { ($0.item, $0.to) } + changes.moved.map { ($0.item, $0.to) })
      .sorted { $0.1 < $1.1 }
    for (item, to) in arrivals { rest[new[to.section].name]?.insert(item, at: to.item) }
    return new.map { rest[$0.name] ?? [] }
  }

  @Test("the old results with the changes applied are the new results, whatever changed", arguments: UInt64(1)...40)
  func random(seed: UInt64) {
    var random = SplitMix(state: seed)
    func arrangement(_ keys: [Int: Int]) -> [Changes.Section] {
      let sorted = keys.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
      return Dictionary(grouping: sorted, by: { $0.value / 10 }).sorted { $0.key < $1.key }.map { section, items in
        Changes.Section(name: "\(section)", items: items.map(\.key))
      }
    }
    var keys: [Int: Int] = [:]
    for item in 0..<20 { keys[item] = Int.random(in: 0..<50, using: &random) }
    for _ in 0..<50 {
      let old = arrangement(keys)
      var changed: Set<Int> = []
      for item in 0..<30 where Int.random(in: 0..<6, using: &random) == 0 {
        if keys[item] != nil, Int.random(in: 0..<3, using: &random) == 0 {
          keys[item] = nil
        } else {
          if keys[item] != nil { changed.insert(item) }
          keys[item] = Int.random(in: 0..<50, using: &random)
        }
      }
      let new = arrangement(keys)
      let changes = Changes(from: old, to: new, changed: changed)
      #expect(applied(changes, to: old, names: new) == new.map(\.items))
      // Only what changed moves, and everything that changed and is still there is told once.
      #expect(Set(changes.moved.map(\.item)).isSubset(of: changed))
      let told = changes.moved.map(\.item) + changes.updated.map(\.item)
      #expect(told.sorted() == changed.filter { item in old.contains { $0.items.contains(item) } }.sorted())
      #expect(changes.updated.allSatisfy { old[$0.from.section].items[$0.from.item] == $0.item })
      #expect(changes.updated.allSatisfy { new[$0.to.section].items[$0.to.item] == $0.item })
    }
  }

  @Test("items that change their order without being named move too")
  func unnamedMoves() {
    let old = [Changes.Section(name: "", items: [1, 2, 3, 4])]
    let new = [Changes.Section(name: "", items: [4, 1, 2, 3])]
    let changes = Changes(from: old, to: new, changed: [])
    #expect(changes.moved.map(\.item) == [4])
    #expect(applied(changes, to: old, names: new) == [[4, 1, 2, 3]])
  }
}
