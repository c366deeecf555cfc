public import ObjectModel
public import StoreInterface

/// Bulk loads: rows that are written as finished pages.
extension SQLiteStore {
  /// Whether rows are being written as finished pages.
  public var isPageLoading: Bool { session.locked { loads.isPageLoading } }

  /// Whether rows of these entities are being written as finished pages.
  public func isPageLoading(_ entities: [Entity]) -> Bool { session.locked { loads.isPageLoading(entities) } }

  /// Begins to write the rows of some entities as finished b-tree pages, which is many times faster than inserting
  /// them. `insert`, `link` and `reservePrimaryKeys` then work on the pages; whatever else is asked of the store ends
  /// the load first. Primary keys must come in ascending order per table.
  /// - Parameters:
  ///   - memoryBudget: bytes for columns that are kept for the indexes; half as many for memberships.
  ///   - workers: threads that fill pages; the file is the same with any number.
  ///   - appends: whether the tables may have rows. Those stay as they are, and the tables' indexes are made anew from
  ///     all rows at the end: worth while where many rows come. Nothing checks then, before the end, that the new rows
  ///     do not break a uniqueness constraint.
  ///   - changes: of rows of one of the tables, which must have some: it is written anew at the end.
  /// - Returns: false when it is not possible, and everything goes on as before: the store is not under construction,
  ///   it records history, one of the tables has rows and may not or is not as this program makes it, or the table has
  ///   a trigger or a partial index.
  public func beginPageLoad(
    _ entities: [Entity], memoryBudget: Int = 32 << 20, workers: Int = 1, appends: Bool = false,
    changes: ChangedRows? = nil
  ) throws -> Bool {
    try perform {
      try loads.beginPageLoad(
        entities, memoryBudget: memoryBudget, workers: workers, appends: appends, changes: changes)
    }
  }

  /// How rows of an entity are encoded for the load that is going on, on any thread.
  /// - Returns: nil when there is no load for the entity's table, or rows of this shape need the store while they are
  ///   encoded; they go through `insert(_:primaryKeys:)` then.
  public func rowShape(for entity: Entity, columns: [RowBatch.Column]) throws -> RowShape? {
    try session.locked { try loads.rowShape(for: entity, columns: columns) }
  }

  /// Adds the rows of a batch to the load that is going on.
  /// - Parameters:
  ///   - rows: the batch's records, encoded by the shape of `rowShape(for:columns:)`.
  ///   - firstKey: the primary key of the first row; the others follow without a gap.
  public func insert(_ rows: EncodedRows, of batch: RowBatch, firstKey: Int64) throws {
    precondition(rows.count == batch.count, "the records are another batch's")
    try session.locked { try loads.insert(rows, of: batch, firstKey: firstKey) }
  }

  /// Finishes the pages of a load, fills the indexes of its tables by sorting, and goes back to SQLite. Does nothing
  /// when there is no load.
  /// - Parameters:
  ///   - memoryBudget: bytes that sorting may hold.
  ///   - workers: threads that read and sort keys.
  /// - Throws: `StoreError.constraintConflict` when rows break a uniqueness constraint; the store is of no use then.
  public func endPageLoad(memoryBudget: Int = 64 << 20, workers: Int = 2) throws {
    try session.locked { try loads.endPageLoad(memoryBudget: memoryBudget, workers: workers) }
  }

  /// Ends a load as if it had never been: its tables are as before and no primary key was handed out. Does nothing when
  /// there is no load.
  public func abandonPageLoad() throws {
    try session.locked { try loads.abandonPageLoad() }
  }

  /// Collects changes of an entity's rows, for a later load of pages.
  /// - Parameters:
  ///   - columns: those of the batches.
  ///   - keyColumns: positions in `columns` of the key by which rows are found, which changes do not contain.
  ///   - memoryBudget: bytes to hold; the rest goes to a temporary file beside the store.
  /// - Returns: nil where only SQLite can write such changes: values are decimals or may lie in files, or a place in an
  ///   order is given later.
  public func changedRows(
    of entity: Entity, columns: [RowBatch.Column], keyColumns: [Int], memoryBudget: Int
  ) throws -> ChangedRows? {
    try perform {
      try loads.changedRows(of: entity, columns: columns, keyColumns: keyColumns, memoryBudget: memoryBudget)
    }
  }

  /// Makes a comparison of batches with the stored rows of an entity, sub-entities' included.
  /// - Parameters:
  ///   - columns: those of the batches.
  ///   - keyColumns: positions in `columns` of what makes up the key.
  ///   - comparesValues: false when it only matters which rows are there: all that are found count as the same.
  ///   - memoryBudget: bytes that the keys' table may take; it needs 11 to 22 for each row.
  ///   - hashMask: bits of the keys' hashes that count; all of them, except in tests.
  /// - Returns: nil when it is not possible: the store is not under construction or in a transaction, the table is
  ///   empty, or too large for the budget, or something of it is not as this program makes it; keys are reals or
  ///   decimals, or values are decimals or may lie in files.
  public func comparison(
    of entity: Entity, columns: [RowBatch.Column], keyColumns: [Int], comparesValues: Bool, memoryBudget: Int,
    workers: Int, hashMask: UInt64 = .max
  ) throws -> RowComparison? {
    try perform {
      try loads.comparison(
        of: entity, columns: columns, keyColumns: keyColumns, comparesValues: comparesValues,
        memoryBudget: memoryBudget, workers: workers, hashMask: hashMask)
    }
  }

  /// Builds the indexes, R-trees and triggers that creation left out, computes derived attributes, and assigns missing
  /// order keys. Does nothing when that is done already.
  /// - Throws: `StoreError.constraintConflict` when rows break a uniqueness constraint.
  public func buildDeferredIndexes() throws {
    try writing { try $0.buildDeferredIndexes() }
  }

  /// Ends an import: objects that were there before and whose to-many relationships have other members now count one
  /// version up, unless the import has written them anyway, and are recorded in the store's history. Afterwards changes
  /// of members are not followed any more. Does nothing in a store that is new.
  /// - Returns: how many objects were updated for that reason alone.
  public func raiseOwnerVersions() throws -> Int {
    try perform { try loads.importWatch.raiseOwnerVersions() }
  }
}
