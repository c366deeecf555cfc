public import ObjectModel
import SQLite

/// A reference in a store that leads to no object of its destination's kind, or from none.
public struct DanglingReference: Sendable, Hashable {
  /// The relationship as the entity that declares it has it.
  public var relationship: Relationship
  /// The object that has the relationship; the entity is that of the relationship where there is no such object. Nil
  /// where a row of a join table names none.
  public var owner: Int64?
  /// The primary key that the relationship refers to; nil where a row of a join table names none.
  public var destination: Int64?
  /// Whether the object that has the relationship is there.
  public var hasOwner: Bool
  /// Whether its destination is.
  public var hasDestination: Bool
}

extension SQLiteStore {
  /// Goes through the references that lead nowhere: foreign keys, and rows of join tables, each once. A row of a join
  /// table that names neither object is no reference.
  public func forEachDanglingReference(_ body: (DanglingReference) throws -> Void) throws {
    try perform {
      var joins: Set<String> = []
      for entity in model.entities {
        for relationship in entity.relationships
        where relationship.declaringEntity == entity && !relationship.definition.isTransient {
          if let (join, side) = layout.joinTable(of: relationship) {
            guard joins.insert(join.name).inserted else { continue }
            try dangling(
              relationship, in: "\(join.name) AS t", owner: "t.\(side.ownerColumn)",
              destination: "t.\(side.memberColumn)", link: "OR", body)
          } else if !relationship.isToMany, let column = layout.foreignKeyColumn(of: relationship)?.name {
            try dangling(
              relationship, in: "\(layout.table(for: entity).name) AS t", owner: "t.Z_PK", destination: "t.\(column)",
              body)
          } else if relationship.inverse == nil, let column = layout.memberColumns(of: relationship)?.foreignKey {
            let table = layout.table(for: relationship.destination).name
            try dangling(relationship, in: "\(table) AS t", owner: "t.\(column)", destination: "t.Z_PK", body)
          }
        }
      }
    }
  }

  /// - Parameter link: whether a row is a reference with both keys (`AND`) or with one already (`OR`).
  private func dangling(
    _ relationship: Relationship, in table: String, owner: String, destination: String, link: String = "AND",
    _ body: (DanglingReference) throws -> Void
  ) throws {
    func exists(_ key: String, _ entity: Entity) -> String {
      let numbers = layout.numbers(ofKind: entity).map(String.init).joined(separator: ", ")
      return
        "EXISTS (SELECT 1 FROM \(layout.table(for: entity).name) AS o WHERE o.Z_PK = \(key) AND o.Z_ENT IN (\(numbers)))"
    }
    let ends = "\(exists(owner, relationship.entity)) AS a, \(exists(destination, relationship.destination)) AS b"
    let statement = try Statement(
      connection,
      "SELECT * FROM (SELECT \(owner) AS x, \(destination) AS y, \(ends) FROM \(table) WHERE \(owner) IS NOT NULL "
        + "\(link) \(destination) IS NOT NULL) WHERE NOT (a AND b) ORDER BY x, y")
    while try statement.step() {
      try body(
        DanglingReference(
          relationship: relationship, owner: statement.isNull(at: 0) ? nil : statement.int64(at: 0),
          destination: statement.isNull(at: 1) ? nil : statement.int64(at: 1),
          hasOwner: statement.int64(at: 2) != 0, hasDestination: statement.int64(at: 3) != 0))
    }
  }
}
