import ObjectModel

/// Which source object became which new objects, both ways, for each entity mapping: ids alone, some 150 bytes a pair.
struct AssociationTable {
  /// One id, as almost always, or several.
  private enum Partners {
    case one(ObjectID)
    case many([ObjectID])

    var all: [ObjectID] {
      switch self {
      case .one(let id): [id]
      case .many(let ids): ids
      }
    }

    mutating func add(_ id: ObjectID) { if !all.contains(id) { self = .many(all + [id]) } }
  }

  private struct Pairs {
    var destinations: [ObjectID: Partners] = [:]
    var sources: [ObjectID: Partners] = [:]
    /// The sources in the order in which they were associated.
    var sourceOrder: [ObjectID] = []
    var destinationOrder: [ObjectID] = []
  }

  private var pairs: [String: Pairs] = [:]

  mutating func associate(_ source: ObjectID, _ destination: ObjectID, mapping: String) {
    var found = pairs.removeValue(forKey: mapping) ?? Pairs()
    if found.destinations[source]?.add(destination) == nil {
      found.destinations[source] = .one(destination)
      found.sourceOrder.append(source)
    }
    if found.sources[destination]?.add(source) == nil {
      found.sources[destination] = .one(source)
      found.destinationOrder.append(destination)
    }
    pairs[mapping] = found
  }

  /// The new objects that a mapping made from a source object.
  func destinations(of source: ObjectID, mapping: String) -> [ObjectID] {
    pairs[mapping]?.destinations[source]?.all ?? []
  }

  /// The source objects from which a mapping made a new object.
  func sources(of destination: ObjectID, mapping: String) -> [ObjectID] {
    pairs[mapping]?.sources[destination]?.all ?? []
  }

  /// All new objects that a mapping made, in the order in which they were associated.
  func destinations(mapping: String) -> [ObjectID] { pairs[mapping]?.destinationOrder ?? [] }

  /// All source objects that a mapping made new objects from, in the order in which they were associated.
  func sources(mapping: String) -> [ObjectID] { pairs[mapping]?.sourceOrder ?? [] }

  mutating func removeAll() { pairs = [:] }
}
