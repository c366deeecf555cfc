import ObjectModel
import StoreInterface

/// The target of an import: a store of objects that also takes rows in batches. `SQLiteStore` is one.
///
/// Calls come from the run's thread, one per batch; contexts fetch and save by way of `PersistentStore`.
protocol ImportTarget: PersistentStore {
  /// What ids have in common, by `Entity.index`.
  var idSpaces: ObjectID.Spaces { get }
  /// The target as one that takes finished pages; nil for one that only takes rows.
  var pages: (any PageTarget)? { get }

  // MARK: - Transactions

  /// Begins a transaction.
  func begin() throws
  /// Commits the transaction.
  func commit() throws
  /// Rolls the transaction back.
  func rollback() throws

  // MARK: - Stored rows

  /// The least and the greatest primary key of the entity's table; nil for an empty one.
  func primaryKeyRange(of entity: Entity) throws -> ClosedRange<Int64>?

  /// Reads the rows of an entity and its sub-entities by primary key.
  /// - Parameters:
  ///   - batch: filled again and again.
  ///   - body: is given a batch, its rows' primary keys and the model indexes of their own entities.
  func scanRows(
    of entity: Entity, columns: [RowBatch.Column], into batch: RowBatch,
    body: (RowBatch, _ primaryKeys: [Int64], _ entityIndexes: [Int64]) throws -> Void) throws

  /// The primary keys of the stored rows that have the keys of a batch; 0 where there is none.
  /// - Parameters:
  ///   - isNew: rows of the batch that are known to have none: they are not looked up.
  ///   - ambiguous: gets the rows of the batch whose keys several stored rows have.
  func primaryKeys(
    matching batch: RowBatch, keyColumns: [Int], isNew: (Int) -> Bool, ambiguous: inout [Int]
  ) throws -> [Int64]

  /// The model index of each row's own entity, which is `entity` or one of its sub-entities; empty where `entity` has
  /// no sub-entities.
  func entityIndexes(of entity: Entity, primaryKeys: [Int64]) throws -> [Int]

  /// Builds the indexes that were left out while tables were filled, before anything is looked up by them.
  func buildDeferredIndexes() throws

  // MARK: - Writing

  /// Inserts rows under keys that were reserved.
  func insert(_ batch: RowBatch, primaryKeys: [Int64]) throws

  /// Inserts or updates rows by a key.
  /// - Parameters:
  ///   - known: the result of `primaryKeys(matching:)` for the rows; empty where that was not called.
  ///   - outcomes: replaced by one outcome per row.
  ///   - primaryKeys: replaced by the key of the row found or inserted.
  func upsert(
    _ batch: RowBatch, keyColumns: [Int], options: UpsertOptions, isNew: (Int) -> Bool, known: [Int64],
    outcomes: inout [RowOutcome], primaryKeys: inout [Int64]) throws

  /// Sets to-one relationships of rows that this import has inserted, without raising their versions.
  func complete(_ batch: RowBatch, primaryKeys: [Int64]) throws

  /// Adds members to a to-many relationship.
  /// - Parameter replacing: owners lose all members that no pair names, and the pairs give the order.
  @discardableResult
  func link(
    _ relationship: Relationship, pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws -> Int

  /// Deletes rows with their memberships.
  @discardableResult
  func delete(entity: Entity, primaryKeys: [Int64]) throws -> Int

  /// At the end of an import: raises the versions of objects that have other members now.
  /// - Returns: the number of these objects, without those that records have changed.
  func raiseOwnerVersions() throws -> Int
}

extension ImportTarget {
  /// Nil, for targets that are not written as pages.
  var pages: (any PageTarget)? { nil }

  /// The rows with some primary keys; nil for 0.
  func rows(of entity: Entity, primaryKeys: [Int64]) throws -> [RowReference?] {
    let indexes = try entityIndexes(of: entity, primaryKeys: primaryKeys)
    return primaryKeys.enumerated().map { row, key in
      key == 0 ? nil : RowReference(primaryKey: key, entityIndex: indexes.isEmpty ? entity.index : indexes[row])
    }
  }

  /// Does something in a transaction, which is rolled back when it throws.
  func inTransaction(_ body: () throws -> Void) throws {
    try begin()
    do {
      try body()
      try commit()
    } catch {
      try? rollback()
      throw error
    }
  }
}
