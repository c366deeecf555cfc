import CoreDataLayout
import Foundation
import ObjectModel
import SQLite

/// Makes the new tables out of the old ones. The order matters: everything that is read of a table is read before the
/// table changes.
struct MigrationTables {
  let work: MigrationWork
  let connection: Connection
  /// New tables whose rows are written as pages, between `write` and `finishTables`.
  var tablesOfPages: Set<String> = []
  /// Indexes of a program's or a person's own that stay.
  var keptIndexes: [ForeignIndex] = []
  /// Whether rows may take over the values of duplicates: unique indexes of that kind are made again afterwards, where
  /// they can be.
  var resolvesDuplicates = false
  /// Views, and triggers on other tables, which do not belong to the model either.
  var views: [ForeignView] = []

  private func quoted(_ name: String) -> String { SQLText.identifier(name) }

  /// The name under which an in-place table is at hand until it gets its new one.
  private func current(_ table: TableWork) -> String {
    table.method == .inPlace ? work.name(table.feeds[0].old.name) : table.new.name
  }

  // MARK: - Room

  /// Notes files that values of removed rows, or of attributes that keep theirs elsewhere now, name: they go when no
  /// row names them in the end.
  func noteExternalFiles(in folder: ExternalDataFolder) throws {
    let isTouched = Set(
      work.droppedTableNames + work.tables.filter { !$0.leavesRows }.flatMap { $0.feeds.map(\.old.name) })
    for table in work.old.tables where isTouched.contains(table.name) {
      for column in table.columns {
        guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage else {
          continue
        }
        try folder.ledger.noteFiles(in: column.name, of: table.name, connection)
      }
    }
  }

  /// Drops triggers and the indexes that the new model lacks, and renames old tables whose names are needed.
  func makeRoom() throws {
    let tables = Set(work.oldTableNames.map { $0.uppercased() })
    let kept = Set(work.keptNames.filter { $0.key == $0.value }.keys.map { $0.uppercased() })
    // Indexes outside the model go where the table's rows are written as pages.
    let staying = Set(
      work.new.indexes.filter { !work.guardsDerivedValues($0) }.map(\.createStatement)
        + keptIndexes.filter(outlastsRows).map(\.statement))
    var statements: [String] = []
    let list = try Statement(
      connection,
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('index', 'trigger', 'table')"
    )
    while try list.step() {
      let (type, name, table) = (list.string(at: 0), quoted(list.string(at: 1) ?? ""), list.string(at: 2) ?? "")
      let sql = list.string(at: 3) ?? ""
      switch type {
      case "trigger" where tables.contains(table.uppercased()) || table.hasPrefix("Z_RT_"):
        statements.insert("DROP TRIGGER \(name)", at: 0)
      case "index" where tables.contains(table.uppercased()):
        if !(kept.contains(table.uppercased()) && staying.contains(sql)) { statements.append("DROP INDEX \(name)") }
      case "table" where table.hasPrefix("Z_RT_") && sql.uppercased().hasPrefix("CREATE VIRTUAL TABLE"):
        statements.append("DROP TABLE \(name)")
      default: break
      }
    }
    list.finalize()
    // SQLite reads each of them when it renames a column, and stops at one that names what is not there.
    for view in views.sorted(by: { $0.type > $1.type }) {
      statements.insert("DROP \(view.type) \(quoted(view.name))", at: 0)
    }
    statements += work.names.sortedByCodePoint(\.key).map { "ALTER TABLE \(quoted($0)) RENAME TO \($1)" }
    for statement in statements { try connection.execute(statement) }
  }

  /// Whether an index can be there while rows are written and duplicates go.
  private func outlastsRows(_ index: ForeignIndex) -> Bool {
    !(index.isUnique && (resolvesDuplicates || !work.new.derivedAttributes.isEmpty))
      && !tablesOfPages.contains { $0.uppercased() == index.table.uppercased() }
  }

  // MARK: - Rows

  /// Fills new tables and columns from the old rows, which stay as they are until that is done.
  func write() throws {
    for statement in newTables() { try connection.execute(statement) }
    for table in work.tables where table.method == .rewrite && !tablesOfPages.contains(table.new.name) {
      try copy(table)
    }
    for table in work.tables where table.method == .inPlace {
      for column in table.appended {
        try connection.execute("ALTER TABLE \(quoted(current(table))) ADD COLUMN \(column.name) \(column.sqlType)")
      }
    }
    for join in work.joins { try fill(join) }
    for table in work.tables {
      for fill in table.fills { try link(table, fill.columns, fill.pairs) }
    }
  }

