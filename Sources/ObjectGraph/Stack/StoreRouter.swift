import Foundation
import ObjectModel
import Predicates
import StoreInterface
import Synchronization

/// Makes several stores look like one: asks those that hold an entity, and gives each its part of a save.
///
/// A save over several stores is one transaction in each, and none is committed before all stores have written and checked
/// their parts: a conflict in one leaves all as they were. Only a commit that itself fails, on a full disk for instance,
/// or one of two stores that cannot undo what they write (`TwoPhaseSaving`), can leave some saved and others not.
final class StoreRouter: MonitoredFetching {
  /// A store and what it holds.
  struct AttachedStore: Sendable {
    let store: any PersistentStore
    /// The same store, where it can be followed while it fetches.
    let monitored: (any MonitoredFetching)?
    /// The same store, where it can check a save before the save is final.
    let twoPhase: (any TwoPhaseSaving)?
    /// The same store, where it can change many objects by itself.
    let batchWriting: (any BatchWriting)?
    /// Whether closures can be asked about all of its objects.
    let isInMemory: Bool
    let identifier: String
    /// What ids of its objects have in common, by `Entity.index`.
    let idSpaces: ObjectID.Spaces
    let url: URL?
    /// As the store says, or as it was described.
    let isReadOnly: Bool
    /// `Entity.index` of the entities of its configuration; nil for all.
    let entities: Set<Int>?

    /// For messages.
    var name: String { "the store \((url ?? store.url)?.path ?? identifier)" }

    /// Whether objects of this very entity may be kept here.
    func holds(_ entity: Entity) -> Bool { entities?.contains(entity.index) ?? true }

    /// Whether objects that a request for the entity selects may be kept here.
    func isAsked(for request: FetchSpecification) -> Bool {
      if request.affectedStores?.contains(identifier) == false { return false }
      return holds(request.entity) || (request.includesSubentities && holdsAny(of: request.entity.subentities))
    }

    private func holdsAny(of entities: [Entity]) -> Bool {
      entities.contains { holds($0) || holdsAny(of: $0.subentities) }
    }
  }

  let model: ManagedObjectModel
  private let attached = Mutex<[AttachedStore]>([])

  init(model: ManagedObjectModel) {
    self.model = model
  }

  var attachedStores: [AttachedStore] { attached.withLock { $0 } }

  /// The one store for all entities, or this router.
  var storeForAll: any PersistentStore {
    attached.withLock { stores in
      if stores.count == 1 && stores[0].entities == nil { return stores[0].store }
      return self
    }
  }

  var isReadOnly: Bool {
    let stores = attachedStores
    return !stores.isEmpty && stores.allSatisfy(\.isReadOnly)
  }

  func close() throws {
    for store in attachedStores { try store.store.close() }
  }

  var identifier: String { attachedStores.map(\.identifier).joined(separator: "+") }

  /// The indexes of the entities of a configuration; nil for all entities.
  func entities(inConfiguration name: String?) throws(StoreError) -> Set<Int>? {
    guard let name else { return nil }
    guard let entities = model.entities(inConfiguration: name) else {
      throw .failure("the model has no configuration \"\(name)\"")
    }
    return Set(entities.map(\.index))
  }

  func add(
    _ store: any PersistentStore, configuration: String?, url: URL? = nil, isReadOnly: Bool = false
  ) throws {
    guard store.model === model else {
      throw StoreError.failure("the store was opened with another model than the coordinator's")
    }
    let entry = AttachedStore(
      store: store, monitored: store as? any MonitoredFetching, twoPhase: store as? any TwoPhaseSaving,
      batchWriting: store as? any BatchWriting, isInMemory: store is any InMemoryFetching,
      identifier: store.identifier,
      idSpaces: model.idSpaces(store: store.identifier), url: url,
      isReadOnly: isReadOnly || store.isReadOnly, entities: try entities(inConfiguration: configuration))
    try attached.withLock { stores in
      if stores.contains(where: { $0.identifier == entry.identifier }) {
        throw StoreError.failure("a store with the identifier \(entry.identifier) has been added already")
      }
      stores.append(entry)
    }
  }

  func remove(_ store: any PersistentStore) throws {
    try attached.withLock { stores in
      guard let index = stores.firstIndex(where: { $0.store === store }) else {
        throw StoreError.failure("the store \(store.identifier) is none of the coordinator's")
      }
      stores.remove(at: index)
    }
  }

