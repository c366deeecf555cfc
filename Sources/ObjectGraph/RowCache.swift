import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// The rows that contexts of one coordinator read or saved last, so that faults fire without asking the store.
///
/// It holds a bounded number of rows in two generations: when the young one is full, the old one is forgotten and the
/// young one takes its place. Rows of entities with derived attributes are left out, since the store changes them by
/// itself, and so are rows with much binary data.
final class RowCache: Sendable {
  private struct Key: Hashable {
    var root: Int
    var primaryKey: Int64
  }

  private struct Entry {
    var row: Snapshot
    var nanoseconds: UInt64
  }

  private struct Generations {
    /// Counts the times that rows were forgotten.
    var epoch = 0
    var young: [Key: Entry] = [:]
    var old: [Key: Entry] = [:]
  }

  private let rowsPerGeneration: Int
  private let generations = Mutex(Generations())

  init(rowsPerGeneration: Int = 10_000) {
    self.rowsPerGeneration = rowsPerGeneration
  }

  /// The row, unless it was cached longer than `seconds` ago; a negative limit is none.
  func row(_ objectID: ObjectID, notOlderThan seconds: Double) -> Snapshot? {
    guard seconds != 0, let key = Self.key(objectID) else { return nil }
    let entry = generations.withLock { $0.young[key] ?? $0.old[key] }
    guard let entry, entry.row.objectID == objectID else { return nil }
    if seconds < 0 { return entry.row }
    let age = Double(DispatchTime.now().uptimeNanoseconds - entry.nanoseconds) / 1e9
    return age <= seconds ? entry.row : nil
  }

  /// To be asked before rows are read or written, and told when they are remembered.
  var epoch: Int { generations.withLock { $0.epoch } }

  /// Keeps rows, unless some were forgotten since the epoch: these may be older than what was written meanwhile. Where
  /// a newer version of a row is known, neither is kept: the store is to be asked which one counts. Of more than one generation can hold, only those that are known already are replaced: their objects
  /// have the rows themselves.
  func remember(
    _ rows: some Collection<Snapshot>, readIn epoch: Int, _ coordinator: PersistentStoreCoordinator
  ) {
    let now = DispatchTime.now().uptimeNanoseconds
    let isFlood = rows.count > rowsPerGeneration
    generations.withLock { generations in
      if generations.epoch != epoch { return }
      if isFlood && generations.young.isEmpty && generations.old.isEmpty { return }
      for row in rows {
        guard let key = Self.key(row.objectID), coordinator.runtime(row.objectID.entity).isCacheable(row) else {
          continue
        }
        let known = generations.young[key] ?? generations.old[key]
        if isFlood && known == nil { continue }
        if let known, known.row.version > row.version {
          generations.young[key] = nil
          generations.old[key] = nil
          continue
        }
        if generations.young.count >= rowsPerGeneration {
          generations.old = generations.young
          generations.young = [:]
        }
        generations.young[key] = Entry(row: row, nanoseconds: now)
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

  private func forget(_ objectIDs: some Sequence<ObjectID>, _ generations: inout Generations) {
    if generations.young.isEmpty && generations.old.isEmpty { return }
    for id in objectIDs {
      guard let key = Self.key(id) else { continue }
      generations.young[key] = nil
      generations.old[key] = nil
    }
  }

  private static func key(_ objectID: ObjectID) -> Key? {
    objectID.primaryKey.map { Key(root: objectID.entity.root.index, primaryKey: $0) }
  }
}

extension EntityRuntime {
  /// Whether faults may fire from a copy of the row.
  fileprivate func isCacheable(_ row: Snapshot) -> Bool {
    if hasDerivedAttributes { return false }
    if !hasBinaryAttributes { return true }
    let greatestByteCount = 16_384
    let byteCount = row.attributes.reduce(0) { sum, value in
      if case .data(let bytes) = value { sum + bytes.count } else { sum }
    }
    return byteCount <= greatestByteCount
  }
}
