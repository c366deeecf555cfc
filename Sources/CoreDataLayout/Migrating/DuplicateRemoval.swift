import ObjectModel
import SQLite
import StoreInterface

/// Leaves one of the rows that have the same values under a new uniqueness constraint, before its index is made.
struct DuplicateRemoval {
  let work: MigrationWork
  let connection: Connection
  let policy: StoreMigration.DuplicatePolicy
  let external: ExternalDataFolder

  private static let losers = "seedbed_duplicates"

  /// - Returns: how many objects went, by entity.
  /// - Throws: `StoreMigrationError.conditions` for duplicates that no policy resolves.
  func run() throws -> [String: Int] {
    var removed: [String: Int] = [:]
    var broken: [MigrationCondition] = []
    var check: RemovalCheck?
    for index in work.new.indexes {
      guard let constraint = index.constraint, let table = work.tables.first(where: { $0.new.name == index.table }),
        !isThere(index)
      else { continue }
      let columns = constraint.names.compactMap { work.new.propertyColumn($0, of: constraint.entity) }
      let duplicates = Duplicates(constraint: constraint, columns: columns)
      guard let found = try duplicates.find(in: "SELECT * FROM \(index.table)", connection) else { continue }
      if policy == .refuse {
        broken.append(found)
      } else {
        if check == nil { check = try RemovalCheck(connection, work.new) }
        let numbers = try resolve(duplicates, table.new)
        for (name, count) in numbers { removed[name, default: 0] += count }
      }
    }
    guard broken.isEmpty else { throw StoreMigrationError.conditions(path: work.path, broken) }
    if let check {
      let unresolved = try emptiedRelationships() + check.broken()
      guard unresolved.isEmpty else { throw StoreMigrationError.conditions(path: work.path, unresolved) }
    }
    return removed
  }

  /// Whether the store has the index already, which then guards the rows.
  private func isThere(_ index: IndexLayout) -> Bool {
    let name = "'" + index.name.replacing("'", with: "''") + "'"
    return (try? connection.integer("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = \(name)")) == 1
  }

  private func resolve(_ duplicates: Duplicates, _ table: TableLayout) throws -> [String: Int] {
    let losers = Self.losers
    let list = duplicates.columns.joined(separator: ", ")
    let isWhole = duplicates.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let winner = policy == .keepLast ? "max" : "min"
    try connection.execute(
      "DROP TABLE IF EXISTS temp.\(losers); CREATE TEMP TABLE \(losers) (loser INTEGER PRIMARY KEY, winner INTEGER); "
        + "INSERT INTO \(losers) SELECT Z_PK, winner FROM (SELECT Z_PK, \(winner)(Z_PK) OVER (PARTITION BY \(list)) AS winner "
        + "FROM \(table.name) WHERE \(isWhole)) WHERE Z_PK <> winner")
    var removed: [String: Int] = [:]
    let counts = try Statement(
      connection, "SELECT Z_ENT, count(*) FROM \(table.name) WHERE Z_PK IN (SELECT loser FROM \(losers)) GROUP BY Z_ENT"
    )
    while try counts.step() {
      removed[work.new.entity(number: Int(counts.int64(at: 0)))?.name ?? "", default: 0] += Int(counts.int64(at: 1))
    }
    counts.finalize()
    try noteFiles(table)
    do {
      if policy == .merge { try takeValues(table) }
      for other in work.new.tables { try redirect(in: other, to: table) }
    } catch let error as SQLiteError where error.code == .constraint {
      let condition = MigrationCondition(
        kind: .unresolvedDuplicates, entity: table.root.name, count: removed.values.reduce(0, +),
        examples: ["another uniqueness constraint would be broken"])
      throw StoreMigrationError.conditions(path: work.path, [condition])
    }
    for join in work.new.joinTables { try redirect(in: join, to: table) }
    try connection.execute(
      "DELETE FROM \(table.name) WHERE Z_PK IN (SELECT loser FROM \(losers)); DROP TABLE temp.\(losers)")
    return removed
  }

  private func noteFiles(_ table: TableLayout) throws {
    for column in table.columns {
      guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage else { continue }
      let values = try Statement(
        connection, "SELECT \(column.name) FROM \(table.name) WHERE Z_PK IN (SELECT loser FROM \(Self.losers))")
      while try values.step() {
        if let name = unsafe ExternalDataFolder.fileName(values.rawBytes(at: 0)) { external.ledger.note(name) }
      }
    }
  }

