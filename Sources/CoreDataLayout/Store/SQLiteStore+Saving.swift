public import ObjectModel
public import StoreInterface

extension SQLiteStore {
  /// Reserves consecutive primary keys. The counter is written at once: in the open transaction, or in one of its own.
  public func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    if let first = session.locked({ loads.reservePrimaryKeys(count, for: entity) }) { return first }
    return try writing { try $0.reservePrimaryKeys(count, for: entity) }
  }

  /// The primary keys of the entity's table: from the least of its rows to the greatest that was given out. Nil where
  /// there are none. Costs two searches.
  public func primaryKeyRange(of entity: Entity) throws -> ClosedRange<Int64>? {
    try session.perform { try session.primaryKeyRange(of: entity) }
  }

  /// Writes a context's changes in one transaction.
  /// - Throws: `StoreError.optimisticLockingFailure`, `.constraintConflict`, or `.failure` for a request that does not
  ///   fit the model or the store; nothing is written then.
  public func save(_ request: SaveRequest) throws { try save(request) {} }

  /// Writes a context's changes in one transaction and runs the body before that is committed.
  /// - Throws: see `save(_:)`, and what the body throws, which must not use this store.
  public func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    if try session.locked({ try loads.save(request) }) { return try body() }
    try writing { try $0.save(request, beforeCommit: body) }
  }

  // MARK: - Transactions

  /// Opens a transaction that lasts over several calls. While rows are loaded as pages there are no transactions: such
  /// a store is whole when it is finished, or thrown away.
  public func begin() throws {
    if session.locked({ loads.beginVoidTransaction() }) { return }
    try writing { try $0.begin() }
  }

  /// Ends the transaction that `begin` opened and keeps its changes. Order keys that are still missing are assigned
  /// first.
  public func commit() throws {
    if session.locked({ loads.endVoidTransaction() }) { return }
    try writing { try $0.commit() }
  }

  /// Undoes the transaction that `begin` opened; does nothing when there is none.
  public func rollback() throws {
    if session.locked({ loads.endVoidTransaction() }) { return }
    try writing { try $0.rollback() }
  }

  /// Opens a transaction around all others: what they change becomes visible to other connections with `commitWhole`,
  /// or not at all.
  /// - Throws: `StoreError.busy` when another connection writes to the store.
  public func beginWhole() throws { try writing { try $0.beginWhole() } }

  /// Keeps all changes since `beginWhole`. Files of external data that no row names any more go after that.
  /// - Throws: `StoreError.busy` when readers stand in the way for too long; the transaction is still open then.
  public func commitWhole() throws { try writing { try $0.commitWhole() } }

  /// Undoes all changes since `beginWhole`; does nothing when there is no such transaction.
  public func rollbackWhole() throws { try writing { try $0.rollbackWhole() } }
}
