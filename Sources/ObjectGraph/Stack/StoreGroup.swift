import ObjectModel
import Predicates
import StoreInterface

/// Several stores, or a generation of each, read as one.
struct StoreGroup: MonitoredFetching {
  /// One of the stores.
  struct Part: Sendable {
    let attached: StoreRouter.AttachedStore
    /// The store itself, or a generation of it.
    let reader: any StoreReading
    /// The same, where it can be followed while it fetches.
    let monitored: (any MonitoredFetching)?

    /// A store as it is whenever it is asked.
    init(_ attached: StoreRouter.AttachedStore) {
      self.attached = attached
      reader = attached.store
      monitored = attached.monitored
    }

    /// A store as it was.
    init(_ attached: StoreRouter.AttachedStore, _ generation: any StoreGeneration) {
      self.attached = attached
      reader = generation
      monitored = generation
    }
  }

  let model: ManagedObjectModel
  let parts: [Part]

  var identifier: String { parts.map(\.attached.identifier).joined(separator: "+") }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try snapshots(request, following: nil) }

  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try snapshots(request, following: monitor)
  }

  private func snapshots(_ request: FetchSpecification, following monitor: FetchMonitor?) throws -> [Snapshot] {
    func ask(_ part: Part, _ request: FetchSpecification, after count: Int) throws -> [Snapshot] {
      guard let monitor else { return try part.reader.snapshots(request) }
      if let monitored = part.monitored {
        return try monitored.snapshots(request, monitor: monitor.rest(after: count))
      }
      // In one piece, which ends early only before it begins.
      try monitor.check()
      let found = try part.reader.snapshots(request)
      try monitor.check()
      return found
    }
    let asked = try parts(askedFor: request)
    if asked.count == 1 { return try ask(asked[0], request, after: 0) }
    var part = request
    part.fetchOffset = 0
    if request.fetchLimit > 0 {
      let (limit, isTooLarge) = request.fetchLimit.addingReportingOverflow(max(request.fetchOffset, 0))
      part.fetchLimit = isTooLarge ? 0 : limit
    }
    var rows: [SortedSnapshot] = []
    for (position, store) in asked.enumerated() {
      let snapshots = try ask(store, part, after: rows.count)
      let keys = try SortKeys(store: store.reader, snapshots: snapshots).values(request.sortDescriptors.map(\.keyPath))
      for (snapshot, key) in zip(snapshots, keys) {
        rows.append(SortedSnapshot(snapshot: snapshot, values: key, store: position))
      }
    }
    rows.sort { SortedSnapshot.precedes($0, $1, request.sortDescriptors) }
    let rest = rows.dropFirst(max(request.fetchOffset, 0))
    return (request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest).map(\.snapshot)
  }

  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    let stores = try readers(askedFor: request)
    return stores.count == 1 ? try stores[0].snapshotBlocks(request) : [SnapshotBlock(try snapshots(request))]
  }

  func count(_ request: FetchSpecification) throws -> Int {
    let stores = try readers(askedFor: request)
    if stores.count == 1 { return try stores[0].count(request) }
    var whole = request
    whole.fetchLimit = 0
    whole.fetchOffset = 0
    let rest = max(try stores.reduce(0) { $0 + (try $1.count(whole)) } - max(request.fetchOffset, 0), 0)
    return request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest
  }

  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    let stores = try readers(askedFor: request)
    return stores.count == 1 ? try stores[0].objectIDs(request) : try snapshots(request).map(\.objectID)
  }

  /// - Throws: `StoreError.unsupported` when several stores hold the entity: their groups cannot be put together.
  func rows(_ request: FetchSpecification) throws -> FetchedRows {
    let stores = try readers(askedFor: request)
    if stores.count == 1 { return try stores[0].rows(request) }
    throw StoreError.unsupported(
      "\(request.entity.name) is in \(stores.count) stores, and dictionaries come from one: fetch objects instead")
  }

  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    guard case .permanent(let identifier, _) = owner.reference,
      let part = parts.first(where: { $0.attached.identifier == identifier })
    else { return [] }
    return try part.reader.members(of: owner, relationship: relationship)
  }

  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    var lists: [[ObjectID]] = Array(repeating: [], count: owners.count)
    for part in parts {
      let positions = owners.indices.filter { position in
        if case .permanent(part.attached.identifier, _) = owners[position].reference { true } else { false }
      }
      if positions.isEmpty { continue }
      let found = try part.reader.members(of: positions.map { owners[$0] }, relationship: relationship)
      for (position, members) in zip(positions, found) { lists[position] = members }
    }
    return lists
  }

  private func readers(askedFor request: FetchSpecification) throws -> [any StoreReading] {
    try parts(askedFor: request).map(\.reader)
  }

  private func parts(askedFor request: FetchSpecification) throws -> [Part] {
    let asked = parts.filter { $0.attached.isAsked(for: request) }
    if asked.isEmpty { throw StoreRouter.missingStore(for: request.entity) }
    return asked
  }
}

/// A snapshot from one of several stores with what it is sorted by.
private struct SortedSnapshot {
  var snapshot: Snapshot
  var values: [Value]
  var store: Int

  static func precedes(_ left: SortedSnapshot, _ right: SortedSnapshot, _ descriptors: [FetchSortDescriptor]) -> Bool {
    descriptors.precedes({ left.values[$0] }, { right.values[$0] })
      ?? ((left.store, left.snapshot.objectID.primaryKey ?? 0)
        < (right.store, right.snapshot.objectID.primaryKey ?? 0))
  }
}

/// Looks up what rows are sorted by, one fetch for each relationship on the way and all rows.
private struct SortKeys {
  let store: any StoreReading
  let snapshots: [Snapshot]

  /// The values at all key paths, one list for each snapshot.
  func values(_ keyPaths: [FetchPredicate.KeyPath]) throws -> [[Value]] {
    let columns = try keyPaths.map { try column($0) }
    return snapshots.indices.map { row in columns.map { $0[row] } }
  }

  private func column(_ keyPath: FetchPredicate.KeyPath) throws -> [Value] {
    var here: [Snapshot?] = snapshots
    var rest = keyPath[...]
    while rest.count > 1, let step = rest.first,
      here.lazy.compactMap({ $0 }).first?.objectID.entity.relationship(step) != nil
    {
      rest.removeFirst()
      let ids = here.map { $0.flatMap { destination(of: $0, step) } }
      let found = try fetch(Set(ids.compactMap { $0 }))
      here = ids.map { $0.flatMap { found[$0] } }
    }
    return here.map { snapshot in
      guard let snapshot, let name = rest.first,
        let index = snapshot.objectID.entity.attributes.firstIndex(where: { $0.name == name })
      else { return .null }
      return snapshot.attributes[index].element(at: rest.dropFirst())
    }
  }

  private func destination(of snapshot: Snapshot, _ name: String) -> ObjectID? {
    snapshot.objectID.entity.relationships.firstIndex { $0.name == name }.flatMap { snapshot.toOne[$0] }
  }

  private func fetch(_ ids: Set<ObjectID>) throws -> [ObjectID: Snapshot] {
    var found: [ObjectID: Snapshot] = [:]
    for (root, ids) in Dictionary(grouping: ids, by: \.entity.root) {
      var request = FetchSpecification(root)
      request.predicate = .selfIsIn(Array(ids))
      for snapshot in try store.snapshots(request) { found[snapshot.objectID] = snapshot }
    }
    return found
  }
}
