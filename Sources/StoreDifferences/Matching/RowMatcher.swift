import CoreDataLayout
import ObjectModel
import Pipelines
import SQLite

/// Finds the rows that may differ, and which of them are one object.
///
/// Both tables of an entity are walked side by side in the order of their primary keys, all in SQLite: rows whose
/// columns are equal under one primary key are done with. What is left is matched by key; relationships follow, as an
/// equal primary key in a column says nothing where another object has it in the other store.
struct RowMatcher {
  let tables: MatchTables
  let left: ComparedLayout
  let right: ComparedLayout
  let entities: [ComparedEntity]
  let differentRows: DifferentRows

  private var connection: Connection { tables.connection }

  /// Fills the lists.
  /// - Throws: `RunError` where several objects have a key that the caller chose.
  func match() throws {
    for entity in left.layout.model.entities where entity.superentity == nil { try tables.create(tables.left(entity)) }
    for entity in right.layout.model.entities where entity.superentity == nil {
      try tables.create(tables.right(entity))
    }
    try listUnknown(left, tables.left, known: entities.map(\.left))
    try listUnknown(right, tables.right, known: entities.map(\.right))
    for entity in entities {
      if entity.isKeyGiven { try requireUniqueKeys(entity) }
      try listDifferent(entity)
    }
    for entity in entities { try pair(entity) }
    for entity in entities { try listReferring(entity) }
    for entity in entities { for reference in entity.toMany { try listOwners(entity, reference) } }
  }

  // MARK: - Rows

  /// Lists the rows of entities that only one model has, without a counterpart.
  private func listUnknown(_ side: ComparedLayout, _ list: (Entity) -> String, known: [Entity]) throws {
    let numbers = known.map { "\(side.number($0))" }.joined(separator: ", ")
    for table in side.layout.tables
    where side.layout.model.entities.contains(where: { $0.root == table.root && !$0.isAbstract && !known.contains($0) })
    {
      try connection.execute(
        "INSERT INTO \(list(table.root)) SELECT Z_PK, -1, NULL FROM \(side.table(table.root)) WHERE Z_ENT NOT IN (\(numbers))"
      )
    }
  }

  private func listDifferent(_ entity: ComparedEntity) throws {
    let (leftTable, rightTable) = (left.table(entity.left), right.table(entity.right))
    let isSame = "y.Z_PK = x.Z_PK AND y.Z_ENT = \(right.number(entity.right))"
    var conditions = ["y.Z_PK IS NULL"] + columns(entity).map { "x.\($0.left) IS NOT y.\($0.right)" }
    conditions += columns(ofFiles: entity).map { column in
      "(length(x.\(column)) = \(ExternalDataFolder.referenceLength) AND substr(x.\(column), 1, 1) = x'02')"
    }
    if !hasSameElements(entity) { conditions.append("1") }
    let different = conditions.joined(separator: " OR ")
    // When the rows that differ in bytes are known, the other rows are not compared.
    let rows = try differentRows.list(entity.left, entity.right)
    let leftRows = rows.map { "\($0) AS r CROSS JOIN \(leftTable) AS x ON x.Z_PK = r.pk" } ?? "\(leftTable) AS x"
    let rightRows = rows.map { "\($0) AS r CROSS JOIN \(rightTable) AS y ON y.Z_PK = r.pk" } ?? "\(rightTable) AS y"
    try connection.execute(
      """
      INSERT INTO \(tables.left(entity.left)) SELECT x.Z_PK, \(entity.number), NULL FROM \(leftRows)
        LEFT JOIN \(rightTable) AS y ON \(isSame) WHERE x.Z_ENT = \(left.number(entity.left)) AND (\(different));
      INSERT INTO \(tables.right(entity.right)) SELECT y.Z_PK, \(entity.number), NULL FROM \(rightRows)
        LEFT JOIN \(leftTable) AS x ON x.Z_PK = y.Z_PK AND x.Z_ENT = \(left.number(entity.left))
        WHERE y.Z_ENT = \(right.number(entity.right)) AND x.Z_PK IS NULL;
      INSERT INTO \(tables.right(entity.right)) SELECT y.Z_PK, \(entity.number), NULL
        FROM \(tables.left(entity.left)) AS c JOIN \(rightTable) AS y ON y.Z_PK = c.pk
        WHERE c.entity = \(entity.number) AND y.Z_ENT = \(right.number(entity.right));
      """)
  }

  /// Whether composite attributes have the same elements in both stores. Otherwise every row is one to be looked at.
  private func hasSameElements(_ entity: ComparedEntity) -> Bool {
    entity.attributes.allSatisfy { attribute in
      let paths = [
        left.columns(attribute.name, of: entity.left), right.columns(attribute.name, of: entity.right),
      ].map { Set($0.map(\.path)) }
      return paths[0] == paths[1]
    }
  }

