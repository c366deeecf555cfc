import ObjectModel
import SQLite

extension ConsistencyCheck {
  /// `Z_PRIMARYKEY` against the model's numbers, names and parents.
  func entityList() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    var listed: Set<Int> = []
    let statement = try Statement(connection, "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    while try statement.step() {
      let number = Int(statement.int64(at: 0))
      // Numbers from 16001 on are Core Data's own: history, mirroring.
      if number > 16_000 && number < 32_000 { continue }
      guard result.count < 20 else { break }
      guard let entity = layout.entity(number: number) else {
        result.append(
          StoreFinding(
            .entityList, table: "Z_PRIMARYKEY", column: "Z_ENT", exampleKey: Int64(number),
            "Z_PRIMARYKEY lists an entity with the number \(number), which the model does not have"))
        continue
      }
      listed.insert(number)
      let name = statement.string(at: 1) ?? ""
      if name != entity.name {
        let isStale = layout.model[name] == nil
        result.append(
          StoreFinding(
            isStale ? .staleName : .entityList, table: "Z_PRIMARYKEY", column: "Z_NAME", exampleKey: Int64(number),
            "entity \(number) is \(entity.name), but Z_PRIMARYKEY calls it \"\(name.prefix(100))\""
              + (isStale ? ", as a rename leaves it" : "")))
      }
      let parent = entity.superentity.map { layout.number(of: $0) } ?? 0
      if statement.type(at: 2) != .integer || statement.int64(at: 2) != Int64(parent) {
        result.append(
          StoreFinding(
            .entityList, table: "Z_PRIMARYKEY", column: "Z_SUPER", exampleKey: Int64(number),
            "the parent of \(entity.name) is entity \(parent), but Z_PRIMARYKEY says "
              + "\((statement.string(at: 2) ?? "NULL").prefix(30))"))
      }
    }
    for entity in layout.entitiesByNumber where !listed.contains(layout.number(of: entity)) && result.count < 20 {
      result.append(
        StoreFinding(
          .entityList, table: "Z_PRIMARYKEY", exampleKey: Int64(layout.number(of: entity)),
          "Z_PRIMARYKEY does not list \(entity.name), entity \(layout.number(of: entity))"))
    }
    return result
  }

  /// `Z_MAX` of the root entities. A missing one is reported by `entityList`.
  func keyCounters() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for table in layout.tables {
      let greatest = try connection.integer("SELECT max(Z_PK) FROM \(SQLText.identifier(table.name))") ?? 0
      let statement = try Statement(connection, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1")
      try statement.bind(1, Int64(layout.number(of: table.root)))
      guard try statement.step() else { continue }
      let counter = statement.type(at: 0) == .integer ? statement.int64(at: 0) : nil
      let message: String
      let leavesNone = counter.map { $0 >= greatest } ?? false
      let isAtEnd = greatest > PrimaryKeyRange.greatestCounter
      if isAtEnd {
        message =
          "the greatest primary key of \(table.root.name) is \(greatest), which leaves no primary keys to give out"
      } else if let counter, leavesNone {
        if counter <= PrimaryKeyRange.greatestCounter { continue }
        message = "Z_MAX of \(table.root.name) is \(counter), which leaves no primary keys to give out"
      } else {
        message =
          "Z_MAX of \(table.root.name) is \(counter.map(String.init) ?? "no number") and the greatest primary key "
          + "\(greatest)"
      }
      result.append(
        StoreFinding(
          .keyCounter, table: table.name, column: "Z_MAX", exampleKey: greatest,
          severity: leavesNone || isAtEnd ? .problem : .warning, message))
    }
    return result
  }

  /// Duplicates under a uniqueness constraint, and constraints that no index guards.
  func uniqueness() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for entity in layout.entitiesByNumber {
      for names in entity.definition.uniquenessConstraints {
        let columns = names.compactMap { layout.propertyColumn($0, of: entity) }
        guard columns.count == names.count, !columns.isEmpty else { continue }
        let table = layout.table(for: entity).name
        if try hasUniqueIndex(table, columns) { continue }
        let list = columns.joined(separator: ", ")
        let shown = names.joined(separator: ", ")
        result.append(
          StoreFinding(
            .missingIndex, table: table, column: list,
            "no unique index guards the uniqueness constraint (\(shown)) of \(entity.name)"))
        result += try count(
          .duplicateKey, in: table, column: list,
          query: """
            SELECT count(*), min(k) FROM (SELECT min(Z_PK) AS k FROM \(SQLText.identifier(table)) \
            WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) GROUP BY \(list) HAVING count(*) > 1)
            """, message: "\(entity.name) has several objects with the same \(shown)")
      }
    }
    return result
  }

  /// Whether a unique index over the whole table has just these columns.
  func hasUniqueIndex(_ table: String, _ columns: [String]) throws(SQLiteError) -> Bool {
    let wanted = columns.map { $0.uppercased() }.sorted()
    return try uniqueIndexes(of: table).contains { !$0.isPartial && $0.columns == wanted }
  }

  /// The unique indexes of a table with the names of their columns, in upper case and sorted, each with its collation
  /// where that is not the bytes'; an expression's name is empty.
  func uniqueIndexes(
    of table: String
  ) throws(SQLiteError) -> [(name: String, isPartial: Bool, columns: [String])] {
    let indexes = try Statement(connection, "SELECT name, partial FROM pragma_index_list(?1) WHERE \"unique\"")
    try indexes.bind(1, table)
    let members = try Statement(
      connection,
      """
      SELECT ifnull(upper(name), '') || CASE upper(coll) WHEN 'BINARY' THEN '' ELSE ' COLLATE ' || upper(coll) END
      FROM pragma_index_xinfo(?1) WHERE "key" ORDER BY 1
      """)
    var result: [(name: String, isPartial: Bool, columns: [String])] = []
    while try indexes.step() {
      let name = indexes.string(at: 0) ?? ""
      try members.bind(1, name)
      var columns: [String] = []
      while try members.step() { columns.append(members.string(at: 0) ?? "") }
      members.reset()
      result.append((name, indexes.int64(at: 1) != 0, columns))
    }
    return result
  }

  /// Mandatory attributes and relationships without a value.
  func missingValues() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for entity in layout.entitiesByNumber {
      let table = layout.table(for: entity).name
      let kinds = kinds(entity)
      for attribute in entity.definition.attributes
      where !attribute.isOptional && !attribute.isTransient && attribute.derivation == nil && attribute.composite == nil
      {
        guard let column = layout.column(for: attribute.name, of: entity)?.name else { continue }
        result += try find(
          .missingValue, in: table, column: column, where: "t.\(column) IS NULL AND t.Z_ENT IN (\(kinds))",
          message: "\(entity.name).\(attribute.name) is mandatory and has no value")
      }
      for attribute in entity.definition.attributes where attribute.composite != nil && !attribute.isTransient {
        result += try missingElements(of: attribute, entity)
      }
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && !relationship.definition.isOptional && !relationship.isToMany {
        guard let column = layout.foreignKeyColumn(of: relationship)?.name else { continue }
        result += try find(
          .missingValue, in: table, column: column, where: "t.\(column) IS NULL AND t.Z_ENT IN (\(kinds))",
          message: "\(entity.name).\(relationship.name) is mandatory and leads nowhere")
      }
    }
    return result
  }

  /// Mandatory elements without a value in composites that have another element: one without any is no composite.
  private func missingElements(of attribute: AttributeDefinition, _ entity: Entity) throws(SQLiteError)
    -> [StoreFinding]
  {
    let leaves = StoredAttribute.leaves(of: attribute)
    var result: [StoreFinding] = []
    for leaf in leaves where !leaf.attribute.isOptional && leaf.attribute.derivation == nil {
      let others = leaves.filter { $0 != leaf && $0.names.starts(with: leaf.names.dropLast()) }
        .compactMap { layout.column(for: $0.path, of: entity)?.name }
      guard let column = layout.column(for: leaf.path, of: entity)?.name, !others.isEmpty else { continue }
      let hasOthers = others.map { "t.\($0) IS NOT NULL" }.joined(separator: " OR ")
      result += try find(
        .missingValue, in: layout.table(for: entity).name, column: column,
        where: "t.\(column) IS NULL AND (\(hasOthers)) AND t.Z_ENT IN (\(kinds(entity)))",
        message: "\(entity.name).\(leaf.path) is mandatory and has no value")
    }
    return result
  }
}
