import ObjectModel
import SQLite
import StoreInterface

/// Deletes any number of rows, and applies the delete rules to other rows, table by table instead of row by row.
///
/// The keys of deleted rows, and of rows that change because of them, are kept in temporary tables on disk. Everything
/// happens inside of the writer's transaction.
final class BatchDeleter {
  private let writer: StoreWriter
  private let reader: StoreReader
  private let relationships: [RelationshipPairs]
  /// By table: the rows to delete, and the rows that stay and change.
  private var gone: [String: KeySet] = [:]
  private var changed: [String: KeySet] = [:]
  private var problems: [ValidationError.Problem] = []
  /// From how many rows on a table may be written anew.
  private let rebuildsFrom: Int

  private var layout: StoreLayout { writer.layout }
  private var connection: Connection { writer.connection }

  init(_ writer: StoreWriter, _ reader: StoreReader, rebuildsFrom: Int) {
    self.writer = writer
    self.reader = reader
    self.rebuildsFrom = rebuildsFrom
    relationships = RelationshipPairs.all(writer.layout)
  }

  /// - Throws: `ValidationError` for a deletion that the rules do not allow.
  func run(_ deletion: BatchDeletion, wantsObjectIDs: Bool) throws -> BatchOutcome {
    for table in layout.tables {
      gone[table.name] = KeySet(table, "gone")
      changed[table.name] = KeySet(table, "changed")
      try gone[table.name]?.create(in: connection)
      try changed[table.name]?.create(in: connection)
    }
    for selection in deletion.selections { try select(selection) }
    try followCascades()
    try check()
    try noteChanged()
    try checkMemberCounts()
    if !problems.isEmpty { throw ValidationError(problems) }
    var outcome = BatchOutcome()
    if wantsObjectIDs {
      outcome.deleted = try objectIDs(gone)
      outcome.related = try objectIDs(changed)
    }
    try record()
    try endRelationships()
    for table in layout.tables {
      guard let rows = changed[table.name], !rows.isEmpty else { continue }
      try connection.execute(
        "UPDATE \(table.name) SET Z_OPT = \(VersionCounter.next) WHERE \(rows.contains("Z_PK"))")
      outcome.relatedCount += Int(connection.changes)
    }
    for table in layout.tables {
      guard let rows = gone[table.name], !rows.isEmpty else { continue }
      outcome.deletedCount += try RowRemoval(writer, rows, rebuildsFrom: rebuildsFrom).run()
    }
    for rows in gone.values { try rows.drop(in: connection) }
    for rows in changed.values { try rows.drop(in: connection) }
    return outcome
  }

  private func select(_ selection: FetchSpecification) throws {
    try reader.requireOwn(selection.entity)
    let table = layout.table(for: selection.entity)
    var keys = gone(table)
    if keys.isWhole { return }
    try reader.select(selection.forBatch, into: &keys)
    gone[table.name] = keys
  }

  private func gone(_ table: TableLayout) -> KeySet { gone[table.name] ?? KeySet(table, "gone") }

  private func hasGone(_ table: TableLayout) -> Bool { !gone(table).isEmpty }

  // MARK: - What goes

  /// Follows cascades round by round; each round looks at the rows that the one before found.
  private func followCascades() throws {
    let cascades = relationships.filter { $0.relationship.definition.deleteRule == .cascade }
    if cascades.isEmpty { return }
    var frontier = gone
    var isFirst = true
    while true {
      var next: [String: KeySet] = [:]
      for cascade in cascades {
        guard let owners = frontier[cascade.ownerTable.name], !owners.isEmpty, !gone(cascade.memberTable).isWhole else {
          continue
        }
        let table = cascade.memberTable
        if next[table.name] == nil {
          next[table.name] = KeySet(table, "next")
          try next[table.name]?.create(in: connection)
        }
        let select = cascade.select(
          cascade.member,
          where: [owners.contains(cascade.owner), gone(table).misses(cascade.member), cascade.memberExists])
        try next[table.name]?.add(select, in: connection)
      }
      if !isFirst { for rows in frontier.values { try rows.drop(in: connection) } }
      isFirst = false
      frontier = [:]
      for (name, found) in next where !found.isEmpty {
        try gone[name]?.add(found.select, in: connection)
        var rows = KeySet(found.table, "frontier")
        try rows.create(in: connection)
        try rows.add(found.select, in: connection)
        frontier[name] = rows
      }
      for found in next.values { try found.drop(in: connection) }
      if frontier.isEmpty { return }
    }
  }

  // MARK: - What the rules say

