extension ResultsChanges {
  /// An item that may have come, gone or changed its place.
  struct Touched {
    let item: Item
    /// Where it was; nil when it was not there.
    var from: Position?
    /// Where it is; nil when it is there no more.
    var to: Position?
    /// Whether its values changed.
    var isChanged: Bool
  }

  /// As `init(from:to:changed:)`, where it is known which items changed: all others are in the order that they had, and
  /// in the sections that they were in.
  /// - Parameters:
  ///   - old: the names of the old sections.
  ///   - isTouched: whether all items of an old section, by its index, are touched ones. All others are in the order
  ///     that they had.
  /// - Complexity: n log n in the number of touched items, linear in that of sections, as long as unchanged items are
  ///   in the order that they had.
  init(from old: [String], to new: [Section], touched: [Touched], isTouched: (Int) -> Bool) {
    self.init()
    let staying = Self.stayingSections(old, new.map(\.name), isTouched)
    /// Where each old section is now.
    let sectionsNow = old.map { staying[$0] }
    deletedSections = old.indices.filter { sectionsNow[$0] == nil }
    insertedSections = new.indices.filter { staying[new[$0].name] == nil }
    var touches: [[(touch: TouchedOrder.Touch, item: Item)]] = Array(repeating: [], count: new.count)
    var stayed: [Int: Int] = [:]
    for change in touched {
      let sectionBefore = change.from.flatMap { sectionsNow[$0.section] }
      switch (change.from, change.to) {
      case (let from?, nil): deleted.append((change.item, from))
      case (nil, let to?): inserted.append((change.item, to))
      case (let from?, let to?) where sectionBefore == to.section:
        stayed[to.section] = from.section
        touches[to.section].append((.init(from: from.item, to: to.item, isChanged: change.isChanged), change.item))
        continue
      case (let from?, let to?): moved.append((change.item, from, to))
      case (nil, nil): break
      }
      if let from = change.from, let sectionBefore {
        touches[sectionBefore].append((.init(from: from.item, to: nil, isChanged: change.isChanged), change.item))
      }
      if let to = change.to {
        touches[to.section].append((.init(from: nil, to: to.item, isChanged: change.isChanged), change.item))
      }
    }
    for (newSection, oldSection) in stayed {
      func move(_ item: Item, _ from: Int, _ to: Int) {
        moved.append((item, .init(section: oldSection, item: from), .init(section: newSection, item: to)))
      }
      let touches = touches[newSection]
      if let displaced = TouchedOrder.displaced(touches.map(\.touch)) {
        for index in displaced {
          let (touch, item) = touches[index]
          if let from = touch.from, let to = touch.to { move(item, from, to) }
        }
      } else {
        let items = new[newSection].items
        for place in TouchedOrder.displaced(touches.map(\.touch), count: items.count) {
          move(items[place.to], place.from, place.to)
        }
      }
    }
    let movedPlaces = Set(moved.map(\.to))
    for change in touched where change.isChanged {
      guard let from = change.from, let to = change.to, !movedPlaces.contains(to) else { continue }
      updated.append((change.item, from, to))
    }
    deleted = Self.sorted(deleted, by: deleted.map(\.from))
    inserted = Self.sorted(inserted, by: inserted.map(\.to))
    moved = Self.sorted(moved, by: moved.map(\.to))
    updated = Self.sorted(updated, by: updated.map(\.from))
  }

  /// Sorts positions instead of the changes, whose size generic code does not have.
  private static func sorted<Change>(_ changes: [Change], by places: [Position]) -> [Change] {
    places.indices.sorted { places[$0] < places[$1] }.map { changes[$0] }
  }
}
