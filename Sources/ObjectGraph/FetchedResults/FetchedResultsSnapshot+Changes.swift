import ObjectModel

extension FetchedResultsSnapshot {
  /// The snapshot after changes whose touched objects are known; this snapshot is the one before them.
  /// - Complexity: linear in the number of ids of the sections that touched objects are in, and of all sections.
  func following<Object: ManagedObject>(
    to content: [ResultsChanges<Object>.Section], _ touched: [ResultsChanges<Object>.Touched]
  ) -> FetchedResultsSnapshot {
    let before = Dictionary(
      sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let left = Dictionary(grouping: touched.compactMap(\.from), by: \.section).mapValues { $0.map(\.item).sorted() }
    let come = Dictionary(grouping: touched.compactMap(\.to), by: \.section).mapValues { $0.map(\.item).sorted() }
    return FetchedResultsSnapshot(
      sections: content.enumerated().map { index, section in
        let old = before[section.name]
        let oldIDs = old.map { sections[$0].objectIDs } ?? []
        let gone = old.flatMap { left[$0] } ?? []
        let new = come[index] ?? []
        if gone.isEmpty && new.isEmpty { return Section(name: section.name, objectIDs: oldIDs) }
        var kept: [ObjectID] = []
        kept.reserveCapacity(oldIDs.count)
        var start = 0
        for item in gone {
          kept += oldIDs[start..<item]
          start = item + 1
        }
        kept += oldIDs[start...]
        var ids: [ObjectID] = []
        ids.reserveCapacity(section.items.count)
        var next = 0
        for item in new {
          let count = item - ids.count
          ids += kept[next..<(next + count)]
          next += count
          ids.append(section.items[item].objectID)
        }
        ids += kept[next...]
        return Section(name: section.name, objectIDs: ids)
      })
  }

  /// The smallest difference of the ids, without regard to sections.
  /// - Complexity: n log n in the number of touched objects, linear in that of sections.
  func difference<Object: ManagedObject>(
    to new: FetchedResultsSnapshot, _ touched: [ResultsChanges<Object>.Touched]
  ) -> CollectionDifference<ObjectID>? {
    let oldStarts = starts
    let newStarts = new.starts
    func flat(_ position: ResultsChanges<Object>.Position?, _ starts: [Int]) -> Int? {
      position.map { starts[$0.section] + $0.item }
    }
    let touches = touched.map {
      TouchedOrder.Touch(from: flat($0.from, oldStarts), to: flat($0.to, newStarts), isChanged: true)
    }
    typealias Part = (offset: Int, element: ObjectID, associatedOffset: Int?)
    var removals: [Part] = []
    var insertions: [Part] = []
    for (touch, change) in zip(touches, touched) {
      switch (touch.from, change.from, touch.to, change.to) {
      case (let offset?, let from?, nil, _):
        removals.append((offset, sections[from.section].objectIDs[from.item], nil))
      case (nil, _, let offset?, let to?):
        insertions.append((offset, new.sections[to.section].objectIDs[to.item], nil))
      default: break
      }
    }
    for index in TouchedOrder.displaced(touches) ?? [] {
      guard let from = touches[index].from, let to = touches[index].to, let place = touched[index].to else { continue }
      let id = new.sections[place.section].objectIDs[place.item]
      removals.append((from, id, to))
      insertions.append((to, id, from))
    }
    // In the order of a difference, which takes them faster so.
    removals.sort { $0.offset < $1.offset }
    insertions.sort { $0.offset < $1.offset }
    return CollectionDifference(
      removals.map { .remove(offset: $0.offset, element: $0.element, associatedWith: $0.associatedOffset) }
        + insertions.map { .insert(offset: $0.offset, element: $0.element, associatedWith: $0.associatedOffset) })
  }

  /// How many ids stand before each section.
  private var starts: [Int] {
    var count = 0
    return sections.map { section in
      defer { count += section.objectIDs.count }
      return count
    }
  }
}