  /// Looks for deletions that are denied, and for rows that would be left without what they require.
  private func check() throws {
    for pairs in relationships where hasGone(pairs.ownerTable) {
      let relationship = pairs.relationship
      let rule = relationship.definition.deleteRule
      if rule == .deny {
        try findProblems(
          pairs.select(
            "\(pairs.owner), count(*)",
            where: [
              gone(pairs.ownerTable).contains(pairs.owner), gone(pairs.memberTable).misses(pairs.member),
              pairs.memberExists,
            ]) + " GROUP BY \(pairs.owner) ORDER BY 1", in: pairs.ownerTable
        ) { .deniedDelete(of: $0, relationship, left: $1) }
      }
      guard rule == .nullify || rule == .cascade, let inverse = back(pairs),
        !inverse.relationship.definition.isOptional
      else { continue }
      try findProblems(
        inverse.select(
          "\(inverse.owner), 0",
          where: [
            gone(pairs.ownerTable).contains(inverse.member), gone(pairs.memberTable).misses(inverse.owner),
          ]) + " ORDER BY 1", in: pairs.memberTable
      ) { id, _ in .missingDestination(of: id, inverse.relationship) }
    }
  }

  /// The inverse of a relationship where that is to-one: a column of the rows that lose their destination.
  private func back(_ pairs: RelationshipPairs) -> RelationshipPairs? {
    guard let inverse = pairs.relationship.inverse, !inverse.isToMany,
      let declared = inverse.declaringEntity.relationship(inverse.name)
    else { return nil }
    return RelationshipPairs(declared, layout)
  }

  /// - Parameter select: gives keys of a table's rows, and a number for the message.
  private func findProblems(
    _ select: String, in table: TableLayout, _ problem: (ObjectID, Int) -> ValidationError.Problem?
  ) throws {
    if problems.count >= ValidationError.Problem.mostInBatch { return }
    let statement = try Statement(
      connection, select + " LIMIT \(ValidationError.Problem.mostInBatch - problems.count)")
    while try statement.step() {
      let key = statement.int64(at: 0)
      let find = try writer.cached("SELECT Z_ENT FROM \(table.name) WHERE Z_PK = ?1")
      try find.bind(1, key)
      guard try find.step() else { continue }
      let entity = try writer.file.entity(numbered: find.int64(at: 0))
      find.reset()
      if let problem = problem(writer.file.objectID(entity, key), Int(statement.int64(at: 1))) {
        problems.append(problem)
      }
    }
  }

  /// Finds the rows that stay and change: those that are nullified, and those that lose members.
  private func noteChanged() throws {
    for pairs in relationships where hasGone(pairs.ownerTable) && !gone(pairs.memberTable).isWhole {
      guard let inverse = pairs.relationship.inverse else { continue }
      let rule = pairs.relationship.definition.deleteRule
      let others = pairs.memberTable
      if let back = back(pairs) {
        guard rule == .nullify || rule == .cascade else { continue }
        try changed[others.name]?.add(
          back.select(
            back.owner, where: [gone(pairs.ownerTable).contains(back.member), gone(others).misses(back.owner)]),
          in: connection)
      } else if !pairs.relationship.isToMany {
        try noteOwners(pairs)
      } else if inverse.isToMany, rule == .nullify || rule == .cascade {
        try changed[others.name]?.add(
          pairs.select(
            pairs.member,
            where: [
              gone(pairs.ownerTable).contains(pairs.owner), gone(others).misses(pairs.member), pairs.memberExists,
            ]), in: connection)
      }
    }
  }

  /// Finds owners that lose members because rows whose to-one relationship leads to them are deleted. Where a whole
  /// table goes, it looks for one member per owner; otherwise it follows each deleted row to its owner.
  private func noteOwners(_ pairs: RelationshipPairs) throws {
    let (members, owners) = (gone(pairs.ownerTable), pairs.memberTable)
    if members.isWhole {
      try changed[owners.name]?.add(
        "SELECT Z_PK FROM \(owners.name) WHERE EXISTS (\(pairs.select("1", where: ["\(pairs.member) = \(owners.name).Z_PK"])))"
          + " AND \(gone(owners).misses("Z_PK"))", in: connection)
      return
    }
    try changed[owners.name]?.add(
      pairs.select(
        pairs.member,
        where: [members.contains(pairs.owner), gone(owners).misses(pairs.member), pairs.memberExists]),
      in: connection)
  }

  /// Checks that owners that lose members keep at least as many as the model demands.
  private func checkMemberCounts() throws {
    for pairs in relationships
    where pairs.relationship.isToMany && pairs.relationship.definition.minimumCount > 0 && hasGone(pairs.memberTable) {
      guard let owners = changed[pairs.ownerTable.name], !owners.isEmpty else { continue }
      let left = "SUM(\(gone(pairs.memberTable).misses(pairs.member)))"
      try findProblems(
        pairs.select("\(pairs.owner), \(left)", where: [owners.contains(pairs.owner), pairs.memberExists])
          + " GROUP BY \(pairs.owner) HAVING \(left) < \(pairs.relationship.definition.minimumCount) "
          + "AND \(left) < count(*) ORDER BY 1", in: pairs.ownerTable
      ) { .tooFewMembers(of: $0, pairs.relationship, left: $1) }
    }
  }

  // MARK: - Writing

