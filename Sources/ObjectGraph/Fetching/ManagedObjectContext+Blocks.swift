import Predicates
import StoreInterface

/// Fetches whose predicates have closures.
extension ManagedObjectContext {
  /// Has the stores find what meets the rest of the predicate, and evaluates all of it with the objects.
  /// - Throws: `StoreError.unsupported` where a store that is asked is not in memory, and what `fetch` throws.
  func fetch(evaluating request: FetchSpecification, reading read: RowReading) throws -> [ManagedObject] {
    try coordinator.requireBlockFetching(request)
    let matcher = PredicateMatcher(request.predicate)
    let found = try fetch(request.candidates, reading: read).filter { try matcher.matches(ObjectSubject(object: $0)) }
    return try page(of: found, request)
  }
}

extension FetchSpecification {
  /// All that the closures of the predicate are to be asked about, in order.
  fileprivate var candidates: FetchSpecification {
    var request = withoutWindow
    request.predicate = predicate.withoutBlocks
    request.includesPropertyValues = true
    request.relationshipKeyPathsForPrefetching = []
    return request
  }

  /// What is read for the request before pending changes and closures decide, so that it may be read elsewhere.
  func readAhead(hasPendingChanges: Bool) -> FetchSpecification {
    predicate.hasBlocks ? candidates : hasPendingChanges ? withoutWindow : self
  }
}

extension PersistentStoreCoordinator {
  fileprivate func requireBlockFetching(_ request: FetchSpecification) throws(StoreError) {
    for attached in router.attachedStores where attached.isAsked(for: request) && !attached.isInMemory {
      throw .unsupported(
        "\(attached.name) cannot look into a block predicate: fetch with the rest of it, and filter the objects")
    }
  }
}
