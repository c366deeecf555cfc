import ObjectModel
import SQLite
import StoreInterface

extension StoreWriter {
  /// See `SQLiteStore.complete`. All rows are written in one transaction, or in a savepoint of the open one. Places in
  /// ordered relationships are noted, and given later.
  func complete(_ batch: RowBatch, primaryKeys: [Int64]) throws {
    guard primaryKeys.count == batch.count else {
      throw StoreError.failure("\(batch.count) rows need as many primary keys")
    }
    try performAtomically {
      var names: [String] = []
      for column in batch.columns {
        let name: String?
        switch column.source {
        case .toOne(let property):
          name = batch.entity.relationship(property).flatMap { layout.foreignKeyColumn(of: $0)?.name }
        case .toOneEntity(let property):
          name = batch.entity.relationship(property).flatMap { layout.entityColumn(of: $0)?.name }
        case .attribute, .toOneOrder: name = nil
        }
        guard let name else {
          throw StoreError.failure("\(batch.entity.name) has no foreign key for \(column.source)")
        }
        names.append(name)
      }
      var assignments = names.enumerated().map { "\($1) = ?\($0 + 2)" }
      var ordered: [Relationship] = []
      for (index, column) in batch.columns.enumerated() {
        guard case .toOne(let name) = column.source, let relationship = batch.entity.relationship(name),
          let order = layout.orderColumn(of: relationship)?.name
        else { continue }
        ordered.append(relationship)
        // A row that moves to another destination loses its place.
        assignments.append("\(order) = CASE WHEN \(names[index]) = ?\(index + 2) THEN \(order) END")
      }
      let statement = try cached(
        "UPDATE \(layout.table(for: batch.entity).name) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1")
      for row in 0..<batch.count {
        try statement.bind(1, primaryKeys[row])
        for (index, column) in batch.columns.enumerated() {
          // Safety: columns of to-one relationships have integers, and `row` is under the count.
          var value = unsafe batch.integers(index)[row]
          if case .toOneEntity = column.source { value = Int64(layout.number(of: file.model.entities[Int(value)])) }
          try statement.bind(Int32(index + 2), value)
        }
        if let history, let number = try history.entityNumber(of: primaryKeys[row], kindOf: batch.entity) {
          try history.recordingUpdate(entityNumber: number, key: primaryKeys[row], columns: names) {
            try statement.run()
          }
        } else {
          try statement.run()
        }
        // A row that joins an ordered relationship takes its place at the end.
        for relationship in ordered { noteMissingOrderKey(relationship, primaryKeys[row]) }
      }
    }
  }
}
