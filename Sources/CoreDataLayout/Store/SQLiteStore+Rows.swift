public import ObjectModel
public import StoreInterface

/// Rows that are written and looked up in batches.
extension SQLiteStore {
  /// Inserts the rows of a batch under the keys given, one per row. Absent cells and unmapped attributes take the
  /// model's defaults. Order keys that the batch does not give are assigned at the end of the transaction.
  /// - Throws: `StoreError.constraintConflict` when a uniqueness constraint breaks; nothing is inserted then.
  public func insert(_ batch: RowBatch, primaryKeys: UnsafeBufferPointer<Int64>) throws {
    guard primaryKeys.count >= batch.count else {
      throw StoreError.failure("\(batch.count) rows need as many primary keys")
    }
    guard batch.count > 0 else { return }
    if try session.locked({ unsafe try loads.insert(batch, primaryKeys: primaryKeys) }) { return }
    try writing { unsafe try $0.insert(batch, primaryKeys: primaryKeys) }
  }

  /// Updates the rows that have the batch's keys and inserts the others, in the batch's order; later rows see what
  /// earlier ones did. A null or absent key matches nothing.
  /// - Parameters:
  ///   - keyColumns: columns of the batch that make up the key; a unique index over them makes lookups fast.
  ///   - isNew: rows of the batch with whose keys there is no stored row and no other row of the batch, as the
  ///     caller says: they are inserted without being looked for.
  ///   - known: what `primaryKeys(matching:)` said of the rows, if nothing was written since: they are not looked for
  ///     again, those with 0 excepted.
  ///   - outcomes: replaced by one outcome per row.
  ///   - primaryKeys: replaced by the key of the row found or inserted, 0 for a row in conflict.
  public func upsert(
    _ batch: RowBatch, keyColumns: [Int], options: UpsertOptions = UpsertOptions(),
    isNew: (Int) -> Bool = { _ in false }, known: [Int64] = [], outcomes: inout [RowOutcome], primaryKeys: inout [Int64]
  ) throws {
    try writing {
      try $0.upsert(
        batch, keyColumns: keyColumns, options: options, isNew: isNew, known: known, outcomes: &outcomes,
        primaryKeys: &primaryKeys)
    }
  }

  /// Writes the cells of a batch that are not absent into the rows with the keys given.
  /// - Parameter outcomes: replaced by one outcome per row.
  public func update(
    _ batch: RowBatch, primaryKeys: UnsafeBufferPointer<Int64>, outcomes: inout [RowOutcome]
  ) throws {
    try writing { unsafe try $0.update(batch, primaryKeys: primaryKeys, outcomes: &outcomes) }
  }

  /// Sets the to-one columns of rows that this import has inserted, as if they had been there from the start: the
  /// rows' versions stay.
  /// - Parameter batch: `toOne` columns, each with its `toOneEntity` where the destination has sub-entities.
  public func complete(_ batch: RowBatch, primaryKeys: [Int64]) throws {
    try writing { try $0.complete(batch, primaryKeys: primaryKeys) }
  }

  /// Adds members to a to-many relationship, one pair of primary keys each; pairs that are there already stay as they
  /// are. For many-to-many relationships, and for to-many ones that a column of the member keeps, where a member
  /// leaves its previous owner.
  /// - Parameter replacing: owners that occur lose all members that no pair names, and the pairs give the order.
  /// - Returns: the number of memberships added.
  @discardableResult
  public func link(
    _ relationship: Relationship, pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws -> Int {
    if try session.locked({ try loads.link(relationship, pairs: pairs, replacing: replacing) }) { return pairs.count }
    return try writing { try $0.link(relationship, pairs: pairs, replacing: replacing) }
  }

  /// Deletes rows with their join rows. Delete rules are the caller's; keys that are not there are skipped.
  /// - Returns: the number of rows deleted.
  @discardableResult
  public func delete(entity: Entity, primaryKeys: [Int64]) throws -> Int {
    try writing { try $0.delete(entity: entity, primaryKeys: primaryKeys) }
  }

  /// The model indexes of the very entities that rows are of, which are `entity` or its sub-entities; empty where it
  /// has none, and `entity`'s for a key without a row.
  package func entityIndexes(of entity: Entity, primaryKeys: [Int64]) throws -> [Int] {
    if entity.subentities.isEmpty { return [] }
    return try writing {
      try $0.writePendingBeforeReading()
      return try $0.entityIndexes(of: entity, primaryKeys: primaryKeys)
    }
  }

  /// The primary keys of the rows that have the batch's keys, 0 where there is none. Of several rows the one with the
  /// lowest key is returned. A null or absent key matches nothing.
  /// - Parameters:
  ///   - keyColumns: columns of the batch that make up the key; a unique index over them makes this fast.
  ///   - isNew: rows of the batch with whose keys there is no stored row, as the caller says: they are not looked for.
  ///   - ambiguous: gets the positions of the batch's rows with whose keys there is more than one stored row.
  public func primaryKeys(
    matching batch: RowBatch, keyColumns: [Int], isNew: (Int) -> Bool = { _ in false }, ambiguous: inout [Int]
  ) throws -> [Int64] {
    try writing {
      try $0.writePendingBeforeReading()
      return try $0.primaryKeys(matching: batch, keyColumns: keyColumns, isNew: isNew, ambiguous: &ambiguous)
    }
  }
}
