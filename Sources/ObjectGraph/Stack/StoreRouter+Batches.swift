import ObjectModel
import Predicates
import StoreInterface

extension PersistentStoreCoordinator {
  /// Carries out a batch, and lets the cache follow.
  /// - Parameter stores: the identifiers of the stores that may get new objects; nil for any.
  func perform(
    _ batch: StoreBatch, insertingInto stores: [String]? = nil
  ) throws -> BatchOutcome {
    let parts = try router.parts(of: batch.work, insertingInto: stores)
    // Which rows change is only known where ids are asked for; also after an error, as a commit may be what failed.
    defer { snapshotCache.forgetAll() }
    // The closure that fills the rows of an insertion, which has one part, may fetch.
    if parts.count == 1 { return try StoreRouter.perform(parts[...], as: batch) }
    return try withoutNewGenerations { try StoreRouter.perform(parts[...], as: batch) }
  }
}

extension StoreRouter {
  /// What one store has to do of a batch.
  typealias BatchPart = (store: any BatchWriting, work: StoreBatch.Work)

  /// The parts of a batch, one per store.
  func parts(of work: StoreBatch.Work, insertingInto identifiers: [String]?) throws -> [BatchPart] {
    switch work {
    case .insert(let insertion):
      let stores = attachedStores.filter { identifiers?.contains($0.identifier) ?? true }
      let store = stores[try Self.position(for: insertion.entity, assigned: nil, among: stores)]
      return [(try writing(store), work)]
    case .update(let update):
      return try storesAsked(for: update.selection).map { (try writing($0), work) }
    case .delete(let deletion):
      var selections: [String: [FetchSpecification]] = [:]
      for selection in deletion.selections {
        for (store, part) in try self.selections(of: selection) { selections[store, default: []].append(part) }
      }
      return try attachedStores.compactMap { store in
        guard let own = selections[store.identifier] else { return nil }
        var part = BatchDeletion()
        part.selections = own
        return (try writing(store), .delete(part))
      }
    }
  }

  /// What each store has to select, by its identifier. A limit applies to the objects of all stores together.
  private func selections(of selection: FetchSpecification) throws -> [(store: String, FetchSpecification)] {
    let stores = try storesAsked(for: selection)
    if stores.count == 1 || (selection.fetchLimit <= 0 && selection.fetchOffset <= 0) {
      return stores.map { ($0.identifier, selection) }
    }
    let ids = Dictionary(grouping: try objectIDs(selection), by: \.space.store)
    return stores.compactMap { store in
      guard let own = ids[store.identifier] else { return nil }
      var part = FetchSpecification(selection.entity)
      part.predicate = .selfIsIn(own)
      return (store.identifier, part)
    }
  }

  private func storesAsked(for request: FetchSpecification) throws -> [AttachedStore] {
    let stores = attachedStores.filter { $0.isAsked(for: request) }
    if stores.isEmpty {
      throw StoreError.failure("no store has been added that holds objects of \(request.entity.name)")
    }
    return stores
  }

  private func writing(_ store: AttachedStore) throws -> any BatchWriting {
    if store.isReadOnly { throw StoreError.unsupported("\(store.name) is read-only; no batch can change it") }
    guard let batchWriting = store.batchWriting else {
      throw StoreError.unsupported("\(store.name) carries out no batches; save objects instead")
    }
    return batchWriting
  }

  /// Each store's part begins inside the part of the store before it, and is committed before that one. Stores that
  /// write only after the checks of all parts come last.
  static func perform(_ parts: ArraySlice<BatchPart>, as batch: StoreBatch) throws -> BatchOutcome {
    let ordered = parts.filter { !$0.store.writesAfterBody } + parts.filter(\.store.writesAfterBody)
    guard let part = ordered.first else { return BatchOutcome() }
    var rest = BatchOutcome()
    var own = batch
    own.work = part.work
    var outcome = try part.store.perform(own) { _ in
      rest = try perform(ordered.dropFirst(), as: batch)
    }
    outcome.add(rest)
    return outcome
  }
}