  private func newTables() -> [String] {
    let kept = Set(work.keptNames.values)
    return work.new.tableStatements.enumerated().filter { index, _ in
      !kept.contains(work.newTableNames[index])
    }.map(\.element)
  }

  private func copy(_ table: TableWork) throws {
    let columns = table.new.columns.map(\.name).joined(separator: ", ")
    for feed in table.feeds {
      try connection.execute(
        "INSERT INTO \(table.new.name) (\(columns)) SELECT \(feed.cells.joined(separator: ", ")) "
          + "FROM \(quoted(work.name(feed.old.name))) AS s WHERE s.Z_ENT IN (\(work.numbers(feed.moves))) ORDER BY s.Z_PK"
      )
    }
  }

  private func fill(_ join: JoinWork) throws {
    guard case .fill(let pairs) = join.method else { return }
    let (master, inverse) = (join.new.master, join.new.inverse)
    var columns = [(master.ownerColumn, "owner"), (inverse.ownerColumn, "member")]
    if let order = inverse.orderColumn { columns.append((order, "owner_order")) }
    if let order = master.orderColumn { columns.append((order, "member_order")) }
    // Rows are kept in the order of their primary key, and the first of a pair that is there twice stays.
    try connection.execute(
      "INSERT OR IGNORE INTO \(join.new.name) (\(columns.map(\.0).joined(separator: ", "))) "
        + "SELECT \(columns.map(\.1).joined(separator: ", ")) FROM (\(pairs)) ORDER BY owner, member")
    for side in [master, inverse] {
      guard let order = side.orderColumn else { continue }
      try complete(join.new.name, row: "rowid", owner: side.ownerColumn, order: order, by: side.memberColumn)
    }
  }

  private func link(_ table: TableWork, _ columns: TableWork.LinkColumns, _ pairs: String) throws {
    var list = ["\(columns.key) = p.member"]
    if let entity = columns.entity { list.append("\(entity) = p.member_entity") }
    if let order = columns.order { list.append("\(order) = p.owner_order") }
    // In a table that is altered in place rows have their old keys still, which are their new ones.
    try connection.execute(
      "UPDATE \(quoted(current(table))) AS t SET \(list.joined(separator: ", ")) FROM (\(pairs)) AS p WHERE p.owner = t.Z_PK"
    )
  }

  /// Gives places to members that have none: after the others, in the order of their keys.
  private func complete(_ table: String, row: String, owner: String, order: String, by key: String) throws {
    let name = quoted(table)
    try connection.execute(
      "UPDATE \(name) AS t SET \(order) = n.place FROM (SELECT m.\(row) AS id, "
        + "ifnull(g.last, \(OrderKey.first - OrderKey.step)) "
        + "+ \(OrderKey.step) * ROW_NUMBER() OVER (PARTITION BY m.\(owner) ORDER BY m.\(key)) AS place "
        + "FROM \(name) AS m LEFT JOIN (SELECT \(owner) AS owner, max(\(order)) AS last FROM \(name) GROUP BY 1) AS g "
        + "ON g.owner = m.\(owner) WHERE m.\(owner) IS NOT NULL AND m.\(order) IS NULL) AS n WHERE n.id = t.\(row)")
  }

  // MARK: - Names

