public import ObjectModel
public import StoreInterface

/// What a fetch request of one result type returned.
public enum FetchResult {
  case objects([ManagedObject])
  case objectIDs([ObjectID])
  case dictionaries([[String: ExpressionValue]])
  case count(Int)
}

/// Fetches that return something else than objects.
extension ManagedObjectContext {
  /// What the request's `resultType` says: the result of `fetch`, `objectIDs`, `dictionaries` or `count`.
  /// - Throws: what these throw.
  public func execute(_ request: FetchRequest) throws -> FetchResult {
    switch request.resultType {
    case .objects: .objects(try fetch(request))
    case .objectIDs: .objectIDs(try objectIDs(request))
    case .dictionaries: .dictionaries(try dictionaries(request))
    case .count: .count(try count(request))
    }
  }

  /// The ids of the objects that `fetch` would return, temporary ones of new objects included. Where no pending change
  /// counts, no object is made.
  /// - Throws: what the store throws.
  public func objectIDs(_ request: FetchRequest) throws -> [ObjectID] {
    checkConfinement()
    try throwDeferredError()
    return hasPendingChanges(for: request) ? try fetch(request).map(\.objectID) : try rowIDs(request)
  }

  /// The rows of a request for dictionaries, as the store has them: neither pending changes of this context nor those of
  /// its parents count, whatever `includesPendingChanges` says, as in Core Data.
  /// - Throws: `StoreError.failure` for a request that `FetchRequest.checkRows()` refuses, `.unsupported` for what the
  ///   store cannot compute and where several stores hold the entity.
  public func rows(forDictionaries request: FetchRequest) throws -> FetchedRows {
    checkConfinement()
    try throwDeferredError()
    return try coordinator.store.rows(request)
  }

  /// The rows of `rows(forDictionaries:)` as dictionaries, missing values left out.
  /// - Throws: what `rows(forDictionaries:)` throws.
  public func dictionaries(_ request: FetchRequest) throws -> [[String: ExpressionValue]] {
    try rows(forDictionaries: request).dictionaries
  }
}
