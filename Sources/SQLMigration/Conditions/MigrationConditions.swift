import CoreDataLayout
import ObjectModel
import SQLite

/// Finds the objects that break rules of the new model, in the old store before anything is changed.
struct MigrationConditions {
  let work: MigrationWork
  let connection: Connection

  var moves: EntityMoves { work.moves }

  func broken() throws -> [MigrationCondition] {
    var result = try takenNames() + abstractEntities()
    for table in work.tables {
      result += try missingValues(table) + unreadableValues(table) + severalOwners(table)
    }
    result += try relationships()
    for index in work.new.indexes where index.constraint != nil {
      guard let table = work.tables.first(where: { $0.new.name == index.table }) else { continue }
      if let duplicates = try duplicates(index, table) { result.append(duplicates) }
    }
    return result
  }

  func name(_ table: String) -> String { work.name(table) }

  func count(_ sql: String) throws -> Int { Int(try connection.integer(sql) ?? 0) }

  // MARK: - Entities

  private func abstractEntities() throws -> [MigrationCondition] {
    try moves.moves.filter { $0.new.isAbstract && !$0.old.isAbstract }.compactMap { move in
      let table = SQLText.identifier(name(work.old.table(for: move.old).name))
      let count = try count("SELECT count(*) FROM \(table) WHERE Z_ENT = \(work.old.number(of: move.old))")
      return count == 0 ? nil : MigrationCondition(kind: .abstractEntity, entity: move.new.name, count: count)
    }
  }

  // MARK: - Relationships

  /// Objects that get several owners by pairs, where the columns have room for one.
  private func severalOwners(_ table: TableWork) throws -> [MigrationCondition] {
    var result: [MigrationCondition] = []
    for fill in table.fills {
      guard let column = table.new.columns.first(where: { $0.name == fill.columns.key }),
        let link = work.sources.link(column)
      else { continue }
      let count = try count(
        "SELECT count(*) FROM (SELECT 1 FROM (\(fill.pairs)) GROUP BY owner HAVING count(DISTINCT member) > 1)")
      guard count > 0 else { continue }
      let side = link.down ?? link.up
      result.append(
        MigrationCondition(
          kind: .severalOwners, entity: side?.declaringEntity.name ?? link.child.name, property: side?.name,
          count: count))
    }
    return result
  }

  private func relationships() throws -> [MigrationCondition] {
    var result: [MigrationCondition] = []
    for entity in work.new.entitiesByNumber {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && !relationship.definition.isTransient {
        if let broken = try numberOfObjects(relationship) { result.append(broken) }
        if let broken = try disagreement(relationship) { result.append(broken) }
      }
    }
    return result
  }

  /// The objects for which the two sides of a one-to-one relationship would not say the same. Each has a column, and
  /// takes it from where its own mapping says.
  private func disagreement(_ relationship: Relationship) throws -> MigrationCondition? {
    guard !relationship.isToMany, let inverse = relationship.inverse, !inverse.isToMany else { return nil }
    let isSecond = (relationship.entity.name, relationship.name) > (inverse.declaringEntity.name, inverse.name)
    let pairs = work.pairs
    let (sources, others) = (pairs.sources(of: relationship), pairs.sources(of: inverse))
    // A side that is new follows from the other.
    if isSecond || sources.isEmpty || others.isEmpty { return nil }
    if sources.count == 1, others.count == 1, sources[0].old.inverse == others[0].old { return nil }
    guard let links = pairs.pairs(of: relationship), let back = pairs.pairs(of: inverse).map(LinkPairs.reversed) else {
      return nil
    }
    func missing(_ some: String, in others: String) -> String {
      "SELECT owner, member FROM (\(some)) EXCEPT SELECT owner, member FROM (\(others))"
    }
    let count = try count(
      "SELECT count(DISTINCT owner) FROM (SELECT * FROM (\(missing(links, in: back))) UNION ALL "
        + "SELECT * FROM (\(missing(back, in: links))))")
    guard count > 0 else { return nil }
    return MigrationCondition(
      kind: .sidesDisagree, entity: relationship.entity.name, property: relationship.name, count: count,
      examples: ["\(inverse.entity.name).\(inverse.name)"])
  }