  /// Finishes when everything is read: changes values in place, gives columns and tables their names, and drops old
  /// tables.
  func finishTables() throws {
    for table in work.tables where table.method == .inPlace {
      let name = quoted(current(table))
      if !tablesOfPages.contains(table.new.name) {
        try hideStrayRows(of: table)
        if !table.assigned.isEmpty {
          let list = table.assigned.map { "\($0.column) = \($0.expression)" }.joined(separator: ", ")
          try connection.execute(
            "UPDATE \(name) AS s SET \(list) WHERE s.Z_ENT IN (\(work.numbers(table.feeds[0].moves)))")
        }
      }
      for column in table.renamed {
        try connection.execute("ALTER TABLE \(name) RENAME COLUMN \(column.from) TO \(column.to)")
      }
    }
    for join in work.joins {
      guard case .inPlace(let old) = join.method else { continue }
      for column in join.renamed {
        try connection.execute("ALTER TABLE \(quoted(work.name(old))) RENAME COLUMN \(column.from) TO \(column.to)")
      }
    }
    for table in work.droppedTableNames { try connection.execute("DROP TABLE \(quoted(work.name(table)))") }
    for (old, new) in work.keptNames.sortedByCodePoint(\.key) where old != new {
      try connection.execute("ALTER TABLE \(quoted(work.name(old))) RENAME TO \(new)")
    }
    for table in work.tables {
      for columns in table.ordered {
        guard let order = columns.order else { continue }
        try complete(table.new.name, row: "Z_PK", owner: columns.key, order: order, by: "Z_PK")
      }
    }
  }

  /// Clears the entity number of rows of no entity where an entity of the table has that number now: they would become
  /// its objects.
  private func hideStrayRows(of table: TableWork) throws {
    let former = Set(work.moves.concrete(kindOf: table.feeds[0].old.root).map { work.old.number(of: $0) })
    let fresh = work.new.numbers(ofKind: table.new.root).filter { !former.contains($0) }
    if fresh.isEmpty { return }
    let list = fresh.map(String.init).joined(separator: ", ")
    try connection.execute("UPDATE \(quoted(current(table))) SET Z_ENT = NULL WHERE Z_ENT IN (\(list))")
  }

  // MARK: - What follows from rows

  /// Computes derived attributes. Those of `now()` that were there before keep their time.
  /// - Parameter hasRemoved: whether duplicates went, or gave their values to others.
  func derive(at timestamp: Double, hasRemoved: Bool) throws {
    let isTouched = hasRemoved || work.movesRows || work.changesValues
    // An attribute that is computed from another one comes after it.
    var isFollowed = false
    for derived in work.new.derivedAttributes {
      guard let derivation = derived.derivation else { continue }
      let isNew = !wasDerived(derived)
      if case .now = derivation.formula, !isNew { continue }
      guard isNew || isTouched || isFollowed || !readsTheSame(derived, derivation) else { continue }
      isFollowed = true
      let statement = try Statement(connection, derivation.refreshStatement())
      if statement.parameterCount > 0 { try statement.bind(1, timestamp) }
      try statement.run()
    }
  }

  /// Whether the attribute was there with the same derivation, so that its column still holds its values.
  private func wasDerived(_ derived: DerivedAttribute) -> Bool {
    guard let new = derived.entity.attribute(derived.name) else { return false }
    let rows = work.moves.moves(toKind: derived.entity)
    return rows.allSatisfy { move in
      work.moves.derivedName(of: derived.name, move).flatMap { move.old.attribute($0) }?.derivation == new.derivation
    }
  }

  /// Whether the attribute was computed from the same columns, because a column of the same name may be another
  /// property now.
  private func readsTheSame(_ derived: DerivedAttribute, _ derivation: ResolvedDerivation) -> Bool {
    work.moves.moves(toKind: derived.entity).allSatisfy { move in
      let name = work.moves.derivedName(of: derived.name, move)
      let former = work.old.derivedAttributes.first { $0.name == name && move.old.isKind(of: $0.entity) }?.derivation
      return former?.target == derivation.target && former?.formula == derivation.formula
    }
  }

  /// Makes the indexes, R-trees and triggers of the new model that are not there.
  func makeIndexes() throws {
    for index in work.new.indexes { try connection.execute(StoreWriter.ifMissing(index.createStatement)) }
    for statement in work.new.triggerStatements { try connection.execute(statement) }
    for tree in try RTree.all(in: connection, work.new) { try connection.execute(tree.fillStatement()) }
  }

  /// Makes the views and triggers again that made room, as they were.
  func makeViews() throws { for view in views { try view.make(in: connection) } }

  /// Makes the kept indexes again that are not there any more.
  /// - Returns: unique ones that cannot be made, because rows have the same values now.
  func makeKeptIndexes() throws -> [ForeignIndex] {
    try keptIndexes.filter { index in
      if try connection.hasIndex(named: index.name) { return false }
      do {
        try index.make(in: connection)
        return false
      } catch let error as SQLiteError where index.isUnique && error.code == .constraint {
        return true
      }
    }
  }
}
