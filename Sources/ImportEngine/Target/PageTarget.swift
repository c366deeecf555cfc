import CoreDataLayout
import ObjectModel
import StoreInterface

/// A target whose tables can be read and written as pages of its file, past all indexes.
protocol PageTarget: AnyObject {
  /// Whether rows are being written as finished pages.
  var isPageLoading: Bool { get }
  /// Whether rows of these entities are being written as finished pages.
  func isPageLoading(_ entities: [Entity]) -> Bool

  /// Begins to write rows of some entities as finished pages.
  /// - Parameters:
  ///   - appends: whether the table may have rows.
  ///   - changes: of stored rows; they are written when the load ends.
  /// - Returns: false where that is not possible, and nothing has begun.
  func beginPageLoad(
    _ entities: [Entity], memoryBudget: Int, workers: Int, appends: Bool, changes: ChangedRows?
  ) throws -> Bool

  /// How rows are encoded that can be written as they are; nil where only the target can encode them.
  func rowShape(for entity: Entity, columns: [RowBatch.Column]) throws -> RowShape?
  /// Writes rows that were encoded already.
  func insert(_ rows: EncodedRows, of batch: RowBatch, firstKey: Int64) throws
  /// Finishes tables and indexes, if rows are being written.
  func endPageLoad(memoryBudget: Int, workers: Int) throws
  /// Takes back the rows that were written since `beginPageLoad`.
  func abandonPageLoad() throws

  /// Compares rows with the stored ones of the same keys; nil where the table cannot be read so.
  func comparison(
    of entity: Entity, columns: [RowBatch.Column], keyColumns: [Int], comparesValues: Bool, memoryBudget: Int,
    workers: Int, hashMask: UInt64
  ) throws -> RowComparison?
  /// Collects changes of stored rows for `beginPageLoad`; nil where the table cannot be written so.
  func changedRows(
    of entity: Entity, columns: [RowBatch.Column], keyColumns: [Int], memoryBudget: Int
  ) throws -> ChangedRows?
}
