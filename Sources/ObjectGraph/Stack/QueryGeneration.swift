import Foundation
import StoreInterface

/// The stores of a coordinator as they were at one moment, for all contexts that have its token. It is closed when the
/// last of them releases it.
final class QueryGeneration: Sendable {
  /// All stores of the coordinator as one.
  let group: StoreGroup
  /// The reader of all stores together.
  let reader: any StoreReading
  /// Its rows never change.
  let snapshotCache = SnapshotCache()
  /// The identity of the coordinator, by which a token of another one is refused.
  let coordinator: ObjectIdentifier
  private let generations: [any StoreGeneration]

  init(
    _ coordinator: PersistentStoreCoordinator,
    _ generations: [(store: StoreRouter.AttachedStore, generation: any StoreGeneration)]
  ) {
    self.coordinator = ObjectIdentifier(coordinator)
    self.generations = generations.map(\.generation)
    group = StoreGroup(
      model: coordinator.model, parts: generations.map { StoreGroup.Part($0.store, $0.generation) })
    if let only = generations.first, generations.count == 1, only.store.entities == nil {
      reader = only.generation
    } else {
      reader = group
    }
  }

  deinit { for generation in generations { generation.close() } }

  /// The reader for a request: only some stores where the request names them.
  func reader(for request: FetchSpecification) -> any StoreReading {
    request.affectedStores == nil ? reader : group
  }
}

extension PersistentStoreCoordinator {
  /// The stores as they are now: of a save that goes to several of them, all or nothing.
  /// - Throws: `StoreError.unsupported` when there is no store, or one that keeps no generations.
  func openGeneration() throws -> QueryGeneration {
    let stores = router.attachedStores
    if stores.isEmpty { throw StoreError.unsupported("there is no store yet that could be read as it is now") }
    func open() throws -> QueryGeneration {
      var opened: [(store: StoreRouter.AttachedStore, generation: any StoreGeneration)] = []
      do {
        for store in stores {
          guard let able = store.generations else {
            throw StoreError.unsupported(
              "\(store.name) keeps no query generations; SQLite stores and those in memory do")
          }
          opened.append((store, try able.openGeneration()))
        }
      } catch {
        for (_, generation) in opened { generation.close() }
        throw error
      }
      return QueryGeneration(self, opened)
    }
    return stores.count == 1 ? try open() : try severalStores.withLock(open)
  }

  /// Writes to what may be several stores, while no generation of them is opened: none sees one of them written and
  /// another not.
  func withoutNewGenerations<Result>(_ body: () throws -> Result) rethrows -> Result {
    router.attachedStores.count < 2 ? try body() : try severalStores.withLock(body)
  }
}
