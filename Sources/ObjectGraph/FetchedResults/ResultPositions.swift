import Foundation

/// Where objects are in the sections of results: searched for one by one at first, and noted of all objects once so
/// many were searched for that it pays.
struct ResultPositions {
  /// Where every object is; nil until noting that pays.
  private var positions: [ManagedObject: IndexPath]?
  /// How many objects were searched for without knowing.
  private var searchCount = 0
  private static let mostSearches = 16

  /// Where an object is in the present sections; nil when it is not there.
  mutating func indexPath(forObject object: ManagedObject, in content: TrackedResults.Content) -> IndexPath? {
    if let positions { return positions[object] }
    if searchCount < Self.mostSearches {
      searchCount += 1
      let scan = AddressScan(CollectionOfOne<ManagedObject>(object))
      for (section, part) in content.enumerated() {
        if let item = scan.indexes(in: part.items).first { return [section, item] }
      }
      return nil
    }
    var found: [ManagedObject: IndexPath] = [:]
    for (section, part) in content.enumerated() {
      for (item, object) in part.items.enumerated() { found[object] = [section, item] }
    }
    positions = found
    return found[object]
  }

  /// Forgets everything, because the sections are others.
  mutating func reset() {
    positions = nil
    searchCount = 0
  }
}
