import ObjectModel
import Predicates
import StoreInterface

extension StoreRouter {
  func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    let stores = attachedStores
    let position = try Self.position(for: entity, assigned: nil, among: stores)
    return try stores[position].store.reservePrimaryKeys(count, for: entity)
  }

  /// - Throws: `StoreError.unsupported` when the request changes or deletes an object of a read-only store.
  func requireWritable(_ request: SaveRequest) throws {
    let readOnly = attachedStores.filter(\.isReadOnly)
    if readOnly.isEmpty { return }
    func check(_ ids: some Sequence<ObjectID>) throws {
      for id in ids {
        guard let store = readOnly.first(where: { $0.identifier == id.space.store }) else { continue }
        throw StoreError.unsupported(
          "an object of \(id.entity.name) cannot be saved: \(store.name), in which it is, is read-only")
      }
    }
    try check(request.inserted.lazy.map(\.objectID))
    try check(request.updated.lazy.map(\.objectID))
    try check(request.deleted.lazy.map(\.objectID))
    try check(request.toMany.lazy.map(\.owner))
  }

  func save(_ request: SaveRequest) throws {
    var parts: [String: SaveRequest] = [:]
    var empty = SaveRequest()
    empty.author = request.author
    empty.contextName = request.contextName
    func add(_ id: ObjectID, _ change: (inout SaveRequest) -> Void) throws {
      guard case .permanent(let identifier, _) = id.reference else {
        throw StoreError.failure("\(id.entity.name): an object to be saved has no permanent id")
      }
      change(&parts[identifier, default: empty])
    }
    for snapshot in request.inserted {
      try requireOneStore(snapshot.objectID, snapshot.toOne)
      try add(snapshot.objectID) { $0.inserted.append(snapshot) }
    }
    for snapshot in request.updated {
      try requireOneStore(snapshot.objectID, snapshot.toOne)
      try add(snapshot.objectID) { $0.updated.append(snapshot) }
    }
    for deletion in request.deleted { try add(deletion.objectID) { $0.deleted.append(deletion) } }
    for change in request.toMany {
      try requireOneStore(change.owner, change.members)
      try add(change.owner) { $0.toMany.append(change) }
    }
    let stores = attachedStores
    // A read-only store takes no save, not even one that only asks.
    let writable = Set(stores.filter { !$0.isReadOnly }.map(\.identifier))
    for object in request.checked where object.objectID.space.store.map(writable.contains) == true {
      try add(object.objectID) { $0.checked.append(object) }
    }
    for identifier in parts.keys where !stores.contains(where: { $0.identifier == identifier }) {
      throw StoreError.failure("the store \(identifier) has been removed; its objects cannot be saved")
    }
    // One order for all saves, as each store is locked from its part of the save on. Those that write when the others
    // have checked come later, and those that cannot even check before they write come last.
    func rank(_ store: AttachedStore) -> Int { store.twoPhase.map { $0.writesAfterBody ? 1 : 0 } ?? 2 }
    let asked = stores.filter { parts[$0.identifier] != nil }.sorted {
      (rank($0), $0.identifier) < (rank($1), $1.identifier)
    }
    do {
      try save(asked.map { ($0, parts[$0.identifier, default: SaveRequest()]) }[...])
    } catch StoreError.optimisticLockingFailure(let stale) {
      // The parts of the other stores have been undone, or were not begun.
      let known = Set(stale.map(\.objectID.space.store))
      let others = try asked.filter { !known.contains($0.identifier) }
        .flatMap { try staleObjects(parts[$0.identifier, default: SaveRequest()], $0.store) }
      throw StoreError.optimisticLockingFailure(stale + others)
    }
  }

  /// The objects of a store's part of a save whose rows are not what they were when they were read.
  private func staleObjects(
    _ request: SaveRequest, _ store: any PersistentStore
  ) throws -> [(objectID: ObjectID, expected: Int64, found: Int64?)] {
    let expected =
      request.updated.map { (objectID: $0.objectID, version: $0.version) } + request.deleted
      + request.checked
    var found: [ObjectID: Int64] = [:]
    for (root, ids) in Dictionary(grouping: expected.map(\.objectID), by: \.entity.root) {
      var fetch = FetchSpecification(root)
      fetch.predicate = .selfIsIn(ids)
      for snapshot in try store.snapshots(fetch) { found[snapshot.objectID] = snapshot.version }
    }
    return expected.filter { found[$0.objectID] != $0.version }.map { ($0.objectID, $0.version, found[$0.objectID]) }
  }

  /// Each store's save begins inside the save of the store before it, and is committed before that one.
  private func save(_ parts: ArraySlice<(attached: AttachedStore, request: SaveRequest)>) throws {
    guard let (attached, request) = parts.first else { return }
    if parts.count > 1, let twoPhase = attached.twoPhase {
      return try twoPhase.save(request) { try save(parts.dropFirst()) }
    }
    try save(parts.dropFirst())
    try attached.store.save(request)
  }

  private func requireOneStore(_ owner: ObjectID, _ others: [ObjectID?]) throws {
    guard case .permanent(let store, _) = owner.reference else { return }
    for case .permanent(let other, _)? in others.map({ $0?.reference }) where other != store {
      throw StoreError.failure(
        "\(owner.entity.name): a relationship leads to an object of another store; keep the other object's id in an "
          + "attribute instead")
    }
  }
}
