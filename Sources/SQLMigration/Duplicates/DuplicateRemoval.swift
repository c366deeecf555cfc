import CoreDataLayout
import ObjectModel
import SQLite

/// Leaves one of the rows that have the same values under a new uniqueness constraint, before its index is made.
struct DuplicateRemoval {
  let work: MigrationWork
  let connection: Connection
  let policy: StoreMigration.DuplicatePolicy
  let external: ExternalDataFolder
  /// The time of the history's transaction, in seconds since 2001; the clock when nil.
  let timestamp: Double?
  private var history: DuplicateHistory?

  init(
    work: MigrationWork, connection: Connection, policy: StoreMigration.DuplicatePolicy, external: ExternalDataFolder,
    timestamp: Double?
  ) {
    self.work = work
    self.connection = connection
    self.policy = policy
    self.external = external
    self.timestamp = timestamp
  }

  /// The rows that go, each with the one that stays.
  static let duplicateTable = "seedbed_duplicates"

  /// - Returns: how many objects went, by entity.
  /// - Throws: `StoreMigrationError.conditions` for duplicates that no policy resolves.
  mutating func run() throws -> [String: Int] {
    let new = constraints()
    if policy == .refuse {
      let broken = try new.compactMap { try $0.duplicates.find(in: "SELECT * FROM \($0.table.name)", connection) }
      guard broken.isEmpty else { throw StoreMigrationError.conditions(path: work.path, broken) }
      return [:]
    }
    var removed: [String: Int] = [:]
    var check: RemovalCheck?
    // Merged rows may have the same values under another constraint, even one that was checked before.
    var goesOn = true
    while goesOn {
      goesOn = false
      for (duplicates, table) in new {
        guard try duplicates.find(in: "SELECT * FROM \(table.name)", connection) != nil else { continue }
        if check == nil {
          check = try RemovalCheck(connection, work.new)
          history = try DuplicateHistory(work, connection, timestamp: timestamp)
        }
        for (name, count) in try resolve(duplicates, table) { removed[name, default: 0] += count }
        goesOn = true
      }
    }
    if let check {
      let unresolved = try check.broken()
      guard unresolved.isEmpty else { throw StoreMigrationError.conditions(path: work.path, unresolved) }
      try history?.finish()
    }
    return removed
  }

  /// The constraints that no index of the store guards yet, in the order of the indexes.
  private func constraints() -> [(duplicates: DuplicateValues, table: TableLayout)] {
    work.new.indexes.compactMap { index in
      guard let constraint = index.constraint, let table = work.tables.first(where: { $0.new.name == index.table }),
        !isThere(index)
      else { return nil }
      let columns = constraint.names.compactMap { work.new.propertyColumn($0, of: constraint.entity) }
      return (DuplicateValues(constraint: constraint, columns: columns), table.new)
    }
  }

  /// Whether the store has the index already, which then guards the rows.
  private func isThere(_ index: IndexLayout) -> Bool {
    (try? connection.hasIndex(named: index.name)) ?? false
  }

  private func resolve(_ duplicates: DuplicateValues, _ table: TableLayout) throws -> [String: Int] {
    let duplicateTable = Self.duplicateTable
    let list = duplicates.columns.joined(separator: ", ")
    let isWhole = duplicates.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let winner = policy == .keepLast ? "max" : "min"
    try connection.execute(
      "DROP TABLE IF EXISTS temp.\(duplicateTable); CREATE TEMP TABLE \(duplicateTable) (duplicate INTEGER PRIMARY KEY, winner INTEGER); "
        + "INSERT INTO \(duplicateTable) SELECT Z_PK, winner FROM (SELECT Z_PK, \(winner)(Z_PK) OVER (PARTITION BY \(list)) AS winner "
        + "FROM \(table.name) WHERE \(isWhole)) WHERE Z_PK <> winner")
    var removed: [String: Int] = [:]
    let counts = try Statement(
      connection,
      "SELECT Z_ENT, count(*) FROM \(table.name) WHERE Z_PK IN (SELECT duplicate FROM \(duplicateTable)) GROUP BY Z_ENT"
    )
    while try counts.step() {
      removed[work.new.entity(number: Int(counts.int64(at: 0)))?.name ?? "", default: 0] += Int(counts.int64(at: 1))
    }
    counts.finalize()
    try noteFiles(table)
    try history?.noteDeletions(from: table)
    do {
      if policy == .merge { try fillValues(table) }
      for other in work.new.tables { try redirect(in: other, to: table) }
    } catch let error as SQLiteError where error.code == .constraint {
      let condition = MigrationCondition(
        kind: .unresolvedDuplicates, entity: table.root.name, count: removed.values.reduce(0, +),
        examples: ["another uniqueness constraint would be broken"])
      throw StoreMigrationError.conditions(path: work.path, [condition])
    }
    for join in work.new.joinTables { try redirect(in: join, to: table) }
    try connection.execute(
      "DELETE FROM \(table.name) WHERE Z_PK IN (SELECT duplicate FROM \(duplicateTable)); DROP TABLE temp.\(duplicateTable)"
    )
    return removed
  }

