package import CoreDataLayout
package import ObjectModel
package import StoreInterface

/// A value for a cell of a row batch.
package enum Cell {
  case absent, null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
}

/// A batch with these rows.
package func makeBatch(_ entity: Entity, _ columns: [RowBatch.Column], _ rows: [[Cell]]) -> RowBatch {
  let batch = RowBatch(entity: entity, columns: columns, capacity: max(rows.count, 1))
  for (row, cells) in rows.enumerated() {
    for (column, cell) in cells.enumerated() {
      var state = RowBatch.State.value
      switch cell {
      case .absent: state = .absent
      case .null: state = .null
      case .integer(let value): unsafe batch.integers(column)[row] = value
      case .real(let value): unsafe batch.reals(column)[row] = value
      case .text(let text): batch.put(Array(text.utf8), column: column, row: row)
      case .bytes(let bytes): batch.put(bytes, column: column, row: row)
      }
      unsafe batch.states[column][row] = state.rawValue
    }
  }
  batch.count = rows.count
  return batch
}

extension RowBatch {
  /// Stores bytes in a cell.
  package func put(_ bytes: [UInt8], column: Int, row: Int) {
    unsafe bytes.withUnsafeBytes { source in
      unsafe slices(column)[row] =
        if let start = source.baseAddress { unsafe append(start, count: source.count) } else {
          Slice(offset: 0, length: 0)
        }
    }
  }
}

extension SQLiteStore {
  package func insert(_ batch: RowBatch, keys: [Int64]) throws {
    try unsafe keys.withUnsafeBufferPointer { try unsafe insert(batch, primaryKeys: $0) }
  }
}
