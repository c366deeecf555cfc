import ObjectModel
import SQLite

/// Deletes rows of one entity with everything that only the layout shows: their join rows, the hidden to-one columns
/// of other rows that point at them. Delete rules are the caller's.
final class RowDeleter {
  private let writer: StoreWriter
  private let entity: Entity
  private let number: Int
  private let joins: [(join: JoinTable, side: JoinTable.Side)]
  /// Columns whose values may lie in files.
  private let externalColumns: [String]
  /// Over the rows with keys from ?1 to ?2.
  private let statements: [String]

  init(_ writer: StoreWriter, _ entity: Entity) {
    self.writer = writer
    self.entity = entity
    let layout = writer.layout
    let table = layout.table(for: entity)
    number = layout.number(of: entity)
    externalColumns = table.columns.compactMap { column in
      guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage else {
        return nil
      }
      return column.name
    }
    joins = layout.joinTables.flatMap { join in
      [join.master, join.inverse].filter { entity.isKind(of: $0.relationship.entity) }.map { (join, $0) }
    }
    var statements = joins.map { join, side in "DELETE FROM \(join.name) WHERE \(side.ownerColumn) BETWEEN ?1 AND ?2" }
    for other in layout.tables {
      for column in other.columns {
        guard case .virtualForeignKey(let owner, let name) = column.role, let declaring = layout.entity(number: owner),
          entity.isKind(of: declaring)
        else { continue }
        let extra = [
          other.column(.virtualDestinationEntity(owner: owner, relationship: name)),
          other.column(.virtualOrderKey(owner: owner, relationship: name)),
        ].compactMap { $0.map { ", \($0.name) = NULL" } }.joined()
        statements.append(
          "UPDATE \(other.name) SET \(column.name) = NULL\(extra) WHERE \(column.name) BETWEEN ?1 AND ?2")
      }
    }
    self.statements = statements + ["DELETE FROM \(table.name) WHERE Z_PK BETWEEN ?1 AND ?2"]
  }

  /// Deletes all rows with these keys, which are rows of the entity. With history, rows are deleted one by one, because
  /// the record of one is made from rows that must still be there.
  func delete(_ keys: ClosedRange<Int64>) throws {
    guard let history = writer.history else { return try run(keys) }
    for key in keys {
      try history.recordDelete(entityNumber: number, key: key)
      for (join, side) in joins { try recordLeaving(join, side, owner: key, history) }
      try run(key...key)
    }
  }

  private func run(_ keys: ClosedRange<Int64>) throws {
    for column in externalColumns {
      let find = try writer.cached(
        "SELECT \(column) FROM \(writer.layout.table(for: entity).name) WHERE Z_PK BETWEEN ?1 AND ?2")
      try find.bind(1, keys.lowerBound)
      try find.bind(2, keys.upperBound)
      defer { find.reset() }
      while try find.step() {
        if let name = unsafe ExternalDataFolder.fileName(find.rawBytes(at: 0)) { writer.externalData.ledger.note(name) }
      }
    }
    for sql in statements {
      let statement = try writer.cached(sql)
      try statement.bind(1, keys.lowerBound)
      try statement.bind(2, keys.upperBound)
      try statement.run()
    }
  }

  /// Records that the members of a many-to-many relationship lose an owner, before its join rows go.
  private func recordLeaving(
    _ join: JoinTable, _ side: JoinTable.Side, owner: Int64, _ history: HistoryWriter
  ) throws {
    guard let inverse = side.relationship.inverse else { return }
    let find = try writer.cached("SELECT \(side.memberColumn) FROM \(join.name) WHERE \(side.ownerColumn) = ?1")
    try find.bind(1, owner)
    var members: [Int64] = []
    while try find.step() { members.append(find.int64(at: 0)) }
    find.reset()
    for member in members { try history.recordMembers(of: inverse, owner: member) }
  }
}
