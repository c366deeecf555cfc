import ObjectModel
import SQLite
public import StoreInterface

extension SQLiteStore {
  /// Streams values at key paths of the objects that a request selects, in its order: what an export writes.
  ///
  /// Column `n` of a batch holds the attribute at key path `n`; a missing object on the way makes it null.
  /// - Parameters:
  ///   - keyPaths: to-one relationships, then an attribute.
  ///   - body: takes a filled batch and gives back the one to fill next, of the same columns: the same, or another while
  ///     somebody else still uses it. It must not change the store.
  public func scan(
    _ request: FetchRequest, keyPaths: [Predicate.KeyPath], rowsPerBatch: Int = 4_096,
    body: (RowBatch) throws -> RowBatch
  ) throws {
    try perform {
      try settleBeforeReading()
      try request.predicate.checkKeyPaths(for: request.entity)
      var sql = FetchSQL(self)
      defer { for list in sql.lists { try? connection.execute("DELETE FROM \(list)") } }
      var names: [String] = []
      var attributes: [AttributeDescription] = []
      var columns: [RowBatch.Column] = []
      for keyPath in keyPaths {
        let (name, attribute) = try sql.selectedColumn(keyPath, request.entity)
        names.append(name)
        attributes.append(attribute)
        columns.append(RowBatch.Column(.attribute(keyPath.joined(separator: ".")), attribute.type.rowBatchStorage))
      }
      let list = names.isEmpty ? "t0.Z_PK" : names.joined(separator: ", ")
      let statement = try Statement(connection, sql.statement(request, selecting: list))
      for (index, value) in sql.parameters.enumerated() {
        try ValueCoding.bind(value, to: statement, at: Int32(index + 1))
      }
      let reader = CellReader(self, columns: columns, attributes: attributes)
      var batch = RowBatch(entity: request.entity, columns: columns, capacity: rowsPerBatch)
      while try statement.step() {
        try reader.read(statement, from: 0, into: batch, row: batch.count)
        batch.count += 1
        if batch.count == batch.capacity || batch.arenaCount >= Self.scannedByteLimit {
          batch = try body(batch)
          batch.removeAll()
        }
      }
      if batch.count > 0 { _ = try body(batch) }
    }
  }
}
