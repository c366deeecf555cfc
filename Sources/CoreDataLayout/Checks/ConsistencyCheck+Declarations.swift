import ObjectModel
import SQLite

extension ConsistencyCheck {
  /// What the file declares of the model's tables otherwise than Core Data does: types that change values, and rules
  /// that refuse rows which the model allows.
  func declarations() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for table in layout.tables {
      result += try columnDeclarations(of: table)
      result += try checkConstraints(of: table.name)
      result += try unknownUniqueIndexes(of: table.name, known: uniqueColumns(of: table))
    }
    for join in layout.joinTables {
      result += try pairs(of: join)
      result += try checkConstraints(of: join.name)
      let pair = [join.master.ownerColumn, join.master.memberColumn].map { $0.uppercased() }
      result += try unknownUniqueIndexes(of: join.name, known: [Set(pair)])
    }
    return result
  }

  private func columnDeclarations(of table: TableLayout) throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    let info = try Statement(connection, "SELECT upper(name), type, \"notnull\" FROM pragma_table_info(?1)")
    try info.bind(1, table.name)
    while try info.step() {
      let name = info.string(at: 0) ?? ""
      guard let column = table.columns.first(where: { $0.name.uppercased() == name }) else { continue }
      let type = info.string(at: 1) ?? ""
      if let change = Affinity(declaredType: type).change(ofValuesOf: column.type) {
        result.append(
          StoreFinding(
            .columnType, table: table.name, column: column.name,
            "\(table.name).\(column.name) is declared \(type.prefix(40)), not \(column.sqlType): \(change)"))
      }
      if info.int64(at: 2) != 0, !isNeverNull(column, of: table) {
        result.append(
          StoreFinding(
            .unknownConstraint, table: table.name, column: column.name,
            "\(table.name).\(column.name) must not be null in the file, of which the model says nothing"))
      }
    }
    return result
  }

  /// Whether every row has a value. Rows of other entities of the hierarchy have none for a sub-entity's attribute.
  private func isNeverNull(_ column: TableLayout.Column, of table: TableLayout) -> Bool {
    switch column.role {
    case .primaryKey, .entityNumber, .version: true
    case .attribute(let path, let attribute):
      path.count == 1 && !attribute.isOptional && column.entityIndex == table.root.index
    default: false
    }
  }

  /// Looks for the word alone: it is no column's name, as those of Core Data begin with Z.
  private func checkConstraints(of table: String) throws(SQLiteError) -> [StoreFinding] {
    let statement = try Statement(
      connection, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND upper(name) = upper(?1)")
    try statement.bind(1, table)
    guard try statement.step(), let sql = statement.string(at: 0) else { return [] }
    let words = sql.uppercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    guard words.contains("CHECK") else { return [] }
    return [
      StoreFinding(.unknownConstraint, table: table, "\(table) has a CHECK constraint, of which the model says nothing")
    ]
  }

  /// Columns that must differ together, by what the model says.
  private func uniqueColumns(of table: TableLayout) -> [Set<String>] {
    var known = [Set(["Z_PK"])] + table.columns.filter(\.isUnique).map { [$0.name.uppercased()] }
    for entity in layout.entitiesByNumber where entity.root == table.root {
      for names in entity.definition.uniquenessConstraints {
        known.append(Set(names.compactMap { layout.propertyColumn($0, of: entity)?.uppercased() }))
      }
    }
    return known
  }

  /// An index that has the columns of a constraint and more refuses nothing that the constraint allows.
  private func unknownUniqueIndexes(
    of table: String, known: [Set<String>]
  ) throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for index in try uniqueIndexes(of: table)
    where !known.contains(where: { !$0.isEmpty && $0.isSubset(of: index.columns) }) {
      let isExpression = index.columns.contains { $0.isEmpty || $0.hasPrefix(" ") }
      let list = isExpression ? "an expression" : index.columns.joined(separator: ", ")
      result.append(
        StoreFinding(
          .unknownConstraint, table: table, column: isExpression ? nil : list,
          "the index \(index.name.prefix(100)) keeps \(list) of \(table) unique, of which the model says nothing"))
    }
    return result
  }

  /// Pairs that a join table has more than once. Its primary key keeps them out where it has one.
  private func pairs(of join: JoinTable) throws(SQLiteError) -> [StoreFinding] {
    let columns = [join.master.ownerColumn, join.master.memberColumn]
    if try hasUniqueIndex(join.name, columns) { return [] }
    let list = columns.joined(separator: ", ")
    var result = [
      StoreFinding(
        .missingIndex, table: join.name, column: list, "no primary key keeps the pairs of \(join.name) apart")
    ]
    result += try count(
      .duplicateJoin, in: join.name, column: nil,
      query: """
        SELECT count(*), min(k) FROM (SELECT min(rowid) AS k FROM \(SQLText.identifier(join.name))
        GROUP BY \(list) HAVING count(*) > 1)
        """, message: "\(join.name) has pairs more than once")
    return result
  }
}

/// What SQLite makes of values on their way into a column, by its declared type.
/// - SeeAlso: "Datatypes In SQLite", section 3.1.
private enum Affinity {
  case integer, text, none, real, numeric

  init(declaredType: String) {
    let type = declaredType.uppercased()
    if type.contains("INT") {
      self = .integer
    } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
      self = .text
    } else if type.isEmpty || type.contains("BLOB") {
      self = .none
    } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
      self = .real
    } else {
      self = .numeric
    }
  }

  /// What becomes of values of a column's type; nil when they stay what they are.
  func change(ofValuesOf type: TableLayout.ColumnType) -> String? {
    switch (type, self) {
    case (.text, .integer), (.text, .real), (.text, .numeric), (.uri, .integer), (.uri, .real), (.uri, .numeric):
      "texts that look like numbers become numbers"
    case (.integer, .text), (.timestampOrFloat, .text), (.decimal, .text): "numbers become texts"
    case (.integer, .real): "whole numbers are stored as floating-point ones"
    case (.decimal, .real): "whole numbers beyond 2^53 are rounded"
    default: nil
    }
  }
}