  /// Ends relationships of rows that stay with rows that go, and the layout's own: join rows, hidden to-one columns.
  private func endRelationships() throws {
    for pairs in relationships where hasGone(pairs.ownerTable) {
      let rule = pairs.relationship.definition.deleteRule
      let owners = gone(pairs.ownerTable)
      let isHidden = pairs.relationship.inverse == nil
      if let join = pairs.joinTable {
        try removeLinks(join, pairs)
      } else if !pairs.memberColumns.isEmpty, isHidden || rule == .nullify || rule == .cascade {
        try clear(pairs.memberColumns, of: pairs.memberTable, leadingTo: owners)
      } else if !pairs.relationship.isToMany, rule == .nullify || rule == .cascade, let back = back(pairs) {
        try clear(columns(of: back.relationship), of: pairs.memberTable, leadingTo: owners)
      }
    }
  }

  /// The columns of a to-one relationship, the foreign key first.
  private func columns(of relationship: Relationship) -> [String] {
    [
      layout.foreignKeyColumn(of: relationship), layout.entityColumn(of: relationship),
      layout.orderColumn(of: relationship),
    ].compactMap { $0?.name }
  }

  private func clear(_ columns: [String], of table: TableLayout, leadingTo keys: KeySet) throws {
    guard let foreignKey = columns.first, !gone(table).isWhole else { return }
    try connection.execute(
      "UPDATE \(table.name) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")) "
        + "WHERE \(keys.contains(foreignKey)) AND \(gone(table).misses("Z_PK"))")
  }

  /// Deletes the join rows of deleted rows; where a whole table goes, also those that lead nowhere.
  private func removeLinks(_ join: String, _ pairs: RelationshipPairs) throws {
    // Of a relationship that is its own inverse, each pair is there both ways.
    let sides = pairs.relationship.isOwnInverse ? [pairs.owner, pairs.member] : [pairs.owner]
    for side in sides {
      _ = try gone(pairs.ownerTable).deleteRows(of: join, where: String(side.dropFirst("p.".count)), in: connection)
    }
  }

  /// Notes files of values that go, and tells the history.
  private func record() throws {
    for table in layout.tables where hasGone(table) { try noteFiles(table) }
    guard let history = writer.history else { return }
    for table in layout.tables where hasGone(table) {
      let rows = try Statement(
        connection, "SELECT Z_PK, Z_ENT FROM \(table.name) WHERE \(gone(table).contains("Z_PK")) ORDER BY Z_PK")
      while try rows.step() { try history.recordDelete(entityNumber: Int(rows.int64(at: 1)), key: rows.int64(at: 0)) }
    }
    for pairs in relationships where hasGone(pairs.ownerTable) {
      guard let inverse = pairs.relationship.inverse else { continue }
      let rule = pairs.relationship.definition.deleteRule
      let owners = gone(pairs.ownerTable)
      if pairs.joinTable != nil {
        let select = pairs.select(
          "DISTINCT \(pairs.member)",
          where: [owners.contains(pairs.owner), gone(pairs.memberTable).misses(pairs.member)])
        let members = try Statement(connection, select + " ORDER BY 1")
        while try members.step() { try history.recordMembers(of: inverse, owner: members.int64(at: 0)) }
      } else if let back = back(pairs), rule == .nullify || rule == .cascade {
        // As in the history of a save, an order column is not a property of its own.
        let columns = columns(of: back.relationship).filter { $0 != layout.orderColumn(of: back.relationship)?.name }
        let select = back.select(
          "\(back.owner), p.Z_ENT", where: [owners.contains(back.member), gone(pairs.memberTable).misses(back.owner)])
        let rows = try Statement(connection, select + " ORDER BY 1")
        while try rows.step() {
          try history.recordUpdate(
            entityNumber: Int(rows.int64(at: 1)), key: rows.int64(at: 0), columns: columns)
        }
      }
    }
  }

  private func noteFiles(_ table: TableLayout) throws {
    for column in table.columns {
      guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage else { continue }
      try writer.externalData.ledger.noteFiles(
        in: column.name, of: table.name, where: gone(table).contains("Z_PK"), connection)
    }
  }

  private func objectIDs(_ sets: [String: KeySet]) throws -> [ObjectID] {
    try layout.tables.sorted { $0.root.index < $1.root.index }.flatMap { table -> [ObjectID] in
      guard let keys = sets[table.name], !keys.isEmpty else { return [] }
      return try writer.objectIDs(of: keys)
    }
  }
}

extension StoreWriter {
  /// The ids of the rows with some keys, in the order of those.
  func objectIDs(of keys: KeySet) throws -> [ObjectID] {
    let rows = try Statement(
      connection, "SELECT Z_PK, Z_ENT FROM \(keys.table.name) WHERE \(keys.contains("Z_PK")) ORDER BY Z_PK")
    var ids: [ObjectID] = []
    while try rows.step() {
      ids.append(file.objectID(try file.entity(numbered: rows.int64(at: 1)), rows.int64(at: 0)))
    }
    return ids
  }
}
