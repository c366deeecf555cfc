import CoreDataLayout
import ObjectModel
import SQLite

/// Tells a store's persistent history which duplicates go and what changes with them, as a save that did the same
/// would: the objects as deleted, with the values that are kept of them, and others as updated. All is one transaction.
final class DuplicateHistory {
  /// The context name of the transaction.
  static let contextName = "seedbed.migration"

  private let connection: Connection
  private let layout: StoreLayout
  private let session: StoreSession
  private let writer: HistoryWriter

  /// Nil where the store keeps no history.
  /// - Parameter timestamp: of the transaction, in seconds since 2001; the clock when nil.
  /// - Precondition: the history is of the new model's entities already.
  init?(_ work: MigrationWork, _ connection: Connection, timestamp: Double?) throws {
    let schema = SchemaGuard(connection: connection)
    guard case .ordinary = try schema.table("ACHANGE"), case .ordinary = try schema.table("ATRANSACTION") else {
      return nil
    }
    self.connection = connection
    layout = work.new
    let file = StoreFile(
      path: work.path, model: work.new.model, layout: work.new, metadata: work.metadata, isCreator: false)
    session = StoreSession(borrowing: connection, as: file)
    // A migration with a given time must give the same bytes each time.
    let origin = HistoryWriter.Origin(
      contextName: Self.contextName, program: timestamp == nil ? nil : "seedbed", timestamp: timestamp)
    writer = HistoryWriter(session, origin)
  }

  /// Writes what was noted.
  func finish() throws {
    try writer.finish()
    session.forgetStatements()
  }

  // MARK: - Changes

  /// - Precondition: the rows are there, with all that they refer to.
  func noteDeletions(from table: TableLayout) throws {
    let rows = try objects("SELECT Z_ENT, Z_PK FROM \(table.name) WHERE Z_PK IN (\(duplicateKeys)) ORDER BY Z_PK")
    for row in rows { try writer.recordDelete(entityNumber: row.number, key: row.key) }
    // The owners of relationships without inverse lose a member.
    for column in table.columns {
      guard case .virtualForeignKey(let number, let name) = column.role,
        let list = layout.entity(number: number)?.relationship(name)
      else { continue }
      let owners = try objects(
        "SELECT DISTINCT 0, \(column.name) FROM \(table.name) WHERE Z_PK IN (\(duplicateKeys)) AND \(column.name) IS NOT NULL "
          + "ORDER BY 2")
      for owner in owners { try writer.recordMembers(of: list, owner: owner.key) }
    }
  }

  /// Notes objects whose to-one relationship leads to a duplicate, before the relationship changes.
  /// - Parameters:
  ///   - column: the relationship's key.
  ///   - columns: the columns of the row that change; an order column does not count.
  ///   - target: the table of the duplicates, whose rows are left out.
  ///   - inverse: the to-many relationship by which another object gets the row as a member; nil where there is none.
  func noteReferences(
    in table: TableLayout, _ column: String, changing columns: [String], to target: TableLayout, inverse: Relationship?
  ) throws {
    let stays = table.name == target.name ? " AND Z_PK NOT IN (\(duplicateKeys))" : ""
    let rows = try objects(
      "SELECT t.Z_ENT, t.Z_PK, d.winner FROM \(table.name) AS t JOIN \(DuplicateRemoval.duplicateTable) AS d "
        + "ON d.duplicate = t.\(column) WHERE 1\(stays) ORDER BY t.Z_PK")
    for row in rows {
      if !columns.isEmpty { try writer.recordUpdate(entityNumber: row.number, key: row.key, columns: columns) }
      if let inverse { try writer.recordMembers(of: inverse, owner: row.other) }
    }
  }

  /// Notes objects that are in a many-to-many relationship with a duplicate, before the join rows change.
  /// - Parameters:
  ///   - side: the side of the duplicates.
  ///   - isTakenOver: whether the objects that stay get the members.
  func noteLinks(in join: JoinTable, _ side: JoinTable.Side, isTakenOver: Bool) throws {
    let other = side.ownerColumn == join.master.ownerColumn ? join.inverse : join.master
    let rows = try objects(
      "SELECT 0, j.\(side.memberColumn), d.winner FROM \(join.name) AS j JOIN \(DuplicateRemoval.duplicateTable) AS d "
        + "ON d.duplicate = j.\(side.ownerColumn) ORDER BY 2, 3")
    for row in rows {
      try writer.recordMembers(of: other.relationship, owner: row.key)
      if isTakenOver { try writer.recordMembers(of: side.relationship, owner: row.other) }
    }
  }

  /// Notes objects that have got values from duplicates.
  /// - Parameters:
  ///   - columns: the columns that get values; the key of a relationship comes first.
  ///   - rows: the entity number and key of each of these objects, and the key that it got.
  ///   - owner: the to-many relationship of another object that they came into without a property of their own.
  func noteValues(_ columns: [String], _ rows: [(number: Int, key: Int64, value: Int64)], owner: Relationship?) throws {
    for row in rows {
      if let owner {
        try writer.recordMembers(of: owner, owner: row.value)
        continue
      }
      try writer.recordUpdate(entityNumber: row.number, key: row.key, columns: columns)
      for owner in try writer.owners(row.number, row.key, columns: Set(columns)) {
        try writer.recordUpdate(
          entityNumber: owner.object.entityNumber, key: owner.object.key, columns: [owner.relationship])
      }
    }
  }

  // MARK: - Rows

  private var duplicateKeys: String { "SELECT duplicate FROM \(DuplicateRemoval.duplicateTable)" }

  /// Entity number, key and another key of some rows; they are read before anything changes.
  private func objects(_ sql: String) throws -> [(number: Int, key: Int64, other: Int64)] {
    let statement = try Statement(connection, sql)
    var rows: [(Int, Int64, Int64)] = []
    while try statement.step() {
      rows.append(
        (Int(statement.int64(at: 0)), statement.int64(at: 1), statement.columnCount > 2 ? statement.int64(at: 2) : 0))
    }
    return rows
  }
}
