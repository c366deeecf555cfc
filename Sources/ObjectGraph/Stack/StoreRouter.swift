import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// Makes several stores look like one: asks those that hold an entity, and gives each its part of a save.
///
/// A save over several stores is one transaction in each, and none is committed before all stores have written and
/// checked their parts: a conflict in one leaves all as they were. Only a commit that itself fails, on a full disk for
/// instance, or one of two stores that cannot undo what they write (`TwoPhaseSaving`), can leave some saved and others
/// not.
final class StoreRouter: PersistentStore, ReadForwarding {
  /// A store and what it holds.
  struct AttachedStore: Sendable {
    let store: any PersistentStore
    /// The same store, where it can be followed while it fetches.
    let monitored: (any MonitoredFetching)?
    /// The same store, where it can check a save before the save is final.
    let twoPhase: (any TwoPhaseSaving)?
    /// The same store, where it can be read as it is at one moment.
    let generations: (any QueryGenerations)?
    /// The same store, where it can change many objects by itself.
    let batchWriting: (any BatchWriting)?
    /// Whether closures can be asked about all of its objects.
    let isInMemory: Bool
    let identifier: String
    /// What ids of its objects have in common, by `Entity.index`.
    let idSpaces: ObjectID.Spaces
    let url: URL?
    /// The name of the configuration that it holds; nil where none was named.
    let configuration: String?
    /// Whether the store is read-only, by its description or by itself.
    let isReadOnly: Bool
    /// `Entity.index` of the entities of its configuration; nil for all.
    let entities: Set<Int>?
    /// What it was added with, by the keys of options; nil where the program opened it.
    let options: [String: Value]?
    /// The observation of remote changes, which ends when it is released.
    let observation: (any RemoteChangeObservation)?

    /// The name of the store in messages.
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

  var type: any PersistentStoreType { attachedStores.first?.store.type ?? UnnamedStoreType() }

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

  /// The entry for a store that is to be added.
  /// - Throws: `StoreError.failure` for a store that cannot be.
  func entry(
    for store: any PersistentStore, configuration: String?, url: URL?, isReadOnly: Bool, options: [String: Value]?,
    observation: (any RemoteChangeObservation)?
  ) throws -> AttachedStore {
    guard store.model === model else {
      throw StoreError.failure("the store was opened with another model than the coordinator's")
    }
    let entry = AttachedStore(
      store: store, monitored: store as? any MonitoredFetching, twoPhase: store as? any TwoPhaseSaving,
      generations: store as? any QueryGenerations, batchWriting: store as? any BatchWriting,
      isInMemory: store is any InMemoryFetching,
      identifier: store.identifier,
      idSpaces: model.idSpaces(store: store.identifier), url: url, configuration: configuration,
      isReadOnly: isReadOnly || store.isReadOnly,
      entities: try entities(inConfiguration: configuration), options: options,
      observation: observation)
    try attached.withLock { try Self.requireNew(entry, among: $0) }
    return entry
  }

  func add(_ entry: AttachedStore) throws {
    try attached.withLock { stores in
      try Self.requireNew(entry, among: stores)
      stores.append(entry)
    }
  }

  private static func requireNew(_ entry: AttachedStore, among stores: [AttachedStore]) throws {
    if stores.contains(where: { $0.identifier == entry.identifier }) {
      throw StoreError.failure("a store with the identifier \(entry.identifier) has been added already")
    }
  }

  /// - Returns: the entry of the removed store.
  @discardableResult
  func remove(_ store: any PersistentStore) throws -> AttachedStore {
    try attached.withLock { stores in stores.remove(at: try Self.index(of: store, among: stores)) }
  }

  /// - Throws: `StoreError.failure` when it does not belong to the coordinator.
  func require(_ store: any PersistentStore) throws {
    _ = try attached.withLock { try Self.index(of: store, among: $0) }
  }

  private static func index(of store: any PersistentStore, among stores: [AttachedStore]) throws -> Int {
    guard let index = stores.firstIndex(where: { $0.store === store }) else {
      throw StoreError.failure("the store \(store.identifier) does not belong to the coordinator")
    }
    return index
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

  static func missingStore(for entity: Entity) -> StoreError {
    .failure("no store has been added that holds objects of \(entity.name)")
  }

  // MARK: - Reading

  /// All stores, as they are now.
  func reading<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result {
    try body(StoreGroup(model: model, parts: attachedStores.map { StoreGroup.Part($0) }))
  }
}
