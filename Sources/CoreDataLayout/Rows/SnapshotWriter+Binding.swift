import ObjectModel
import SQLite
import StoreInterface

/// Binding values of snapshots. What the unsafe code relies on is said at the head of `SnapshotWriter.swift`.
extension SnapshotWriter {
  /// Binds a column of a snapshot. It gets the list and the position, because taking the snapshot out of the list would
  /// count references.
  /// - Parameter row: a position in `snapshots`.
  @unsafe func bind(
    _ snapshots: UnsafeBufferPointer<Snapshot>, _ row: Int, _ key: Int64, _ index: Int, to statement: Statement,
    at parameter: Int32
  ) throws {
    switch columns[index].source {
    case .attribute(let position, let kind):
      if unsafe snapshots[row].edited == nil {
        try bind(unsafe snapshots[row].ownAttributes[position], kind, key, index, to: statement, at: parameter)
      } else {
        try bind(unsafe snapshots[row].attribute(position), kind, key, index, to: statement, at: parameter)
      }
    case .element(let position, let path, let kind):
      try ValueCoding.bind(
        unsafe snapshots[row].attribute(position).element(at: paths[path]), kind: kind, to: statement, at: parameter,
        externalData: writer.externalData, seed: RowBinder.seed(number, key, index))
    case .toOneKey(let position):
      if let destination = unsafe snapshots[row].destination(position)?.primaryKey {
        try statement.bind(parameter, destination)
      } else {
        try statement.bindNull(parameter)
      }
    case .toOneEntity(let position):
      if let destination = unsafe snapshots[row].destination(position) {
        try statement.bind(parameter, Int64(writer.layout.number(of: destination.entity)))
      } else {
        try statement.bindNull(parameter)
      }
    }
  }
  @inline(__always) private func bind(
    _ value: Value, _ kind: RowPlan.Kind, _ key: Int64, _ index: Int, to statement: Statement, at parameter: Int32
  ) throws {
    switch (value, kind) {
    case (.integer(let number), .integer): try statement.bind(parameter, number)
    case (.double(let number), .real) where !number.isNaN: try statement.bind(parameter, number)
    case (.string(let text), .text): try texts.bind(text, to: statement, at: parameter)
    case (.boolean(let flag), .integer): try statement.bind(parameter, Int64(flag ? 1 : 0))
    default:
      try ValueCoding.bind(
        value, kind: kind, to: statement, at: parameter, externalData: writer.externalData,
        seed: RowBinder.seed(number, key, index))
    }
  }
}
