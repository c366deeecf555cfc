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
    let newNames = Set(new.map(\.name))
    deletedSections = old.indices.filter { !newNames.contains(old[$0].name) }
    insertedSections = new.indices.filter { !oldNames.contains(new[$0].name) }
    var stayed: [Int: Int] = [:]
    for change in touched {
      switch (change.from, change.to) {
      case (let from?, nil): deleted.append((change.item, from))
      case (nil, let to?): inserted.append((change.item, to))
      case (let from?, let to?):
        if old[from.section].name == new[to.section].name {
          stayed[to.section] = from.section
        } else {
          moved.append((change.item, from, to))
        }
      case (nil, nil): break
      }
    }
    for (newSection, oldSection) in stayed {
      let walk = TouchedWalk(
        count: new[newSection].items.count,
        touched.map { change in
          TouchedWalk.Touch(
            from: change.from.flatMap { $0.section == oldSection ? $0.item : nil },
            to: change.to.flatMap { $0.section == newSection ? $0.item : nil }, isChanged: change.isChanged)
        })
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