  private func noteFiles(_ table: TableLayout) throws {
    for column in table.columns {
      guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage else { continue }
      try external.ledger.noteFiles(
        in: column.name, of: table.name, where: "Z_PK IN (SELECT duplicate FROM \(Self.duplicateTable))", connection)
    }
  }

  /// Fills missing values of the rows that stay from their duplicates. The columns of a to-one relationship are filled
  /// together, and so are those of a composite attribute, whose elements are one value.
  private func fillValues(_ table: TableLayout) throws {
    for column in table.columns {
      var columns = [column.name]
      /// The columns that are all null where the value is missing.
      var deciding = [column.name]
      switch column.role {
      case .attribute(let path, _):
        if path.count == 1 { break }
        columns = elements(of: path[0], beside: column, in: table)
        // The first of them fills all.
        if columns[0] != column.name { continue }
        deciding = columns
      case .foreignKey, .virtualForeignKey: columns += companions(of: column, in: table)
      default: continue
      }
      // An entity has only what it declares or inherits.
      let kind =
        column.entityIndex.map {
          "t.Z_ENT IN (\(work.new.numbers(ofKind: work.new.numbering.entities[$0]).map(String.init).joined(separator: ", ")))"
        } ?? "1"
      let taken = columns.map { "\($0) = l.\($0)" }.joined(separator: ", ")
      let update = try Statement(
        connection,
        "UPDATE \(table.name) AS t SET \(taken) FROM \(table.name) AS l, (SELECT d.winner, min(d.duplicate) AS duplicate "
          + "FROM \(Self.duplicateTable) AS d JOIN \(table.name) AS r ON r.Z_PK = d.duplicate WHERE "
          + "(\(deciding.map { "r.\($0) IS NOT NULL" }.joined(separator: " OR "))) "
          + "GROUP BY d.winner) AS d WHERE t.Z_PK = d.winner AND l.Z_PK = d.duplicate AND "
          + "\(deciding.map { "t.\($0) IS NULL" }.joined(separator: " AND ")) AND \(kind) "
          + "RETURNING Z_ENT, Z_PK, \(column.name)")
      var rows: [(number: Int, key: Int64, value: Int64)] = []
      while try update.step() {
        guard history != nil else { continue }
        rows.append((Int(update.int64(at: 0)), update.int64(at: 1), update.int64(at: 2)))
      }
      update.finalize()
      try history?.noteValues(changed(columns, in: table), rows, owner: owner(column))
    }
  }

  /// The columns of a composite attribute, one of which is given.
  private func elements(of name: String, beside element: TableLayout.Column, in table: TableLayout) -> [String] {
    table.columns.filter { column in
      if case .attribute(let path, _) = column.role {
        path.count > 1 && path[0] == name && column.entityIndex == element.entityIndex
      } else {
        false
      }
    }.map(\.name)
  }

  /// The columns that the history records: an order column is not a property of its own.
  private func changed(_ columns: [String], in table: TableLayout) -> [String] {
    columns.filter { name in
      switch table.columns.first(where: { $0.name == name })?.role {
      case .orderKey, .virtualOrderKey: false
      default: true
      }
    }
  }

  /// The to-many relationship that a hidden column stands for, at the object that it leads to.
  private func owner(_ column: TableLayout.Column) -> Relationship? {
    guard case .virtualForeignKey(let owner, let name) = column.role else { return nil }
    return work.new.entity(number: owner)?.relationship(name)
  }

  private func companions(of key: TableLayout.Column, in table: TableLayout) -> [String] {
    table.columns.filter { column in
      switch (key.role, column.role) {
      case (.foreignKey(let name), .destinationEntity(let other)), (.foreignKey(let name), .orderKey(let other)):
        name == other && column.entityIndex == key.entityIndex
      case (.virtualForeignKey(let owner, let name), .virtualDestinationEntity(let number, let other)),
        (.virtualForeignKey(let owner, let name), .virtualOrderKey(let number, let other)):
        name == other && owner == number
      default: false
      }
    }.map(\.name)
  }

