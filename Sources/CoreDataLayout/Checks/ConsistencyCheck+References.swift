package import ObjectModel
package import SQLite

extension ConsistencyCheck {
  /// To-one columns and join rows that point at nothing.
  func references() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for table in layout.tables {
      for column in table.columns {
        guard let target = destination(of: column).map({ layout.table(for: $0).name }) else { continue }
        if try isWithinDenseKeys(table.name, column.name, target: target) { continue }
        result += try find(
          .danglingReference, in: table.name, column: column.name,
          where: "t.\(column.name) IS NOT NULL AND NOT EXISTS "
            + "(SELECT 1 FROM \(SQLText.identifier(target)) AS d WHERE d.Z_PK = t.\(column.name))",
          message: "\(table.name).\(column.name) points at rows that \(target) does not have")
      }
    }
    for join in layout.joinTables {
      for side in [join.master, join.inverse] {
        let target = layout.table(for: side.relationship.entity).name
        result += try find(
          .danglingJoin, in: join.name, column: side.ownerColumn,
          where: "NOT EXISTS (SELECT 1 FROM \(SQLText.identifier(target)) AS d WHERE d.Z_PK = t.\(side.ownerColumn))",
          message: "\(join.name).\(side.ownerColumn) points at rows that \(target) does not have", key: "rowid")
      }
    }
    return result
  }

  /// Whether the destination's primary keys have no gaps and all references lie within them, so that none can dangle.
  /// With an index on the column this is known at once, where otherwise every reference has to be looked up.
  private func isWithinDenseKeys(_ table: String, _ column: String, target: String) throws(SQLiteError) -> Bool {
    let keys = try Statement(
      connection,
      """
      SELECT (SELECT min(Z_PK) FROM \(SQLText.identifier(target))), (SELECT max(Z_PK) FROM \(SQLText.identifier(target))),
        (SELECT count(*) FROM \(SQLText.identifier(target))),
        (SELECT min(\(column)) FROM \(SQLText.identifier(table))), (SELECT max(\(column)) FROM \(SQLText.identifier(table)))
      """)
    guard try keys.step() else { return false }
    if keys.isNull(at: 3) { return keys.isNull(at: 4) }
    guard keys.type(at: 3) == .integer, keys.type(at: 4) == .integer, !keys.isNull(at: 0) else { return false }
    let (first, last) = (keys.int64(at: 0), keys.int64(at: 1))
    let (span, overflows) = last.subtractingReportingOverflow(first)
    // Columns of integer affinity sort reals between integers; only the ends are known to be integers.
    return !overflows && span == keys.int64(at: 2) - 1 && keys.int64(at: 3) >= first && keys.int64(at: 4) <= last
  }

  /// The entity that a foreign key leads to, nil for other columns.
  private func destination(of column: TableLayout.Column) -> Entity? {
    switch column.role {
    case .foreignKey(let name): owner(of: column)?.relationship(name)?.destination
    case .virtualForeignKey(let owner, _): layout.entity(number: owner)
    default: nil
    }
  }

  /// References to rows of the right table but of an entity that the relationship does not lead to.
  package func destinations() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    func wrong(_ table: String, _ column: String, _ entity: Entity, key: String) throws(SQLiteError) {
      guard entity != entity.root else { return }
      let target = SQLText.identifier(layout.table(for: entity).name)
      result += try find(
        .wrongDestination, in: table, column: column,
        where: "EXISTS (SELECT 1 FROM \(target) AS d WHERE d.Z_PK = t.\(column) AND d.Z_ENT NOT IN (\(kinds(entity))))",
        message: "\(table).\(column) points at objects that are no \(entity.name)", key: key)
    }
    for table in layout.tables {
      for column in table.columns {
        if let entity = destination(of: column) { try wrong(table.name, column.name, entity, key: "Z_PK") }
      }
    }
    for join in layout.joinTables {
      for side in [join.master, join.inverse] {
        try wrong(join.name, side.ownerColumn, side.relationship.entity, key: "rowid")
        if join.isReflexive { break }
      }
    }
    return result
  }

  /// One-to-one relationships, which are stored on both sides, and symmetric many-to-many ones, stored in both
  /// directions.
  package func inverses() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for table in layout.tables {
      for column in table.columns {
        guard case .foreignKey(let name) = column.role, let relationship = owner(of: column)?.relationship(name),
          let inverse = relationship.inverse, !inverse.isToMany,
          let back = layout.foreignKeyColumn(of: inverse)?.name
        else { continue }
        let target = layout.table(for: relationship.destination).name
        result += try find(
          .inverse, in: table.name, column: column.name,
          where: "EXISTS (SELECT 1 FROM \(SQLText.identifier(target)) AS d WHERE d.Z_PK = t.\(column.name) "
            + "AND d.\(back) IS NOT t.Z_PK)",
          message: "\(table.name).\(column.name) points at rows whose \(target).\(back) does not point back")
      }
    }
    for join in layout.joinTables where join.isReflexive {
      let (owner, member) = (join.master.ownerColumn, join.master.memberColumn)
      result += try find(
        .inverse, in: join.name, column: owner,
        where: "t.\(owner) IS NOT NULL AND t.\(member) IS NOT NULL AND NOT EXISTS "
          + "(SELECT 1 FROM \(SQLText.identifier(join.name)) AS d WHERE d.\(owner) = t.\(member) "
          + "AND d.\(member) = t.\(owner))",
        message: "\(join.name) has pairs in one direction only", key: "rowid")
    }
    return result
  }

  /// To-many relationships against the model's limits. A minimum counts when there are any objects, as in validation.
  package func toManyCounts() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for entity in layout.entitiesByNumber {
      for relationship in entity.relationships where relationship.declaringEntity == entity {
        let description = relationship.definition
        guard relationship.isToMany, !description.isTransient,
          description.minimumCount > 1 || description.maximumCount > 0,
          let members = members(of: relationship)
        else { continue }
        var limits: [String] = []
        if description.maximumCount > 0 { limits.append("m.n > \(description.maximumCount)") }
        if description.minimumCount > 1 { limits.append("m.n < \(description.minimumCount)") }
        let table = layout.table(for: entity).name
        result += try count(
          .toManyCount, in: table, column: nil,
          query: """
            SELECT count(*), min(t.Z_PK) FROM (\(members)) AS m JOIN \(SQLText.identifier(table)) AS t ON t.Z_PK = m.k
            WHERE \(limits.joined(separator: " OR "))
            """,
          message: "\(entity.name).\(relationship.name) has fewer or more objects than the model allows ("
            + "\(description.minimumCount) to \(description.maximumCount > 0 ? String(description.maximumCount) : "any"))"
        )
      }
    }
    return result
  }

  /// A query of owners `k` and their numbers of members `n`.
  package func members(of relationship: Relationship) -> String? {
    if let (table, side) = layout.joinTable(of: relationship) {
      return "SELECT \(side.ownerColumn) AS k, count(*) AS n FROM \(SQLText.identifier(table.name)) GROUP BY 1"
    }
    guard let key = layout.memberColumns(of: relationship)?.foreignKey else { return nil }
    let table = SQLText.identifier(layout.table(for: relationship.destination).name)
    return "SELECT \(key) AS k, count(*) AS n FROM \(table) WHERE \(key) IS NOT NULL GROUP BY 1"
  }
}
