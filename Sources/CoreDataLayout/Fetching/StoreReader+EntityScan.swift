import Foundation
public import ObjectModel
import SQLite
public import StoreInterface

extension StoreReader {
  /// Streams primary keys and columns of an entity's rows, sub-entities' included, by primary key, each with the model
  /// index of the row's own entity.
  ///
  /// `body` gets the batch, refilled each time. It must not change the store.
  /// - Parameter onMissingFile: called for a value whose file of external data is not there, and which is null then,
  ///   with the row's primary key, the position of its column and the file's name; nil: such a value is an error.
  public func scan(
    _ entity: Entity, columns: [RowBatch.Column], into batch: RowBatch,
    onMissingFile: ((_ primaryKey: Int64, _ column: Int, _ name: String) -> Void)? = nil,
    body: (RowBatch, _ primaryKeys: UnsafeBufferPointer<Int64>, _ entityIndexes: UnsafeBufferPointer<Int64>) throws ->
      Void
  ) throws {
    try session.perform {
      guard batch.columns == columns, batch.capacity > 0 else {
        throw StoreError.failure("\(entity.name): the batch has other columns than the scan")
      }
      let kinds = try columns.map { try scannedColumn($0, entity) }
      let statement = try Statement(session.connection, scanText(entity, columns: kinds.map(\.name)))
      var keys = [Int64](repeating: 0, count: batch.capacity)
      var entities = [Int64](repeating: 0, count: batch.capacity)
      func flush() throws {
        if batch.count == 0 { return }
        try unsafe keys.withUnsafeBufferPointer { keys in
          try unsafe entities.withUnsafeBufferPointer { entities in
            // Safety: a batch that is full is handed over at once, so both arrays have a place for each of its rows.
            unsafe try body(
              batch, UnsafeBufferPointer(rebasing: keys[..<batch.count]),
              UnsafeBufferPointer(rebasing: entities[..<batch.count]))
          }
        }
        batch.removeAll()
      }
      batch.removeAll()
      var current: Int64 = 0
      let reader = CellReader(
        session, columns: columns, attributes: kinds.map(\.attribute),
        onMissingFile: onMissingFile.map { note in { column, name in note(current, column, name) } })
      while try statement.step() {
        let row = batch.count
        current = statement.int64(at: 0)
        keys[row] = current
        entities[row] = Int64(try file.entity(numbered: statement.int64(at: 1)).index)
        try reader.read(statement, from: 2, into: batch, row: row)
        batch.count += 1
        if batch.count == batch.capacity || batch.arenaCount >= Self.scannedByteLimit { try flush() }
      }
      try flush()
    }
  }

  /// A batch with this many bytes of texts and data is handed over though it has room for more rows.
  static let scannedByteLimit = 4 << 20

  /// The SELECT that `scan` runs.
  func scanText(of entity: Entity, columns: [RowBatch.Column]) throws -> String {
    scanText(entity, columns: try columns.map { try scannedColumn($0, entity).name })
  }

  private func scanText(_ entity: Entity, columns: [String]) -> String {
    var condition = ""
    if entity.superentity != nil {
      condition = " WHERE +Z_ENT IN (\(file.layout.numbers(ofKind: entity).map(String.init).joined(separator: ", ")))"
    }
    let list = (["Z_PK", "Z_ENT"] + columns).joined(separator: ", ")
    return "SELECT \(list) FROM \(file.layout.table(for: entity).name)\(condition) ORDER BY Z_PK"
  }

  private func scannedColumn(
    _ column: RowBatch.Column, _ entity: Entity
  ) throws -> (name: String, attribute: AttributeDefinition?) {
    switch column.source {
    case .attribute(let path):
      if let found = file.layout.column(for: path, of: entity), case .attribute(_, let attribute) = found.role {
        return (found.name, attribute)
      }
    case .toOne(let name):
      if let found = entity.relationship(name).flatMap({ file.layout.foreignKeyColumn(of: $0) }) {
        return (found.name, nil)
      }
    case .toOneEntity(let name):
      if let found = entity.relationship(name).flatMap({ file.layout.entityColumn(of: $0) }) {
        return (found.name, nil)
      }
    case .toOneOrder(let name):
      if let found = entity.relationship(name).flatMap({ file.layout.orderColumn(of: $0) }) { return (found.name, nil) }
    }
    throw StoreError.failure("\(entity.name) has no stored column for \(column.source)")
  }
}
