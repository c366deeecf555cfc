import Foundation
import ObjectModel
import TestSupport
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
    var random = SeededGenerator(seed: seed)
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

  @Test("as few sections as possible are deleted and inserted where they change their order, with all their items")
  func sectionOrder() {
    let old = ["a", "b", "c", "d"].enumerated().map { Changes.Section(name: $1, items: [$0 * 2, $0 * 2 + 1]) }
    let new = [old[3], old[0], old[1], old[2]]
    let changes = Changes(from: old, to: new, changed: [6, 0])
    #expect(changes.deletedSections == [3])
    #expect(changes.insertedSections == [0])
    #expect(changes.moved.map(\.item) == [6, 7])
    #expect(changes.updated.map(\.item) == [0])
    #expect(applied(changes, to: old, names: new) == new.map(\.items))
    let touched = [6, 7].enumerated().map {
      Changes.Touched(
        item: $1, from: .init(section: 3, item: $0), to: .init(section: 0, item: $0), isChanged: true)
    }
    let fast = Changes(from: old.map(\.name), to: new, touched: touched) { $0 == 3 }
    #expect(fast.deletedSections == [3])
    #expect(fast.insertedSections == [0])
    #expect(fast.moved.map(\.item) == [6, 7])
    #expect(fast.updated.isEmpty)
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

@Suite("Differences of result snapshots")
struct FetchedResultsDifferenceTests {
  private typealias Section = FetchedResultsSnapshot.Section

  /// Takes out and puts in, one after the other, each place as it is told.
  private func applied(
    _ difference: FetchedResultsDifference, to old: FetchedResultsSnapshot, of new: FetchedResultsSnapshot
  ) -> FetchedResultsSnapshot {
    var list = old
    for path in (difference.deletedItems + difference.movedItems.map(\.from)).sorted(by: >) {
      list.sections[path[0]].objectIDs.remove(at: path[1])
    }
    for index in difference.deletedSections {
      #expect(list.sections[index].objectIDs.isEmpty)
      list.sections.remove(at: index)
    }
    for index in difference.insertedSections {
      list.sections.insert(Section(name: new.sections[index].name, objectIDs: []), at: index)
    }
    for path in (difference.insertedItems + difference.movedItems.map(\.to)).sorted() {
      list.sections[path[0]].objectIDs.insert(new.sections[path[0]].objectIDs[path[1]], at: path[1])
    }
    return list
  }

  @Test(
    "a list that does what they say becomes the new one, sections in another order included", arguments: UInt64(1)...30)
  func random(seed: UInt64) throws {
    let item = try #require(try ManagedObjectModel(entities: [EntityDefinition("Item")])["Item"])
    var random = SeededGenerator(seed: seed)
    func snapshot() -> FetchedResultsSnapshot {
      var sections = (0..<6).map { Section(name: "\($0)", objectIDs: []) }
      for key in Int64(1)...25 where Int.random(in: 0..<3, using: &random) > 0 {
        let id = ObjectID(entity: item, reference: .permanent(store: "S", primaryKey: key))
        let section = Int.random(in: 0..<6, using: &random)
        let place = Int.random(in: 0...sections[section].objectIDs.count, using: &random)
        sections[section].objectIDs.insert(id, at: place)
      }
      sections.removeAll { _ in Int.random(in: 0..<4, using: &random) == 0 }
      if seed % 2 == 0 { sections.shuffle(using: &random) }
      return FetchedResultsSnapshot(sections: sections)
    }
    var old = snapshot()
    for _ in 0..<40 {
      let new = snapshot()
      let difference = new.difference(from: old)
      #expect(difference.deletedItems == difference.deletedItems.sorted(by: >))
      #expect(difference.insertedItems == difference.insertedItems.sorted())
      #expect(difference.deletedSections == difference.deletedSections.sorted(by: >))
      #expect(difference.insertedSections == difference.insertedSections.sorted())
      #expect(applied(difference, to: old, of: new) == new)
      #expect(new.difference(from: new).isEmpty)
      old = new
    }
  }
}