  /// Redirects references to duplicates to the rows that stay, or sets them to null.
  private func redirect(in table: TableLayout, to target: TableLayout) throws {
    for key in table.columns {
      let destination: Entity?
      // The inverse relationship, at the destination of the column.
      let inverse: Relationship?
      switch key.role {
      case .foreignKey(let name):
        let relationship = key.entityIndex.flatMap { work.new.numbering.entities[$0].relationship(name) }
        (destination, inverse) = (relationship?.destination, relationship?.inverse)
      case .virtualForeignKey(let owner, _): (destination, inverse) = (work.new.entity(number: owner), self.owner(key))
      default: continue
      }
      guard let destination, destination.root == target.root else { continue }
      let companions = companions(of: key, in: table)
      try history?.noteReferences(
        in: table, key.name, changing: self.owner(key) == nil ? changed([key.name] + companions, in: table) : [],
        to: target,
        inverse: policy == .merge && inverse?.isToMany == true ? inverse : nil)
      guard policy == .merge else {
        let list = ([key.name] + companions).map { "\($0) = NULL" }.joined(separator: ", ")
        try connection.execute(
          "UPDATE \(table.name) SET \(list) WHERE \(key.name) IN (SELECT duplicate FROM \(Self.duplicateTable))")
        continue
      }
      let columns = table.columns.filter { companions.contains($0.name) }
      var list = ["\(key.name) = d.winner"]
      for entity in columns where entity.role.isEntity {
        list.append("\(entity.name) = (SELECT w.Z_ENT FROM \(target.name) AS w WHERE w.Z_PK = d.winner)")
      }
      var rows = "\(Self.duplicateTable) AS d WHERE t.\(key.name) = d.duplicate"
      if let order = columns.first(where: { !$0.role.isEntity })?.name {
        list.append("\(order) = d.place")
        rows = "(\(places(in: table.name, row: "Z_PK", owner: key.name, order: order))) AS d WHERE t.Z_PK = d.id"
      }
      try connection.execute("UPDATE \(table.name) AS t SET \(list.joined(separator: ", ")) FROM \(rows)")
    }
  }

  /// The members of ordered relationships that come to another owner: behind those that it has, owner by owner, each in
  /// its own order.
  private func places(in table: String, row: String, owner: String, order: String) -> String {
    "SELECT m.\(row) AS id, l.winner AS winner, ifnull(g.last, \(OrderKey.first - OrderKey.step)) + \(OrderKey.step) "
      + "* ROW_NUMBER() OVER (PARTITION BY l.winner ORDER BY l.duplicate, m.\(order), m.\(row)) AS place "
      + "FROM \(table) AS m JOIN \(Self.duplicateTable) AS l ON l.duplicate = m.\(owner) "
      + "LEFT JOIN (SELECT \(owner) AS owner, max(\(order)) AS last FROM \(table) GROUP BY 1) AS g ON g.owner = l.winner"
  }

  private func redirect(in join: JoinTable, to target: TableLayout) throws {
    for side in [join.master, join.inverse] where side.relationship.entity.root == target.root {
      let column = side.ownerColumn
      try history?.noteLinks(in: join, side, isTakenOver: policy == .merge)
      if policy == .merge {
        // When pairs become equal, the first object's pair stays, and a pair that is there already stays as it is.
        try connection.execute(
          "DELETE FROM \(join.name) WHERE rowid IN (SELECT id FROM (SELECT m.rowid AS id, ROW_NUMBER() OVER "
            + "(PARTITION BY d.winner, m.\(side.memberColumn) ORDER BY d.duplicate) AS place FROM \(join.name) AS m "
            + "JOIN \(Self.duplicateTable) AS d ON d.duplicate = m.\(column)) WHERE place > 1)")
        var change = "\(column) = d.winner FROM \(Self.duplicateTable) AS d WHERE t.\(column) = d.duplicate"
        if let order = side.orderColumn {
          let places = places(in: join.name, row: "rowid", owner: column, order: order)
          change = "\(column) = d.winner, \(order) = d.place FROM (\(places)) AS d WHERE t.rowid = d.id"
        }
        try connection.execute("UPDATE OR IGNORE \(join.name) AS t SET \(change)")
      }
      try connection.execute(
        "DELETE FROM \(join.name) WHERE \(column) IN (SELECT duplicate FROM \(Self.duplicateTable))")
    }
  }
}

extension TableLayout.Role {
  /// Whether the column has the entity number of a reference.
  fileprivate var isEntity: Bool {
    switch self {
    case .destinationEntity, .virtualDestinationEntity: true
    default: false
    }
  }
}
