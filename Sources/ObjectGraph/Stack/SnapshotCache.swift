import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// The row cache: the snapshots that contexts of one coordinator read or saved last, so that faults fire without asking
/// the store.
///
/// It holds a bounded number of rows in two generations: when the young one is full, the old one is forgotten and the
/// young one takes its place. Rows come in blocks, which are only looked into when a row is asked for. Rows of
/// entities with derived attributes are left out, since the store changes them by itself, and so are rows with much
/// binary data.
final class SnapshotCache: Sendable {
  private struct Key: Hashable {
    var root: Int
    var primaryKey: Int64

    init?(_ objectID: ObjectID) {
      guard let primaryKey = objectID.primaryKey else { return nil }
      root = objectID.space.rootIndex
      self.primaryKey = primaryKey
    }
  }

  private struct Entry {
    var block: SnapshotBlock
    var row: Int
    var nanoseconds: UInt64

    var version: Int64 { block.version(at: row) }
  }

  private struct Generation {
    /// Rows that came, those that came again counted twice.
    private(set) var rowCount = 0
    /// Blocks whose rows have not been looked at.
    private(set) var waiting: [(block: SnapshotBlock, nanoseconds: UInt64)] = []
    var entries: [Key: Entry] = [:]

    mutating func add(_ block: SnapshotBlock, _ nanoseconds: UInt64) {
      rowCount += block.count
      waiting.append((block, nanoseconds))
    }

    mutating func removeWaiting() -> [(block: SnapshotBlock, nanoseconds: UInt64)] {
      defer { waiting = [] }
      return waiting
    }
  }

  private struct Generations {
    /// Counts the times that rows were forgotten.
    var epoch = 0
    var young = Generation()
    var old = Generation()

    var isEmpty: Bool { young.rowCount == 0 && old.rowCount == 0 }

    func entry(_ key: Key) -> Entry? { young.entries[key] ?? old.entries[key] }

    mutating func remove(_ key: Key) {
      young.entries[key] = nil
      old.entries[key] = nil
    }

    /// Looks at the rows that came since the last time. Where a newer version of a row is known, neither is kept: the
    /// store is to be asked which one counts.
    mutating func indexWaiting() {
      for (block, nanoseconds) in old.removeWaiting() { index(block, nanoseconds, \.old) }
      for (block, nanoseconds) in young.removeWaiting() { index(block, nanoseconds, \.young) }
    }

    private mutating func index(
      _ block: SnapshotBlock, _ nanoseconds: UInt64, _ place: WritableKeyPath<Generations, Generation>
    ) {
      for row in 0..<block.count {
        guard let key = Key(block.objectID(at: row)) else { continue }
        if let known = entry(key), known.version > block.version(at: row) {
          remove(key)
        } else {
          self[keyPath: place].entries[key] = Entry(block: block, row: row, nanoseconds: nanoseconds)
        }
      }
    }

    mutating func add(_ block: SnapshotBlock, _ nanoseconds: UInt64) {
      if young.rowCount > 0 && young.rowCount + block.count > SnapshotCache.rowsPerGeneration {
        old = young
        young = Generation()
      }
      young.add(block, nanoseconds)
    }
  }

  private static let rowsPerGeneration = 10_000
  private let generations = Mutex(Generations())

  /// The row, unless it was cached longer than `seconds` ago; of any age where that is negative, nil where it is 0.
  func snapshot(_ objectID: ObjectID, notOlderThan seconds: Double) -> Snapshot? {
    guard seconds != 0, let key = Key(objectID) else { return nil }
    let entry = generations.withLock { generations in
      generations.indexWaiting()
      return generations.entry(key)
    }
    guard let entry, entry.block.objectID(at: entry.row) == objectID else { return nil }
    if seconds >= 0 && Double(DispatchTime.now().uptimeNanoseconds - entry.nanoseconds) / 1e9 > seconds { return nil }
    return entry.block.snapshot(at: entry.row)
  }

  /// The rows of some ids that are cached, whatever their age.
  func snapshots(of objectIDs: [ObjectID]) -> [ObjectID: Snapshot] {
    var found: [ObjectID: Snapshot] = [:]
    for id in objectIDs { found[id] = snapshot(id, notOlderThan: -1) }
    return found
  }