  /// The columns whose values may name files: files of one name may have other bytes.
  private func columns(ofFiles entity: ComparedEntity) -> [String] {
    entity.attributes.compactMap { entity.left.attribute($0.name) }
      .filter { $0.allowsExternalBinaryDataStorage || $0.composite != nil }
      .flatMap { left.columns($0.name, of: entity.left) }.map(\.name)
  }

  /// The columns that are compared as they are stored.
  private func columns(_ entity: ComparedEntity) -> [(left: String, right: String)] {
    var pairs: [(left: String, right: String)] = []
    for name in Set(entity.attributes.map(\.name) + entity.key).sorted() {
      let others = right.columns(name, of: entity.right)
      let own = left.columns(name, of: entity.left)
      for (path, column) in own {
        if let other = others.first(where: { $0.path == path }) { pairs.append((column, other.name)) }
      }
    }
    for reference in entity.toOne {
      if let own = left.column(reference.left), let other = right.column(reference.right) { pairs.append((own, other)) }
    }
    return pairs
  }

  // MARK: - Keys

  private func keyColumns(_ entity: ComparedEntity) -> [(left: String, right: String)] {
    entity.key.compactMap { name in
      guard let own = left.columns(name, of: entity.left).first, let other = right.columns(name, of: entity.right).first
      else { return nil }
      return (own.name, other.name)
    }
  }

  private func requireUniqueKeys(_ entity: ComparedEntity) throws {
    let keys = keyColumns(entity)
    for (side, own, columns) in [(left, entity.left, keys.map(\.left)), (right, entity.right, keys.map(\.right))] {
      let list = columns.joined(separator: ", ")
      let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      let key = try connection.integer(
        "SELECT min(Z_PK) FROM \(side.table(own)) WHERE Z_ENT = \(side.number(own)) AND \(present) GROUP BY \(list) "
          + "HAVING count(*) > 1 LIMIT 1")
      if let key {
        throw RunError(
          .badData, code: "diff.key",
          "several \(entity.name) of the \(side.schema == left.schema ? "first" : "second") store have the same "
            + "\(entity.key.joined(separator: ", ")), one of them with the primary key \(key)",
          hint: "choose attributes that together name one object: --key \(entity.name)=a,b")
      }
    }
  }