  /// The least and greatest number of objects of a relationship whose rule is new or tighter, or that loses references.
  private func numberOfObjects(_ relationship: Relationship) throws -> MigrationCondition? {
    let description = relationship.definition
    let least = relationship.isToMany ? description.minimumCount : description.isOptional ? 0 : 1
    let most = relationship.isToMany ? max(description.maximumCount, 0) : 0
    guard least > 0 || most > 0 else { return nil }
    let sources = work.pairs.sources(of: relationship)
    let loses = sources.contains { work.pairs.members($0.old, relationship).losesSome }
    let asked = moves.moves(toKind: relationship.declaringEntity).filter { move in
      guard let former = moves.source(of: relationship, move)?.definition else { return true }
      return loses || description.isMandatory && !former.isMandatory
        || relationship.isToMany
          && (!former.isToMany || least > former.minimumCount
            || most > 0 && (former.maximumCount <= 0 || most < former.maximumCount))
    }
    var count = 0
    let links = work.pairs.pairs(of: relationship) ?? "SELECT NULL AS owner, NULL AS member WHERE 0"
    for move in asked {
      let table = SQLText.identifier(name(work.old.table(for: move.old).name))
      let isBroken =
        (description.isOptional ? "n BETWEEN 1 AND \(least - 1)" : "n < \(least)") + (most > 0 ? " OR n > \(most)" : "")
      count += try self.count(
        "SELECT count(*) FROM (SELECT ifnull(l.number, 0) AS n FROM \(table) AS s LEFT JOIN "
          + "(SELECT owner, count(DISTINCT member) AS number FROM (\(links)) GROUP BY owner) AS l "
          + "ON l.owner = s.Z_PK + \(move.offset) WHERE s.Z_ENT = \(work.old.number(of: move.old))) WHERE \(isBroken)")
    }
    guard count > 0 else { return nil }
    return MigrationCondition(
      kind: relationship.isToMany ? .objectCount : .missingValue, entity: relationship.entity.name,
      property: relationship.name, count: count)
  }

  // MARK: - Uniqueness

  /// Values that are there more than once under a constraint; nil where there are none, where the old store has that
  /// constraint, or where the old rows do not have the values.
  private func duplicates(_ index: IndexLayout, _ table: TableWork) throws -> MigrationCondition? {
    guard let constraint = index.constraint, !work.guardsDerivedValues(index), !isKept(index, table) else { return nil }
    let columns = constraint.names.compactMap { work.new.propertyColumn($0, of: constraint.entity) }
    guard !isFilled(columns, table), let rows = work.rowSelection(of: table, columns: columns) else { return nil }
    return try DuplicateValues(constraint: constraint, columns: columns).find(in: rows, connection)
  }

  /// Whether columns get values after the rows are there, from the pairs of a relationship.
  private func isFilled(_ columns: [String], _ table: TableWork) -> Bool {
    table.fills.contains { columns.contains($0.columns.key) }
  }

  /// Whether `broken` tells all values that are there more than once.
  var tellsAllDuplicates: Bool {
    work.new.indexes.allSatisfy { index in
      if work.guardsDerivedValues(index) { return false }
      guard let constraint = index.constraint, let table = work.tables.first(where: { $0.new.name == index.table }),
        !isKept(index, table)
      else { return true }
      return !isFilled(constraint.names.compactMap { work.new.propertyColumn($0, of: constraint.entity) }, table)
    }
  }

  /// Whether the old store has the same unique index over the same rows.
  private func isKept(_ index: IndexLayout, _ table: TableWork) -> Bool {
    guard table.method == .inPlace, let constraint = index.constraint else { return false }
    let columns = constraint.names.compactMap { work.new.propertyColumn($0, of: constraint.entity) }
    if columns.contains(where: { column in table.assigned.contains { $0.column == column } }) { return false }
    let before = columns.map { column in table.renamed.first { $0.to == column }?.from ?? column }
    return work.old.indexes.contains { old in
      guard old.table == table.feeds[0].old.name, let former = old.constraint else { return false }
      return former.names.compactMap { work.old.propertyColumn($0, of: former.entity) } == before
    }
  }
}