  /// The current epoch. Callers read it before they read or write rows, and pass it to `remember`.
  var epoch: Int { generations.withLock { $0.epoch } }

  /// Whether it would keep any of so many rows that come together.
  func hasRoom(for count: Int) -> Bool {
    count > 0 && (count <= Self.rowsPerGeneration || !generations.withLock { $0.isEmpty })
  }

  /// Keeps rows, unless some were forgotten since the epoch: these may be older than what was written meanwhile. Where
  /// a newer version of a row is known, neither is kept. Of more than one generation can hold, only those that are
  /// known already are replaced: their objects have the rows themselves.
  func remember(_ blocks: [SnapshotBlock], readIn epoch: Int, _ coordinator: PersistentStoreCoordinator) {
    let now = DispatchTime.now().uptimeNanoseconds
    let isFlood = blocks.reduce(0) { $0 + $1.count } > Self.rowsPerGeneration
    let blocks = blocks.compactMap { coordinator.cacheablePart(of: $0) }
    generations.withLock { generations in
      if generations.epoch != epoch { return }
      guard isFlood else {
        for block in blocks where block.count > 0 { generations.add(block, now) }
        return
      }
      if generations.isEmpty { return }
      generations.indexWaiting()
      let roots = Set(generations.young.entries.keys.map(\.root)).union(generations.old.entries.keys.map(\.root))
      for block in blocks where !block.allSpaces({ !roots.contains($0.rootIndex) }) {
        for row in 0..<block.count {
          guard let key = Key(block.objectID(at: row)), generations.entry(key) != nil else { continue }
          // In a block of its own, so that the cached row does not keep all rows of the fetch.
          generations.add(SnapshotBlock([block.snapshot(at: row)]), now)
        }
      }
    }
  }

  /// Begins an epoch without these rows.
  /// - Parameter epoch: when the rows were beginning to be written.
  /// - Returns: the new epoch when no other has begun since that one, otherwise nil: another write may have come after
  ///   this one, and what this one wrote is not to be remembered.
  @discardableResult func forget(_ objectIDs: some Sequence<ObjectID>, writtenIn epoch: Int? = nil) -> Int? {
    generations.withLock { generations in
      defer { forget(objectIDs, &generations) }
      let isOnlyOne = epoch == nil || generations.epoch == epoch
      generations.epoch += 1
      return isOnlyOne ? generations.epoch : nil
    }
  }

  /// Begins an epoch without any rows.
  func forgetAll() {
    generations.withLock { generations in
      generations.epoch += 1
      generations.young = Generation()
      generations.old = Generation()
    }
  }

  private func forget(_ objectIDs: some Sequence<ObjectID>, _ generations: inout Generations) {
    if generations.isEmpty { return }
    var isIndexed = false
    for id in objectIDs {
      if !isIndexed {
        generations.indexWaiting()
        isIndexed = true
      }
      if let key = Key(id) { generations.remove(key) }
    }
  }
}

extension PersistentStoreCoordinator {
  /// The rows of a block that faults may fire from copies of.
  fileprivate func cacheablePart(of block: SnapshotBlock) -> SnapshotBlock? {
    let isWhole = block.allSpaces { space in
      let runtime = runtime(space.entity)
      return !runtime.hasDerivedAttributes && !runtime.hasBinaryAttributes
    }
    if isWhole { return block }
    return SnapshotBlock(block.snapshots.filter { runtime($0.objectID.entity).isCacheable($0) })
  }
}

extension EntityRuntime {
  /// Whether faults may fire from a copy of the row.
  fileprivate func isCacheable(_ snapshot: Snapshot) -> Bool {
    if hasDerivedAttributes { return false }
    if !hasBinaryAttributes { return true }
    let greatestByteCount = 16_384
    return snapshot.attributes.reduce(0) { $0 + $1.binaryByteCount } <= greatestByteCount
  }
}

extension Value {
  /// The bytes of binary values, those in a composite included.
  fileprivate var binaryByteCount: Int {
    switch self {
    case .data(let bytes): bytes.count
    case .composite(let elements): elements.values.reduce(0) { $0 + $1.binaryByteCount }
    default: 0
    }
  }
}
