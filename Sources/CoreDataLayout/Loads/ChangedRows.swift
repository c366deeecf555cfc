import ObjectModel
import SQLitePages
import StoreInterface

/// New values for many rows that a store has, collected before anything is written. `SQLiteStore.beginPageLoad` takes
/// them, and by the end of that load the table has been written anew with them.
///
/// A given value is written where it differs from the stored one, by the rules of `SQLiteStore.upsert`.
public final class ChangedRows {
  /// How the changes are encoded, on any thread.
  public let shape: RowShape
  let table: String
  let changes: RowChanges

  /// After the load: rows with new values.
  public var updatedCount: Int { changes.updatedCount }
  /// After the load: rows that had all the values already.
  public var unchangedCount: Int { changes.unchangedCount }
  /// After the load: tags of rows that stayed as they were, because they were left out or only SQLite can compare what
  /// they hold.
  public var refused: [Int] { changes.refused.map { Int(truncatingIfNeeded: $0) } }

  init?(_ plan: RowPlan, columns: [RowBatch.Column], keyColumns: [Int], memoryBudget: Int, temporaryPath: String) throws
  {
    let cells = plan.cells.indices.filter { !keyColumns.contains(plan.cells[$0].source) }
    let tableColumns = plan.table.columns
    guard let version = tableColumns.firstIndex(where: { $0.role == .version }) else { return nil }
    var fields: [RowChanges.Field] = []
    for index in cells {
      let cell = plan.cells[index]
      guard let position = tableColumns.firstIndex(where: { $0.name == cell.name }) else { return nil }
      let comparison: RowChanges.Field.Comparison
      switch cell.kind {
      case .integer, .entityNumber: comparison = .integer
      case .real, .float: comparison = .real
      case .text, .uuid, .blob: comparison = .bytes
      case .decimal, .externalBlob: return nil
      }
      fields.append(
        RowChanges.Field(
          position: position, comparison: comparison, isDependent: cell.isDerivedFromForeignKey,
          leader: cell.foreignKeyCell.flatMap { cells.firstIndex(of: $0) }))
    }
    shape = try RowShape(changesBy: plan, columns: columns, cells: cells)
    guard shape.isSelfContained else { return nil }
    table = plan.table.name
    changes = RowChanges(
      fields: fields, width: tableColumns.count, versionPosition: version, memoryBudget: memoryBudget,
      temporaryPath: temporaryPath)
  }

  /// Has the load note the values that `ChangedOwners` needs.
  func watch(for owners: ChangedOwners, _ table: TableLayout) {
    changes.watchedPositions = owners.ownerColumns(of: table)
    changes.keepsUpdatedRows = owners.isOwners(table.name)
  }

  /// Adds a row.
  /// - Parameters:
  ///   - row: position in `rows`, which were encoded by `shape`.
  ///   - primaryKey: of the stored row; no other change has it.
  ///   - tag: identifies the row, where it is refused.
  public func add(_ row: Int, of rows: EncodedRows, primaryKey: Int64, tag: Int) throws {
    // Safety: `row` is under `rows.count`, and each record ends within the bytes that the encoder made room for.
    let start = row == 0 ? 0 : unsafe rows.ends[row - 1]
    let end = unsafe rows.ends[row]
    do {
      unsafe try changes.append(
        rowID: primaryKey, tag: UInt64(tag), record: rows.base + start, count: end - start)
    } catch {
      throw StoreError.inputOutput(path: table, message: error.message)
    }
  }

  /// Leaves a row as it is, whatever was or will be added for it.
  public func leaveOut(primaryKey: Int64) { changes.excluded.insert(primaryKey) }

  /// Whether a row is left out.
  public func isLeftOut(primaryKey: Int64) -> Bool {
    !changes.excluded.isEmpty && changes.excluded.contains(primaryKey)
  }

  /// Rows that are left out.
  public var leftOutCount: Int { changes.excluded.count }
}

extension StoreLoads {
  /// See `SQLiteStore.changedRows`. Nothing is written to the store before a load of pages begins with these changes.
  func changedRows(
    of entity: Entity, columns: [RowBatch.Column], keyColumns: [Int], memoryBudget: Int
  ) throws -> ChangedRows? {
    try ChangedRows(
      writer.plan(for: RowPlan.Key(entity: entity, columns: columns)), columns: columns, keyColumns: keyColumns,
      memoryBudget: memoryBudget, temporaryPath: file.path + "-changes")
  }
}