  /// Gives the rows that stay what they have no value for. The columns of a to-one relationship go together.
  private func takeValues(_ table: TableLayout) throws {
    for column in table.columns {
      var columns = [column.name]
      switch column.role {
      case .attribute: break
      case .foreignKey, .virtualForeignKey: columns += companions(of: column, in: table)
      default: continue
      }
      // An entity has only what it declares or inherits.
      let kind =
        column.entityIndex.map {
          "t.Z_ENT IN (\(work.new.numbers(ofKind: work.new.numbering.entities[$0]).map(String.init).joined(separator: ", ")))"
        } ?? "1"
      let taken = columns.map { "\($0) = l.\($0)" }.joined(separator: ", ")
      try connection.execute(
        "UPDATE \(table.name) AS t SET \(taken) FROM \(table.name) AS l, (SELECT d.winner, min(d.loser) AS loser "
          + "FROM \(Self.losers) AS d JOIN \(table.name) AS r ON r.Z_PK = d.loser WHERE r.\(column.name) IS NOT NULL "
          + "GROUP BY d.winner) AS d WHERE t.Z_PK = d.winner AND l.Z_PK = d.loser AND t.\(column.name) IS NULL AND \(kind)"
      )
    }
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

  /// References to rows that go lead to those that stay, or nowhere.
  private func redirect(in table: TableLayout, to target: TableLayout) throws {
    for key in table.columns {
      let destination: Entity?
      switch key.role {
      case .foreignKey(let name):
        destination = key.entityIndex.flatMap { work.new.numbering.entities[$0].relationship(name)?.destination }
      case .virtualForeignKey(let owner, _): destination = work.new.entity(number: owner)
      default: continue
      }
      guard let destination, destination.root == target.root else { continue }
      let companions = companions(of: key, in: table)
      guard policy == .merge else {
        let list = ([key.name] + companions).map { "\($0) = NULL" }.joined(separator: ", ")
        try connection.execute(
          "UPDATE \(table.name) SET \(list) WHERE \(key.name) IN (SELECT loser FROM \(Self.losers))")
        continue
      }
      let columns = table.columns.filter { companions.contains($0.name) }
      var list = ["\(key.name) = d.winner"]
      for entity in columns where entity.role.isEntity {
        list.append("\(entity.name) = (SELECT w.Z_ENT FROM \(target.name) AS w WHERE w.Z_PK = d.winner)")
      }
      var rows = "\(Self.losers) AS d WHERE t.\(key.name) = d.loser"
      if let order = columns.first(where: { !$0.role.isEntity })?.name {
        list.append("\(order) = d.place")
        rows = "(\(places(in: table.name, row: "Z_PK", owner: key.name, order: order))) AS d WHERE t.Z_PK = d.id"
      }
      try connection.execute("UPDATE \(table.name) AS t SET \(list.joined(separator: ", ")) FROM \(rows)")
    }
  }

  /// The members of ordered relationships that come to another owner: behind those that it has, owner by owner, each in its
  /// own order.
  private func places(in table: String, row: String, owner: String, order: String) -> String {
    "SELECT m.\(row) AS id, l.winner AS winner, ifnull(g.last, \(OrderKey.first - OrderKey.step)) + \(OrderKey.step) "
      + "* ROW_NUMBER() OVER (PARTITION BY l.winner ORDER BY l.loser, m.\(order), m.\(row)) AS place "
      + "FROM \(table) AS m JOIN \(Self.losers) AS l ON l.loser = m.\(owner) "
      + "LEFT JOIN (SELECT \(owner) AS owner, max(\(order)) AS last FROM \(table) GROUP BY 1) AS g ON g.owner = l.winner"
  }

  private func redirect(in join: JoinTable, to target: TableLayout) throws {
    for side in [join.master, join.inverse] where side.relationship.entity.root == target.root || join.isReflexive {
      let column = side.ownerColumn
      if policy == .merge {
        // A pair that is there already stays as it is.
        var change = "\(column) = d.winner FROM \(Self.losers) AS d WHERE t.\(column) = d.loser"
        if let order = side.orderColumn {
          let places = places(in: join.name, row: "rowid", owner: column, order: order)
          change = "\(column) = d.winner, \(order) = d.place FROM (\(places)) AS d WHERE t.rowid = d.id"
        }
        try connection.execute("UPDATE OR IGNORE \(join.name) AS t SET \(change)")
      }
      try connection.execute("DELETE FROM \(join.name) WHERE \(column) IN (SELECT loser FROM \(Self.losers))")
    }
  }

  /// Mandatory to-one relationships that lost their object with a duplicate.
  private func emptiedRelationships() throws -> [MigrationCondition] {
    if policy == .merge { return [] }
    var result: [MigrationCondition] = []
    for entity in work.new.entitiesByNumber {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && !relationship.isToMany && relationship.description.isMandatory {
        guard let key = work.new.foreignKeyColumn(of: relationship)?.name else { continue }
        let numbers = work.new.numbers(ofKind: entity).map(String.init).joined(separator: ", ")
        let count = try connection.integer(
          "SELECT count(*) FROM \(work.new.table(for: entity).name) WHERE \(key) IS NULL AND Z_ENT IN (\(numbers))")
        guard let count, count > 0 else { continue }
        result.append(
          MigrationCondition(kind: .missingValue, entity: entity.name, property: relationship.name, count: Int(count)))
      }
    }
    return result
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
