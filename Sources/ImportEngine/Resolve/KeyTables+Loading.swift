import ObjectModel
import StoreInterface

extension KeyTableID {
  /// The columns that a table of stored keys is made of.
  var storedColumns: [RowBatch.Column] {
    attributes.compactMap { name in
      entity.storedAttribute(name).map { RowBatch.Column(.attribute(name), $0.type.rowBatchStorage) }
    }
  }
}

/// Key tables read from the store. Record keys are not in it: tables of those have the objects of this run only.
extension KeyTables {
  /// Fills all tables.
  func load(from target: any ImportTarget) throws {
    for (id, table) in tables { try load(id, into: table, from: target) }
  }

  /// Reads the tables of some entities anew.
  /// - Parameter roots: indexes of their root entities.
  func reload(from target: any ImportTarget, roots: Set<Int>) throws {
    for (id, table) in tables where roots.contains(id.entity.root.index) && !id.isByRecordKey {
      table.removeAll()
      try load(id, into: table, from: target)
    }
  }

  /// After rows were deleted: takes them out of the tables of record keys, and reads the others anew.
  func forget(_ rows: [RowReference], reloadingFrom target: any ImportTarget) throws {
    let gone = Set(rows.map(\.rawValue))
    for (id, table) in tables {
      if id.isByRecordKey {
        table.removeRows(gone)
      } else {
        table.removeAll()
        try load(id, into: table, from: target)
      }
    }
  }

  private func load(_ id: KeyTableID, into table: KeyTable, from target: any ImportTarget) throws {
    guard !id.isByRecordKey else { return }
    let columns = id.storedColumns
    let keyColumns = Array(columns.indices)
    var key: [UInt8] = []
    let batch = RowBatch(entity: id.entity, columns: columns, capacity: 4096)
    try target.scanRows(of: id.entity, columns: columns, into: batch) { batch, primaryKeys, entities in
      for row in 0..<batch.count {
        key.removeAll(keepingCapacity: true)
        guard KeyEncoding.append(keyColumns, of: batch, row: row, to: &key) == .key else { continue }
        unsafe key.withUnsafeBytes { bytes in
          unsafe table.register(
            RowReference(primaryKey: primaryKeys[row], entityIndex: Int(entities[row])), for: bytes)
        }
      }
    }
  }
}