  /// The position of the store that gets new objects of an entity: the first that holds it and can be written.
  /// - Parameter identifier: the store that an object was assigned to; nil takes any.
  static func position(for entity: Entity, assigned identifier: String?, among stores: [AttachedStore]) throws -> Int {
    func isWanted(_ store: AttachedStore) -> Bool {
      store.holds(entity) && (identifier ?? store.identifier) == store.identifier
    }
    if let position = stores.firstIndex(where: { !$0.isReadOnly && isWanted($0) }) { return position }
    let names = stores.filter(isWanted).map(\.name)
    if names.isEmpty { throw missingStore(for: entity) }
    throw StoreError.unsupported(
      "new objects of \(entity.name) cannot be saved: \(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") "
        + "read-only")
  }

  private static func missingStore(for entity: Entity) -> StoreError {
    .failure("no store has been added that holds objects of \(entity.name)")
  }

  // MARK: Reading

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try snapshots(request, following: nil) }

  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try snapshots(request, following: monitor)
  }

  private func snapshots(_ request: FetchSpecification, following monitor: FetchMonitor?) throws -> [Snapshot] {
    func ask(_ attached: AttachedStore, _ request: FetchSpecification, after count: Int) throws -> [Snapshot] {
      guard let monitor else { return try attached.store.snapshots(request) }
      if let monitored = attached.monitored {
        return try monitored.snapshots(request, monitor: monitor.rest(after: count))
      }
      // In one piece, which ends early only before it begins.
      try monitor.check()
      let found = try attached.store.snapshots(request)
      try monitor.check()
      return found
    }
    let stores = try attachedStores(askedFor: request)
    if stores.count == 1 { return try ask(stores[0], request, after: 0) }
    var part = request
    part.fetchOffset = 0
    if request.fetchLimit > 0 {
      let (limit, isTooLarge) = request.fetchLimit.addingReportingOverflow(max(request.fetchOffset, 0))
      part.fetchLimit = isTooLarge ? 0 : limit
    }
    var rows: [SortedRow] = []
    for (position, store) in stores.enumerated() {
      let snapshots = try ask(store, part, after: rows.count)
      let keys = try SortKeys(store: store.store, snapshots: snapshots).values(request.sortDescriptors.map(\.keyPath))
      for (snapshot, key) in zip(snapshots, keys) {
        rows.append(SortedRow(snapshot: snapshot, values: key, store: position))
      }
    }
    rows.sort { SortedRow.precedes($0, $1, request.sortDescriptors) }
    let rest = rows.dropFirst(max(request.fetchOffset, 0))
    return (request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest).map(\.snapshot)
  }

  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    let stores = try storesAsked(for: request)
    return stores.count == 1 ? try stores[0].snapshotBlocks(request) : [SnapshotBlock(try snapshots(request))]
  }

  func count(_ request: FetchSpecification) throws -> Int {
    let stores = try storesAsked(for: request)
    if stores.count == 1 { return try stores[0].count(request) }
    var whole = request
    whole.fetchLimit = 0
    whole.fetchOffset = 0
    let rest = max(try stores.reduce(0) { $0 + (try $1.count(whole)) } - max(request.fetchOffset, 0), 0)
    return request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest
  }

  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    let stores = try storesAsked(for: request)
    return stores.count == 1 ? try stores[0].objectIDs(request) : try snapshots(request).map(\.objectID)
  }

  /// - Throws: `StoreError.unsupported` when several stores hold the entity: their groups cannot be put together.
  func rows(_ request: FetchSpecification) throws -> FetchedRows {
    let stores = try storesAsked(for: request)
    if stores.count == 1 { return try stores[0].rows(request) }
    throw StoreError.unsupported(
      "\(request.entity.name) is in \(stores.count) stores, and dictionaries come from one: fetch objects instead")
  }

  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    guard let store = store(of: owner) else { return [] }
    return try store.members(of: owner, relationship: relationship)
  }

  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    var lists: [[ObjectID]] = Array(repeating: [], count: owners.count)
    for attached in attachedStores {
      let positions = owners.indices.filter { position in
        if case .permanent(attached.identifier, _) = owners[position].reference { true } else { false }
      }
      if positions.isEmpty { continue }
      let found = try attached.store.members(of: positions.map { owners[$0] }, relationship: relationship)
      for (position, members) in zip(positions, found) { lists[position] = members }
    }
    return lists
  }

  private func storesAsked(for request: FetchSpecification) throws -> [any PersistentStore] {
    try attachedStores(askedFor: request).map(\.store)
  }

  private func attachedStores(askedFor request: FetchSpecification) throws -> [AttachedStore] {
    let stores = attachedStores.filter { $0.isAsked(for: request) }
    if stores.isEmpty { throw Self.missingStore(for: request.entity) }
    return stores
  }

  private func store(of objectID: ObjectID) -> (any PersistentStore)? {
    guard case .permanent(let identifier, _) = objectID.reference else { return nil }
    return attachedStores.first { $0.identifier == identifier }?.store
  }
}

/// A row of one of several stores with what it is sorted by.
private struct SortedRow {
  var snapshot: Snapshot
  var values: [Value]
  var store: Int

  static func precedes(_ left: SortedRow, _ right: SortedRow, _ descriptors: [FetchSortDescriptor]) -> Bool {
    for (index, descriptor) in descriptors.enumerated() {
      let order = descriptor.comparison.order(left.values[index], right.values[index])
      if order != 0 { return (order < 0) == descriptor.isAscending }
    }
    return (left.store, left.snapshot.objectID.primaryKey ?? 0) < (right.store, right.snapshot.objectID.primaryKey ?? 0)
  }
}

/// Looks up what rows are sorted by, one fetch for each relationship on the way and all rows.
private struct SortKeys {
  let store: any PersistentStore
  let snapshots: [Snapshot]

  /// For each snapshot the value at each key path.
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
