/// What has to be done to one arrangement of sections and items to make another of it, in the terms of a table view.
///
/// Positions in `deleted…` and `from` are those before all changes, positions in `inserted…` and `to` those after.
struct ResultsChanges<Item: Hashable> {
  /// A named run of items.
  struct Section {
    var name: String
    var items: [Item]
  }

  /// A section and an item in it, both from 0.
  struct Position: Hashable, Comparable {
    var section: Int
    var item: Int

    static func < (left: Position, right: Position) -> Bool {
      (left.section, left.item) < (right.section, right.item)
    }
  }

  private(set) var deletedSections: [Int] = []
  private(set) var insertedSections: [Int] = []
  private(set) var deleted: [(item: Item, from: Position)] = []
  private(set) var inserted: [(item: Item, to: Position)] = []
  private(set) var moved: [(item: Item, from: Position, to: Position)] = []
  /// Items that changed and stay where they are, but for what is inserted and deleted around them.
  private(set) var updated: [(item: Item, from: Position, to: Position)] = []

  var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty && moved.isEmpty
      && updated.isEmpty
  }

  /// - Parameters:
  ///   - old: the arrangement before; each item and each section name occurs once.
  ///   - new: the one after.
  ///   - changed: items whose values changed.
  /// - Complexity: n log n in the number of items.
  init(from old: [Section], to new: [Section], changed: Set<Item>) {
    let oldNames = Set(old.map(\.name))
    let newNames = Set(new.map(\.name))
    deletedSections = old.indices.filter { !newNames.contains(old[$0].name) }
    insertedSections = new.indices.filter { !oldNames.contains(new[$0].name) }
    let before = Self.positions(old)
    let after = Self.positions(new)
    for (section, content) in old.enumerated() {
      for (index, item) in content.items.enumerated() where after[item] == nil {
        deleted.append((item, Position(section: section, item: index)))
      }
    }
    for (section, content) in new.enumerated() {
      var stayed: [Item] = []
      for (index, item) in content.items.enumerated() {
        let place = Position(section: section, item: index)
        guard let from = before[item] else {
          inserted.append((item, place))
          continue
        }
        if old[from.section].name == content.name {
          stayed.append(item)
        } else {
          moved.append((item, from, place))
        }
      }
      for item in Self.outOfOrder(stayed, before: before, changed: changed) {
        if let from = before[item], let to = after[item] { moved.append((item, from, to)) }
      }
    }
    moved.sort { $0.to < $1.to }
    let movedItems = Set(moved.map(\.item))
    updated = changed.compactMap { item in
      guard !movedItems.contains(item), let from = before[item], let to = after[item] else { return nil }
      return (item, from, to)
    }.sorted { $0.from < $1.from }
  }

  private static func positions(_ sections: [Section]) -> [Item: Position] {
    var result: [Item: Position] = [:]
    for (section, content) in sections.enumerated() {
      for (index, item) in content.items.enumerated() { result[item] = Position(section: section, item: index) }
    }
    return result
  }

  /// Items of one section that have to be taken out so that the rest is in the old order: changed ones where that is
  /// enough.
  private static func outOfOrder(_ items: [Item], before: [Item: Position], changed: Set<Item>) -> [Item] {
    let places = items.map { before[$0]?.item ?? 0 }
    if zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }) { return [] }
    let fixed = items.indices.filter { !changed.contains(items[$0]) }
    guard zip(fixed, fixed.dropFirst()).allSatisfy({ places[$0] < places[$1] }) else {
      return withoutLongestRise(Array(items.indices), places).map { items[$0] }
    }
    // Between the same two fixed items before and after, a changed item need not move for them.
    let fixedPlaces = fixed.map { places[$0] }
    var gaps: [Int: [Int]] = [:]
    var result: [Item] = []
    var passed = 0
    for index in items.indices {
      if !changed.contains(items[index]) {
        passed += 1
      } else if lowerBound(fixedPlaces, places[index]) == passed {
        gaps[passed, default: []].append(index)
      } else {
        result.append(items[index])
      }
    }
    for (_, candidates) in gaps { result += withoutLongestRise(candidates, places).map { items[$0] } }
    return result
  }

  /// The candidates that are not on a longest rising run of places.
  private static func withoutLongestRise(_ candidates: [Int], _ places: [Int]) -> [Int] {
    var ends: [Int] = []
    var endPlaces: [Int] = []
    var previous: [Int: Int] = [:]
    for candidate in candidates {
      let length = lowerBound(endPlaces, places[candidate])
      if length > 0 { previous[candidate] = ends[length - 1] }
      if length == ends.count {
        ends.append(candidate)
        endPlaces.append(places[candidate])
      } else {
        ends[length] = candidate
        endPlaces[length] = places[candidate]
      }
    }
    var kept: Set<Int> = []
    var here = ends.last
    while let candidate = here {
      kept.insert(candidate)
      here = previous[candidate]
    }
    return candidates.filter { !kept.contains($0) }
  }

  /// The number of elements that are less, in a rising list.
  private static func lowerBound(_ sorted: [Int], _ value: Int) -> Int {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
