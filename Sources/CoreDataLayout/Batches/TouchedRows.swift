import ObjectModel
import SQLite
import StoreInterface

/// The rows as they were before a batch insertion first changed them, so that the batch counts as one change of each
/// row: its version rises by one, and so does the version of owners that have other members in the end.
final class TouchedRows {
  private let writer: StoreWriter
  private let entity: Entity
  /// To-one relationships whose inverse is to-many.
  private let owners: [(relationship: Relationship, column: String)]
  private var before: Int64 = 0

  private static let name = "seedbed_touched"
  private var table: TableLayout { writer.layout.table(for: entity) }
  private var connection: Connection { writer.connection }

  init(_ writer: StoreWriter, _ entity: Entity) {
    self.writer = writer
    self.entity = entity
    owners = entity.relationships.compactMap { relationship in
      guard !relationship.isToMany, relationship.inverse?.isToMany == true,
        let column = writer.layout.foreignKeyColumn(of: relationship)?.name
      else { return nil }
      return (relationship, column)
    }
  }

  /// - Parameter before: rows with greater keys are new.
  func begin(after before: Int64) throws {
    self.before = before
    let columns = owners.indices.map { ", o\($0) INTEGER" }.joined()
    try connection.execute(
      "DROP TABLE IF EXISTS temp.\(Self.name); "
        + "CREATE TEMP TABLE \(Self.name) (key INTEGER PRIMARY KEY, version INTEGER\(columns))")
  }

  /// Notes a row that is about to change.
  /// - Returns: whether it is noted for the first time.
  func note(_ key: Int64) throws -> Bool {
    if key > before { return false }
    let columns = owners.map { ", \($0.column)" }.joined()
    let statement = try writer.cached(
      "INSERT OR IGNORE INTO temp.\(Self.name) SELECT Z_PK, IFNULL(Z_OPT, 1)\(columns) FROM \(table.name) WHERE Z_PK = ?1"
    )
    try statement.bind(1, key)
    try statement.run()
    return connection.changes > 0
  }

  /// Forgets a noted row that did not change after all.
  func forget(_ key: Int64) throws {
    let statement = try writer.cached("DELETE FROM temp.\(Self.name) WHERE key = ?1")
    try statement.bind(1, key)
    try statement.run()
  }

  /// Gives new and changed rows their versions.
  /// - Parameter last: the key of the last new row.
  func finish(last: Int64, wantsObjectIDs: Bool) throws -> BatchOutcome {
    var outcome = BatchOutcome()
    outcome.updatedCount = Int(try connection.integer("SELECT count(*) FROM temp.\(Self.name)") ?? 0)
    let isNew = "Z_PK > \(before) AND Z_PK <= \(last)"
    try connection.execute("UPDATE \(table.name) SET Z_OPT = 1 WHERE \(isNew) AND Z_OPT <> 1")
    try connection.execute(
      "UPDATE \(table.name) SET Z_OPT = \(VersionCounter.after("s.version")) FROM temp.\(Self.name) AS s "
        + "WHERE \(table.name).Z_PK = s.key AND Z_OPT <> \(VersionCounter.after("s.version"))")
    var related: [String: KeySet] = [:]
    for (index, owner) in owners.enumerated() {
      let ownerTable = writer.layout.table(for: owner.relationship.destination)
      var keys = related[ownerTable.name] ?? KeySet(ownerTable, "owners")
      if related[ownerTable.name] == nil { try keys.create(in: connection) }
      let moved =
        "temp.\(Self.name) AS s JOIN \(table.name) AS t ON t.Z_PK = s.key WHERE s.o\(index) IS NOT t.\(owner.column)"
      for select in [
        "SELECT \(owner.column) AS key FROM \(table.name) WHERE \(isNew)", "SELECT s.o\(index) AS key FROM \(moved)",
        "SELECT t.\(owner.column) AS key FROM \(moved)",
      ] {
        // Owners that the batch itself wrote have new versions already.
        let isOwn =
          ownerTable.name == table.name
          ? " AND NOT (key > \(before) AND key <= \(last)) AND key NOT IN (SELECT key FROM temp.\(Self.name))" : ""
        try keys.add(
          "SELECT key FROM (\(select)) WHERE key IN (SELECT Z_PK FROM \(ownerTable.name))\(isOwn)", in: connection)
      }
      related[ownerTable.name] = keys
    }
    for keys in related.values.sorted(by: { $0.table.root.index < $1.table.root.index }) {
      if !keys.isEmpty {
        try connection.execute(
          "UPDATE \(keys.table.name) SET Z_OPT = \(VersionCounter.next) WHERE \(keys.contains("Z_PK"))")
        outcome.relatedCount += Int(connection.changes)
        if wantsObjectIDs { outcome.related += try writer.objectIDs(of: keys) }
      }
      try keys.drop(in: connection)
    }
    if wantsObjectIDs && outcome.updatedCount > 0 {
      var keys = KeySet(table, "updated")
      try keys.create(in: connection)
      try keys.add("SELECT key FROM temp.\(Self.name)", in: connection)
      outcome.updated = try writer.objectIDs(of: keys)
      try keys.drop(in: connection)
    }
    try connection.execute("DROP TABLE temp.\(Self.name)")
    return outcome
  }
}
