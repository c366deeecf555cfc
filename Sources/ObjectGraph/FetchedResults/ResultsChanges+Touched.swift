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
  /// - Complexity: linear in the number of items of the sections that touched items are in, and of all sections.
  init(from old: [Section], to new: [Section], touched: [Touched]) {
    self.init()
    let oldNames = Set(old.map(\.name))
    let newIndexes = Dictionary(new.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    /// Where each old section is now.
    let sectionsNow = old.map { newIndexes[$0.name] }
    deletedSections = old.indices.filter { sectionsNow[$0] == nil }
    insertedSections = new.indices.filter { !oldNames.contains(new[$0].name) }
    var touches: [[TouchedWalk.Touch]] = Array(repeating: [], count: new.count)
    var stayed: [Int: Int] = [:]
    for change in touched {
      let sectionBefore = change.from.flatMap { sectionsNow[$0.section] }
      switch (change.from, change.to) {
      case (let from?, nil): deleted.append((change.item, from))
      case (nil, let to?): inserted.append((change.item, to))
      case (let from?, let to?) where sectionBefore == to.section:
        stayed[to.section] = from.section
        touches[to.section].append(.init(from: from.item, to: to.item, isChanged: change.isChanged))
        continue
      case (let from?, let to?): moved.append((change.item, from, to))
      case (nil, nil): break
      }
      if let from = change.from, let sectionBefore {
        touches[sectionBefore].append(.init(from: from.item, to: nil, isChanged: change.isChanged))
      }
      if let to = change.to { touches[to.section].append(.init(from: nil, to: to.item, isChanged: change.isChanged)) }
    }
    for (newSection, oldSection) in stayed {
      let walk = TouchedWalk(count: new[newSection].items.count, touches[newSection])
      for index in OutOfOrder.indexes(walk.places, isChanged: walk.isChanged) {
        let place = Position(section: newSection, item: walk.indexes[index])
        let from = Position(section: oldSection, item: walk.places[index])
        moved.append((new[newSection].items[place.item], from, place))
      }
    }
    let movedPlaces = Set(moved.map(\.to))
    for change in touched where change.isChanged {
      guard let from = change.from, let to = change.to, !movedPlaces.contains(to) else { continue }
      updated.append((change.item, from, to))
    }
    deleted.sort { $0.from < $1.from }
    inserted.sort { $0.to < $1.to }
    moved.sort { $0.to < $1.to }
    updated.sort { $0.from < $1.from }
  }
}

/// Where the things of a list were before some of them came, went and changed their places.
struct TouchedWalk {
  /// What became of one thing, by index.
  struct Touch {
    var from: Int?
    var to: Int?
    var isChanged: Bool
  }

  /// The things that were there before, in their new order: where they are now.
  private(set) var indexes: [Int] = []
  /// Where they were.
  private(set) var places: [Int] = []
  /// Whether they changed.
  private(set) var isChanged: [Bool] = []

  /// - Parameter count: how many things there are now.
  init(count: Int, _ touches: [Touch]) {
    indexes.reserveCapacity(count)
    places.reserveCapacity(count)
    isChanged.reserveCapacity(count)
    let sources = touches.compactMap(\.from).sorted()
    let arrivals = touches.filter { $0.to != nil }.sorted { ($0.to ?? 0) < ($1.to ?? 0) }
    var nextSource = 0
    var nextArrival = 0
    var place = 0
    for index in 0..<count {
      if nextArrival < arrivals.count, arrivals[nextArrival].to == index {
        if let from = arrivals[nextArrival].from { note(index, from, arrivals[nextArrival].isChanged) }
        nextArrival += 1
        continue
      }
      while nextSource < sources.count, sources[nextSource] == place {
        nextSource += 1
        place += 1
      }
      note(index, place, false)
      place += 1
    }
  }

  private mutating func note(_ index: Int, _ place: Int, _ changed: Bool) {
    indexes.append(index)
    places.append(place)
    isChanged.append(changed)
  }
}
