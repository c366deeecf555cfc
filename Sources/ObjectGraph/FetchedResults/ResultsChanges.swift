/// The changes that turn one arrangement of sections and items into another, in the terms of a table view.
///
/// Positions in `deleted…` and `from` are those before all changes, positions in `inserted…` and `to` those after.
struct ResultsChanges<Item: Hashable> {
  /// A named run of items.
  struct Section {
    var name: String
    var items: [Item]
  }

  typealias Position = ResultsPosition

  var deletedSections: [Int] = []
  var insertedSections: [Int] = []
  var deleted: [(item: Item, from: Position)] = []
  var inserted: [(item: Item, to: Position)] = []
  var moved: [(item: Item, from: Position, to: Position)] = []
  /// Items that changed and stay where they are, but for what is inserted and deleted around them.
  var updated: [(item: Item, from: Position, to: Position)] = []

  var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty && moved.isEmpty
      && updated.isEmpty
  }

  /// A list without changes.
  init() {}

  /// Sections that change their order, as few as possible, are deleted and inserted, and their items move.
  /// - Parameters:
  ///   - old: the arrangement before; each item and each section name occurs once.
  ///   - new: the one after.
  ///   - changed: items whose values changed.
  /// - Complexity: n log n in the number of items.
  init(from old: [Section], to new: [Section], changed: Set<Item>) {
    let staying = Self.stayingSections(old.map(\.name), new.map(\.name)) { _ in false }
    deletedSections = old.indices.filter { staying[old[$0].name] == nil }
    insertedSections = new.indices.filter { staying[new[$0].name] == nil }
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
        if old[from.section].name == content.name, staying[content.name] != nil {
          stayed.append(item)
        } else {
          moved.append((item, from, place))
        }
      }
      let places = stayed.map { before[$0]?.item ?? 0 }
      for index in OutOfOrder.indexes(places, isChanged: stayed.map { changed.contains($0) }) {
        if let from = before[stayed[index]], let to = after[stayed[index]] { moved.append((stayed[index], from, to)) }
      }
    }
    moved.sort { $0.to < $1.to }
    let movedItems = Set(moved.map(\.item))
    updated = changed.compactMap { item in
      guard !movedItems.contains(item), let from = before[item], let to = after[item] else { return nil }
      return (item, from, to)
    }.sorted { $0.from < $1.from }
  }

  /// The sections that are there before and after without changing their order, by name, with their new indexes.
  /// - Parameter mayMove: whether an old section, by its index, is to change its order rather than others.
  static func stayingSections(_ old: [String], _ new: [String], _ mayMove: (Int) -> Bool) -> [String: Int] {
    let places = Dictionary(old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let common = new.indices.filter { places[new[$0]] != nil }
    let before = common.map { places[new[$0]] ?? 0 }
    var result = Dictionary(common.map { (new[$0], $0) }, uniquingKeysWith: { first, _ in first })
    for index in OutOfOrder.indexes(before, isChanged: before.map(mayMove)) { result[new[common[index]]] = nil }
    return result
  }

  private static func positions(_ sections: [Section]) -> [Item: Position] {
    var result: [Item: Position] = [:]
    for (section, content) in sections.enumerated() {
      for (index, item) in content.items.enumerated() { result[item] = Position(section: section, item: index) }
    }
    return result
  }
}

/// A section and an item in it, both from 0.
struct ResultsPosition: Hashable, Comparable {
  var section: Int
  var item: Int

  static func < (left: ResultsPosition, right: ResultsPosition) -> Bool {
    (left.section, left.item) < (right.section, right.item)
  }
}
