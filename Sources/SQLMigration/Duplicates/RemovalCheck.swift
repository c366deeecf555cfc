import CoreDataLayout
import ObjectModel
import SQLite

/// Checks for relationships of the new model that are valid before duplicates are removed and not after, which no
/// policy resolves.
///
/// A row that stays may be of another entity than the one that goes, have a partner already where it may have one, or
/// come to more members than it may have.
struct RemovalCheck {
  private let consistency: ConsistencyCheck
  private let before: [StoreFinding]
  /// The number of objects without a mandatory destination, by entity and relationship.
  private let emptiedBefore: [[String]: Int]

  /// Looks at the tables before duplicates go.
  /// - Precondition: the tables are those of the new layout, whole.
  init(_ connection: Connection, _ layout: StoreLayout) throws {
    consistency = ConsistencyCheck(connection: connection, layout: layout)
    before = try Self.findings(consistency)
    emptiedBefore = try Self.emptied(consistency)
  }

  /// The relationships that have become invalid, and mandatory to-one ones that lost their object.
  /// - Complexity: some scans of tables with relationships, with a lookup per reference.
  func broken() throws -> [MigrationCondition] {
    let emptied = try Self.emptied(consistency).compactMap { name, count -> MigrationCondition? in
      let former = emptiedBefore[name] ?? 0
      guard count > former else { return nil }
      return MigrationCondition(kind: .emptiedRelationship, entity: name[0], property: name[1], count: count - former)
    }.sorted { ($0.entity, $0.property ?? "") < ($1.entity, $1.property ?? "") }
    return try emptied
      + Self.findings(consistency).compactMap { finding in
        let former = before.first { $0.message == finding.message }?.count ?? 0
        guard finding.count > former else { return nil }
        let table = consistency.layout.tables.first { $0.name == finding.table }
        return MigrationCondition(
          kind: .unresolvedDuplicates, entity: table?.root.name ?? finding.table, count: finding.count - former,
          examples: [finding.message])
      }
  }

  private static func emptied(_ consistency: ConsistencyCheck) throws -> [[String]: Int] {
    let layout = consistency.layout
    var result: [[String]: Int] = [:]
    for entity in layout.entitiesByNumber {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && !relationship.isToMany && relationship.definition.isMandatory {
        guard let key = layout.foreignKeyColumn(of: relationship)?.name else { continue }
        let count = try consistency.connection.integer(
          "SELECT count(*) FROM \(layout.table(for: entity).name) WHERE \(key) IS NULL "
            + "AND Z_ENT IN (\(consistency.kinds(entity)))")
        if let count, count > 0 { result[[entity.name, relationship.name]] = Int(count) }
      }
    }
    return result
  }

  private static func findings(_ consistency: ConsistencyCheck) throws -> [StoreFinding] {
    try consistency.destinations() + consistency.inverses() + consistency.toManyCounts()
      + consistency.emptyMandatoryToMany()
  }
}

extension ConsistencyCheck {
  /// Mandatory to-many relationships without an object. An app finds them at its next save, so `check` does not tell
  /// them.
  fileprivate func emptyMandatoryToMany() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for entity in layout.entitiesByNumber {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && relationship.isToMany && !relationship.definition.isTransient
        && !relationship.definition.isOptional
      {
        guard let members = members(of: relationship) else { continue }
        result += try find(
          .toManyCount, in: layout.table(for: entity).name, column: nil,
          where: "t.Z_ENT IN (\(kinds(entity))) AND t.Z_PK NOT IN (SELECT k FROM (\(members)) WHERE k IS NOT NULL)",
          message: "\(entity.name).\(relationship.name) is mandatory and has no object")
      }
    }
    return result
  }
}