  /// Matches the listed rows of an entity: by key, and those without one by primary key.
  private func pair(_ entity: ComparedEntity) throws {
    let (leftList, rightList) = (tables.left(entity.left), tables.right(entity.right))
    try connection.execute("CREATE TABLE temp.pairs (a INTEGER PRIMARY KEY, b INTEGER)")
    let keys = keyColumns(entity)
    let samePlace =
      "INSERT INTO temp.pairs SELECT c.pk, d.pk FROM \(leftList) AS c JOIN \(rightList) AS d ON d.pk = c.pk "
      + "AND d.entity = c.entity"
    if keys.isEmpty {
      try connection.execute("\(samePlace) WHERE c.entity = \(entity.number)")
    } else {
      let names = keys.indices.map { "k\($0)" }
      func present(_ columns: [String]) -> String { columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ") }
      try connection.execute(
        """
        CREATE TABLE temp.keys AS SELECT \(zip(keys, names).map { "y.\($0.right) AS \($1)" }.joined(separator: ", ")), y.Z_PK AS pk
          FROM \(rightList) AS c JOIN \(right.table(entity.right)) AS y ON y.Z_PK = c.pk
          WHERE c.entity = \(entity.number) AND \(present(keys.map { "y.\($0.right)" }));
        CREATE INDEX temp.byKey ON keys (\(names.joined(separator: ", ")));
        INSERT INTO temp.pairs SELECT c.pk, k.pk FROM \(leftList) AS c
          CROSS JOIN \(left.table(entity.left)) AS x ON x.Z_PK = c.pk
          CROSS JOIN temp.keys AS k ON \(zip(keys, names).map { "k.\($1) = x.\($0.left)" }.joined(separator: " AND "))
          WHERE c.entity = \(entity.number);
        DROP TABLE temp.keys;
        \(samePlace)
          JOIN \(left.table(entity.left)) AS x ON x.Z_PK = c.pk JOIN \(right.table(entity.right)) AS y ON y.Z_PK = d.pk
          WHERE c.entity = \(entity.number) AND NOT (\(present(keys.map { "x.\($0.left)" })))
          AND NOT (\(present(keys.map { "y.\($0.right)" })));
        """)
    }
    try connection.execute(
      """
      UPDATE \(leftList) SET match = (SELECT b FROM temp.pairs WHERE a = pk) WHERE entity = \(entity.number);
      CREATE UNIQUE INDEX temp.byRight ON pairs (b);
      UPDATE \(rightList) SET match = (SELECT a FROM temp.pairs WHERE b = pk) WHERE entity = \(entity.number);
      DROP TABLE temp.pairs;
      """)
  }

  // MARK: - Relationships

  /// Lists rows that are equal but lead to a primary key that another object has in the other store.
  private func listReferring(_ entity: ComparedEntity) throws {
    for reference in entity.toOne {
      guard let moved = try tables.moved(reference.left.destination, reference.right.destination),
        let column = left.column(reference.left)
      else { continue }
      try connection.execute(
        """
        INSERT OR IGNORE INTO \(tables.left(entity.left)) SELECT x.Z_PK, \(entity.number), x.Z_PK
          FROM \(left.table(entity.left)) AS x
          WHERE x.Z_ENT = \(left.number(entity.left)) AND x.\(column) IN (SELECT pk FROM \(moved))
        """)
    }
  }

  /// Lists owners whose members may differ.
  private func listOwners(_ entity: ComparedEntity, _ reference: ComparedEntity.Reference) throws {
    guard let own = MemberRows(reference.left, left), let other = MemberRows(reference.right, right) else { return }
    let movedMembers = try tables.moved(reference.left.destination, reference.right.destination)
    let movedOwners = try tables.moved(entity.left, entity.right)
    let different = try differentMembers(own, other, reference)
    func changedOwners(_ rows: MemberRows, but others: MemberRows) -> String {
      let isListed =
        different.map { "\($0) AS r CROSS JOIN \(rows.table) AS x ON x.rowid = r.pk" } ?? "\(rows.table) AS x"
      let isOrdered = own.order != nil && other.order != nil
      let order = isOrdered ? " OR x.\(rows.order ?? "") IS NOT y.\(others.order ?? "")" : ""
      // A member may have several owners, so a pair is looked up by both keys.
      let changed =
        "SELECT x.\(rows.owner) AS pk FROM \(isListed) LEFT JOIN \(others.table) AS y "
        + "ON y.\(others.member) = x.\(rows.member) AND y.\(others.owner) = x.\(rows.owner) "
        + "WHERE x.\(rows.owner) IS NOT NULL AND (y.\(others.member) IS NULL\(order))"
      func moved(_ column: String, _ list: String?) -> String {
        list.map {
          " UNION ALL SELECT x.\(rows.owner) FROM \(rows.table) AS x WHERE x.\(column) IN (SELECT pk FROM \($0))"
        } ?? ""
      }
      return changed + moved(rows.member, movedMembers) + moved(rows.owner, movedOwners)
    }
    try connection.execute(
      """
      CREATE TABLE temp.owners (pk INTEGER PRIMARY KEY);
      INSERT OR IGNORE INTO temp.owners SELECT pk FROM (\(changedOwners(own, but: other))) WHERE pk IS NOT NULL;
      INSERT OR IGNORE INTO temp.owners
        SELECT CASE WHEN c.pk IS NULL THEN o.pk ELSE c.match END
        FROM (\(changedOwners(other, but: own))) AS o LEFT JOIN \(tables.right(entity.right)) AS c ON c.pk = o.pk
        WHERE o.pk IS NOT NULL AND (c.pk IS NULL OR c.match IS NOT NULL);
      INSERT OR IGNORE INTO \(tables.left(entity.left)) SELECT x.Z_PK, \(entity.number), x.Z_PK
        FROM temp.owners AS o JOIN \(left.table(entity.left)) AS x ON x.Z_PK = o.pk
        WHERE x.Z_ENT = \(left.number(entity.left));
      DROP TABLE temp.owners;
      """)
  }

  /// The rows of both sides that are not the same to the byte; nil where that is not known. Rows of join tables have no
  /// identity of their own: equal ones may be at other places, so that only tables without any difference say
  /// something.
  private func differentMembers(
    _ own: MemberRows, _ other: MemberRows, _ reference: ComparedEntity.Reference
  ) throws -> String? {
    guard own.isJoin == other.isJoin else { return nil }
    if !own.isJoin { return try differentRows.list(reference.left.destination, reference.right.destination) }
    guard own.columns == other.columns, let list = try differentRows.list(own.name, other.name) else { return nil }
    return try connection.integer("SELECT 1 FROM \(list) LIMIT 1") == nil ? list : nil
  }
}

/// Where the members of a to-many relationship are.
private struct MemberRows {
  var table: String
  var owner: String
  var member: String
  var order: String?
  /// Without the schema.
  var name: String
  /// Whether it is a table of pairs.
  var isJoin: Bool
  var columns: [String?] { [owner, member, order] }

  init?(_ relationship: Relationship, _ side: ComparedLayout) {
    if let (join, own) = side.layout.joinTable(of: relationship) {
      table = "\(side.schema).\(join.name)"
      owner = own.ownerColumn
      member = own.memberColumn
      order = own.orderColumn
      name = join.name
      isJoin = true
    } else if let columns = side.layout.memberColumns(of: relationship) {
      table = side.table(relationship.destination)
      owner = columns.foreignKey
      member = "Z_PK"
      order = columns.order
      name = side.layout.table(for: relationship.destination).name
      isJoin = false
    } else {
      return nil
    }
  }
}
