import ObjectModel
import SQLite

/// What no policy for duplicates resolves: relationships of the new model that are right before duplicates go, and not after.
///
/// A row that stays may be of another entity than the one that goes, have a partner already where it may have one, or come to
/// more members than it may have.
struct RemovalCheck {
  private let consistency: Consistency
  private let before: [StoreFinding]

  /// Looks at the tables before duplicates go.
  /// - Precondition: the tables are those of the new layout, whole.
  init(_ connection: Connection, _ layout: StoreLayout) throws {
    consistency = Consistency(connection: connection, layout: layout)
    before = try Self.findings(consistency)
  }

  /// What is worse than before.
  /// - Complexity: some scans of tables with relationships, with a lookup per reference.
  func broken() throws -> [MigrationCondition] {
    try Self.findings(consistency).compactMap { finding in
      let former = before.first { $0.message == finding.message }?.count ?? 0
      guard finding.count > former else { return nil }
      let table = consistency.layout.tables.first { $0.name == finding.table }
      return MigrationCondition(
        kind: .unresolvedDuplicates, entity: table?.root.name ?? finding.table, count: finding.count - former,
        examples: [finding.message])
    }
  }

  private static func findings(_ consistency: Consistency) throws -> [StoreFinding] {
    try consistency.destinations() + consistency.inverses() + consistency.toManyCounts()
      + consistency.emptyMandatoryToMany()
  }
}

extension Consistency {
  /// Mandatory to-many relationships without an object. An app finds them at its next save, so `check` does not tell them.
  fileprivate func emptyMandatoryToMany() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for entity in layout.entitiesByNumber {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && relationship.isToMany && !relationship.description.isTransient
        && !relationship.description.isOptional
      {
        guard let members = members(of: relationship) else { continue }
        result += try find(
          .toManyCount, layout.table(for: entity).name, nil,
          "t.Z_ENT IN (\(kinds(entity))) AND t.Z_PK NOT IN (SELECT k FROM (\(members)) WHERE k IS NOT NULL)",
          "\(entity.name).\(relationship.name) is mandatory and has no object")
      }
    }
    return result
  }
}
