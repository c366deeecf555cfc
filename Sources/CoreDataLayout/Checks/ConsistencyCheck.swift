package import ObjectModel
package import SQLite

/// Checks of rows against the layout, shared by sealing and by the checker.
package struct ConsistencyCheck {
  package let connection: Connection
  package let layout: StoreLayout

  package init(connection: Connection, layout: StoreLayout) {
    self.connection = connection
    self.layout = layout
  }

  /// Everything that is wrong with the rows. The schema must be sound.
  /// - Complexity: some scans of every table, with a lookup per reference.
  func findings() throws(SQLiteError) -> [StoreFinding] {
    var result = try entityList()
    result += try keyCounters()
    result += try declarations()
    for table in layout.tables {
      result += try rowFindings(of: table)
      result += try storageClasses(of: table)
      result += try valueRanges(of: table)
    }
    for join in layout.joinTables { result += try orderKeys(of: join) }
    result += try references()
    result += try destinations()
    result += try inverses()
    result += try toManyCounts()
    result += try uniqueness()
    result += try missingValues()
    result += try rTrees()
    return result
  }

  /// `PRAGMA integrity_check`, without "ok". It stops at the first problem, because in a forged file the rest can take
  /// for ever.
  static func integrity(_ connection: Connection) throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    do {
      let statement = try Statement(connection, "PRAGMA integrity_check(1)")
      while try statement.step() {
        let message = statement.string(at: 0) ?? ""
        if message == "ok" { continue }
        try connection.requireReadable()
        let line = message.split(separator: "\n").last.map(String.init) ?? message
        result.append(StoreFinding(.integrity, "SQLite's integrity check says: \(line)"))
      }
    } catch {
      // A computed column or an index over an expression may fail, or give a value that is too large.
      guard [.corrupt, .notADatabase, .tooBig, .error].contains(error.code) else { throw error }
      result.append(StoreFinding(.integrity, "SQLite's integrity check cannot go on: \(error.message)"))
    }
    return result
  }

  /// Rows that meet a condition. The table is `t` in it.
  package func find(
    _ code: StoreFinding.Code, in table: String, column: String?, where condition: String, message: String,
    key: String = "Z_PK"
  ) throws(SQLiteError) -> [StoreFinding] {
    try count(
      code, in: table, column: column,
      query: "SELECT count(*), min(\(key)) FROM \(SQLText.identifier(table)) AS t WHERE \(condition)",
      message: message)
  }

  /// A finding when a query of a number and an example key gives more than 0.
  func count(
    _ code: StoreFinding.Code, in table: String, column: String?, query sql: String, message: String
  ) throws(SQLiteError) -> [StoreFinding] {
    let statement = try Statement(connection, sql)
    guard try statement.step(), statement.int64(at: 0) > 0 else { return [] }
    return [
      StoreFinding(
        code, table: table, column: column, count: Int(statement.int64(at: 0)),
        exampleKey: statement.isNull(at: 1) ? nil : statement.int64(at: 1), message)
    ]
  }

  /// The numbers of an entity and its descendants, for an `IN` list.
  package func kinds(_ entity: Entity) -> String {
    layout.numbers(ofKind: entity).map(String.init).joined(separator: ", ")
  }

  /// The entity that declares a column's property.
  func owner(of column: TableLayout.Column) -> Entity? { column.entityIndex.map { layout.numbering.entities[$0] } }

  // MARK: - Single rows

  private func rowFindings(of table: TableLayout) throws(SQLiteError) -> [StoreFinding] {
    var result = try find(
      .entityNumber, in: table.name, column: "Z_ENT",
      where: "typeof(Z_ENT) <> 'integer' OR Z_ENT NOT IN (\(kinds(table.root)))",
      message: "\(table.name) has rows of no entity of its hierarchy")
    let abstract = layout.numbers(ofKind: table.root).filter { layout.entity(number: $0)?.isAbstract == true }
    if !abstract.isEmpty {
      result += try find(
        .abstractEntity, in: table.name, column: "Z_ENT",
        where: "Z_ENT IN (\(abstract.map(String.init).joined(separator: ", ")))",
        message: "\(table.name) has rows of an abstract entity")
    }
    result += try find(
      .version, in: table.name, column: "Z_OPT",
      where: "typeof(Z_OPT) <> 'integer' OR Z_OPT < 1 OR Z_OPT > \(PrimaryKeyRange.greatestCounter)",
      message: "\(table.name) has rows without a version counter, or with one that is at its end")
    for column in table.columns { result += try companion(column, in: table) }
    return result
  }

  /// Entity and order columns, which go with a foreign key.
  private func companion(_ column: TableLayout.Column, in table: TableLayout) throws(SQLiteError) -> [StoreFinding] {
    let key: TableLayout.Column?
    let target: Entity?
    switch column.role {
    case .destinationEntity(let name):
      key = foreignKey(of: name, beside: column, in: table)
      target = owner(of: column)?.relationship(name)?.destination
    case .virtualDestinationEntity(let owner, let name):
      key = table.column(.virtualForeignKey(owner: owner, relationship: name))
      target = layout.entity(number: owner)
    case .orderKey(let name):
      key = foreignKey(of: name, beside: column, in: table)
      target = nil
    case .virtualOrderKey(let owner, let name):
      key = table.column(.virtualForeignKey(owner: owner, relationship: name))
      target = nil
    default: return []
    }
    guard let key = key?.name else { return [] }
    let differs = "(t.\(key) IS NULL) <> (t.\(column.name) IS NULL)"
    guard let target else {
      return try find(
        .orderKey, in: table.name, column: column.name,
        where: "\(differs) OR t.\(column.name) > \(PrimaryKeyRange.greatestCounter)",
        message: "\(table.name).\(column.name) is not set just where \(key) is, or leaves no keys for more members")
    }
    let targetTable = SQLText.identifier(layout.table(for: target).name)
    return try find(
      .entityColumn, in: table.name, column: column.name,
      where: "\(differs) OR EXISTS (SELECT 1 FROM \(targetTable) AS d WHERE d.Z_PK = t.\(key) "
        + "AND d.Z_ENT IS NOT t.\(column.name))",
      message: "\(table.name).\(column.name) does not say the entity of \(key)")
  }

  /// The foreign key of a relationship that the same entity declares as a column's: another sub-entity may have one of
  /// that name.
  private func foreignKey(
    of relationship: String, beside column: TableLayout.Column, in table: TableLayout
  ) -> TableLayout.Column? {
    table.columns.first { $0.role == .foreignKey(relationship: relationship) && $0.entityIndex == column.entityIndex }
  }

  private func orderKeys(of join: JoinTable) throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for case let column? in [join.master.orderColumn, join.inverse.orderColumn] {
      result += try find(
        .orderKey, in: join.name, column: column, where: "t.\(column) IS NULL",
        message: "\(join.name).\(column) is not set in every row",
        key: "rowid")
    }
    return result
  }
}
