import ObjectModel
import StoreInterface

/// Makes batches of the snapshots of new objects of one entity, so that they can be written as finished pages. The rows
/// are those that `SnapshotWriter` inserts.
final class SnapshotRows {
  /// The rows of the last snapshots.
  let batch: RowBatch
  /// The primary keys of these rows.
  private(set) var primaryKeys: [Int64] = []
  private let sources: [SnapshotColumns.Source]
  private let paths: [[String]]

  init(_ entity: Entity, layout: StoreLayout, capacity: Int) {
    let found = SnapshotColumns(entity, layout: layout)
    sources = found.columns.map(\.source)
    paths = found.paths
    batch = RowBatch(entity: entity, columns: found.columns.map(\.inBatch), capacity: capacity)
  }

  /// Replaces the rows by those of some snapshots, which are not more than the capacity.
  /// - Throws: `StoreError.failure` for a value that does not fit its attribute's type.
  func fill(_ snapshots: [Snapshot], _ range: Range<Int>) throws {
    batch.removeAll()
    primaryKeys.removeAll(keepingCapacity: true)
    // Counted first, so that the next call clears what a refused value leaves behind.
    batch.count = range.count
    for (column, source) in sources.enumerated() {
      for position in range { try set(snapshots, position, source, column, row: position - range.lowerBound) }
    }
    for position in range { primaryKeys.append(snapshots[position].objectID.primaryKey ?? 0) }
  }

  private func set(_ snapshots: [Snapshot], _ position: Int, _ source: SnapshotColumns.Source, _ column: Int, row: Int)
    throws
  {
    switch source {
    case .attribute(let attribute, let kind):
      try set(snapshots[position].attribute(attribute), kind, column, row)
    case .element(let attribute, let path, let kind):
      try set(snapshots[position].attribute(attribute).element(at: paths[path]), kind, column, row)
    case .toOneKey(let relationship):
      setNumber(snapshots[position].destination(relationship)?.primaryKey, column, row)
    case .toOneEntity(let relationship):
      setNumber(snapshots[position].destination(relationship).map { Int64($0.space.entityIndex) }, column, row)
    }
  }

  private func set(_ value: Value, _ kind: RowPlan.Kind, _ column: Int, _ row: Int) throws {
    guard ValueCoding.fits(value, kind), batch.set(value, column: column, row: row) else {
      throw StoreError.failure("\(value) does not fit its attribute's type")
    }
  }

  private func setNumber(_ number: Int64?, _ column: Int, _ row: Int) {
    // Safety: the columns of destinations hold integers, and the row is under the batch's count.
    guard let number else {
      unsafe batch.states[column][row] = RowBatch.State.null.rawValue
      return
    }
    unsafe batch.integers(column)[row] = number
    unsafe batch.states[column][row] = RowBatch.State.value.rawValue
  }
}
