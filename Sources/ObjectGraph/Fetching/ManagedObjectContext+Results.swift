package import ObjectModel
package import Predicates
package import StoreInterface

/// Fetches that return something else than objects.
extension ManagedObjectContext {
  /// The number of objects that `fetch` would return. No object is made.
  /// - Throws: what the store throws.
  package func count(_ request: FetchSpecification) throws -> Int {
    checkConfinement()
    try throwDeferredError()
    if request.predicate.hasBlocks { return try fetch(request).count }
    if !hasPendingChanges(for: request) { return try rowCount(request) }
    try request.checkKeyPaths()
    adoptIDsOfParent()
    let count = try rowCount(unchangedPart(of: request)) + pendingMatches(request).count
    try throwDeferredError()
    return request.window(ofCount: count).count
  }

  /// The ids of the objects that `fetch` would return, temporary ones of new objects included. No object is made,
  /// unless pending changes have to find their places among sorted ones.
  /// - Throws: what the store throws.
  package func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    checkConfinement()
    try throwDeferredError()
    if request.predicate.hasBlocks { return try fetch(request).map(\.objectID) }
    if !hasPendingChanges(for: request) { return try rowIDs(request) }
    if !request.sortDescriptors.isEmpty { return try fetch(request).map(\.objectID) }
    try request.checkKeyPaths()
    adoptIDsOfParent()
    let ids = try rowIDs(unchangedPart(of: request)) + pendingMatches(request).map(\.objectID)
    try throwDeferredError()
    let keyed = ids.enumerated().map { (key: $1.primaryKey ?? .max, position: $0) }
    let ordered = keyed.sorted { ($0.key, $0.position) < ($1.key, $1.position) }
    return ordered[request.window(ofCount: ids.count)].map { ids[$0.position] }
  }

  /// The request restricted to objects that are not changed or deleted here, without limit and offset.
  private func unchangedPart(of request: FetchSpecification) -> FetchSpecification {
    let changed =
      (pending.maybeUpdated.filter(\.hasOwnChanges) + pending.deleted).filter { request.selects($0.entity) }.map(
        \.objectID)
      + ownersOfChangedMembers(request).map(\.objectID)
    var part = request.withoutWindow
    if !changed.isEmpty { part.predicate = .and([request.predicate, .not(.selfIsIn(changed))]) }
    return part
  }

  /// The rows of a request for dictionaries, as the store has them: neither pending changes of this context nor those
  /// of its parents count, whatever `includesPendingChanges` says, as in Core Data.
  /// - Throws: `StoreError.failure` for a request that `FetchSpecification.checkRows()` refuses, `.unsupported` for
  ///   what the store cannot compute and where several stores hold the entity.
  package func rows(forDictionaries request: FetchSpecification) throws -> FetchedRows {
    checkConfinement()
    try throwDeferredError()
    return try storedSource().rows(request)
  }

  /// The rows of `rows(forDictionaries:)` as dictionaries, missing values left out.
  /// - Throws: what `rows(forDictionaries:)` throws.
  package func dictionaries(_ request: FetchSpecification) throws -> [[String: ExpressionValue]] {
    try rows(forDictionaries: request).dictionaries
  }

  /// Stops where objects of the entity can be of other classes: a mistake of the program.
  func requireClass<Object>(_ wanted: Object.Type, of request: FetchSpecification) {
    if wanted == ManagedObject.self { return }
    for entity in coordinator.model.entities where request.selects(entity) && !entity.isAbstract {
      let own = coordinator.runtime(entity).objectClass
      precondition(
        own is Object.Type,
        "\(entity.name) has objects of the class \(own), not \(wanted): give the container its class (classes:)")
    }
  }
}
