import ObjectModel
import SQLite

/// The rows of one entity that are asked for by their ids: their primary keys in ascending order, each with its
/// position in the list of them. Neighbours in a table are read and deleted together, which costs far less than a
/// search for each.
struct KeyedPositions {
  let entity: Entity
  private(set) var keys: [Int64] = []
  private(set) var positions: [Int] = []
  /// Rows that were not asked for and are still read along, between two that are wanted.
  private static let greatestGap: Int64 = 8

  private init(_ entity: Entity) { self.entity = entity }

  /// One list for each entity, in the order in which entities come first.
  /// - Parameter id: the id at a position, which is one of the store.
  static func byEntity(_ count: Int, in file: StoreFile, _ id: (Int) -> ObjectID) -> [KeyedPositions] {
    var lists: [KeyedPositions] = []
    var indexes: [Int: Int] = [:]
    var last: (entityIndex: Int, list: Int)?
    for position in 0..<count {
      let id = id(position)
      guard let key = file.primaryKey(of: id) else { continue }
      let entityIndex = id.space.entityIndex
      if last?.entityIndex != entityIndex {
        let list = indexes[entityIndex] ?? lists.count
        if list == lists.count { lists.append(KeyedPositions(id.entity)) }
        indexes[entityIndex] = list
        last = (entityIndex, list)
      }
      guard let list = last?.list else { continue }
      lists[list].keys.append(key)
      lists[list].positions.append(position)
    }
    for index in lists.indices { lists[index].sort() }
    return lists
  }

  /// The list of ids that are all of one entity of the store; nil where they are not. It looks at the ids where they
  /// lie.
  static func list(of ids: [ObjectID], in file: StoreFile) -> KeyedPositions? {
    guard let space = ids.first?.space, space.entityIndex < file.idSpaces.list.count,
      file.idSpaces[space.entityIndex] === space
    else { return nil }
    var list = KeyedPositions(space.entity)
    list.keys.reserveCapacity(ids.count)
    let isOfSpace = unsafe ids.withUnsafeBufferPointer { ids in
      for index in ids.indices {
        guard unsafe ids[index].space === space else { return false }
        // Of a permanent id, that is the primary key.
        list.keys.append(Int64(bitPattern: unsafe ids[index].high))
      }
      return true
    }
    if !isOfSpace { return nil }
    list.positions = Array(ids.indices)
    list.sort()
    return list
  }

  /// The rows of an entity with these keys, which may occur more than once.
  init(_ entity: Entity, keys: [Int64]) {
    self.init(entity)
    self.keys = keys
    if !zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) {
      self.keys = []
      for key in keys.sorted() where self.keys.last != key { self.keys.append(key) }
    }
    positions = Array(self.keys.indices)
  }

  private mutating func sort() {
    if zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) { return }
    let order = keys.indices.sorted { keys[$0] < keys[$1] }
    keys = order.map { keys[$0] }
    positions = order.map { positions[$0] }
  }

  /// Runs a statement over the rows that are there.
  /// - Parameters:
  ///   - statement: gives rows in the order of their keys, which are its first column, from key ?1 to key ?2.
  ///   - body: is called for every wanted row, with its position.
  func scan(_ statement: Statement, _ body: (Int) throws -> Void) throws {
    defer { statement.reset() }
    var next = 0
    while next < keys.count {
      var end = next + 1
      while end < keys.count && Self.areNear(keys[end - 1], keys[end], within: Self.greatestGap) { end += 1 }
      statement.reset()
      try statement.bind(1, keys[next])
      try statement.bind(2, keys[end - 1])
      while try statement.step() {
        let key = statement.int64(at: 0)
        while next < end && keys[next] < key { next += 1 }
        guard next < end, keys[next] == key else { continue }
        try body(positions[next])
        next += 1
      }
      next = end
    }
  }

  /// Whether `next` is greater than a number by the gap at most.
  static func areNear(_ number: Int64, _ next: Int64, within greatestGap: Int64) -> Bool {
    let (gap, isFar) = next.subtractingReportingOverflow(number)
    return !isFar && gap <= greatestGap
  }

  /// The ranges of keys in which every key is wanted.
  func forEachRun(_ body: (ClosedRange<Int64>) throws -> Void) rethrows {
    var start = 0
    while start < keys.count {
      var end = start + 1
      while end < keys.count && keys[end] == keys[end - 1] + 1 { end += 1 }
      try body(keys[start]...keys[end - 1])
      start = end
    }
  }
}
