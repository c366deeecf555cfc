import ObjectModel
import StoreInterface

/// Batch requests go to the stores at once, also those of a child context. Neither pending changes nor loaded objects
/// of any context take part, and no notification of a save is posted: merge the result's `changes` into the contexts
/// that are to have them.
extension ManagedObjectContext {
  /// Deletes objects in their stores, in one transaction each, of which none is final before all have succeeded.
  /// - Throws: `ValidationError` that names the objects that cannot be deleted, or would be left without what they
  ///   require; `StoreError`. Nothing is deleted then.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> any BatchResult {
    try prepareForBatch()
    let wantsIDs = request.resultType == .resultTypeObjectIDs
    let outcome = try coordinator.perform(batch(.delete(request.deletion(in: self)), wantsIDs))
    return BatchDeleteResult(resultType: request.resultType, outcome: outcome)
  }

  /// Updates objects in their stores, in one transaction each, of which none is final before all have succeeded.
  /// - Throws: `ValidationError` that names the objects whose new values break a rule; `StoreError`, such as
  ///   `.constraintConflict`. Nothing is updated then.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> any BatchResult {
    try prepareForBatch()
    let wantsIDs = request.resultType == .updatedObjectIDsResultType
    let outcome = try coordinator.perform(batch(.update(request.update(in: self)), wantsIDs))
    return BatchUpdateResult(resultType: request.resultType, outcome: outcome)
  }

  /// Inserts objects in a store, in one transaction.
  /// - Throws: `ValidationError` that names the rows that break a rule; `StoreError`, such as `.constraintConflict`;
  ///   what the request's closure throws. Nothing is inserted then.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> any BatchResult {
    try prepareForBatch()
    let stores = request.affectedStores?.map(\.identifier)
    let outcome = try coordinator.perform(
      batch(.insert(request.insertion(in: self)), request.resultType == .objectIDs), insertingInto: stores)
    return BatchInsertResult(resultType: request.resultType, outcome: outcome)
  }

  private func batch(_ work: StoreBatch.Work, _ wantsObjectIDs: Bool) -> StoreBatch {
    var batch = StoreBatch(work, wantsObjectIDs: wantsObjectIDs)
    batch.author = settings.transactionAuthor
    batch.contextName = name
    return batch
  }

  private func prepareForBatch() throws {
    checkConfinement()
    try throwDeferredError()
  }

  /// The entity of a batch request. One that the model does not have is a mistake of the program, as it is in Core
  /// Data.
  func batchEntity(_ name: String, _ entity: Entity?) -> Entity {
    let model = coordinator.model
    if let entity {
      precondition(entity.model === model, "\(entity.name) belongs to another model than the context's")
      return entity
    }
    guard let found = model[name] else { preconditionFailure("the model has no entity \"\(name)\" for a batch") }
    return found
  }
}

extension PersistentStoreCoordinator {
  /// As `execute(_:)` of the context, on whose queue it is to be called.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest, with context: ManagedObjectContext) throws -> any BatchResult {
    try ownContext(context).execute(request)
  }

  /// As `execute(_:)` of the context, on whose queue it is to be called.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest, with context: ManagedObjectContext) throws -> any BatchResult {
    try ownContext(context).execute(request)
  }

  /// As `execute(_:)` of the context, on whose queue it is to be called.
  @discardableResult
  public func execute(_ request: BatchInsertRequest, with context: ManagedObjectContext) throws -> any BatchResult {
    try ownContext(context).execute(request)
  }
}
