import ObjectModel
import SQLite

/// Something in a store's rows that Core Data's own layout never has.
public struct StoreFinding: Sendable, Hashable {
  /// The kinds of findings.
  public enum Code: String, Sendable, CaseIterable {
    /// SQLite's own integrity check complains.
    case integrity
    /// `Z_MAX` is lower than a primary key in use.
    case keyCounter
    /// A row's `Z_ENT` is not an entity of its table.
    case entityNumber
    /// A to-one column points at no row.
    case danglingReference
    /// An entity column is missing where the key is set, set where it is not, or not the destination's.
    case entityColumn
    /// An order key is missing where the key is set, or set where it is not.
    case orderKey
    /// A join row points at no row.
    case danglingJoin
    /// A row has no version counter.
    case version
    /// A table or column of the model is missing.
    case schema
  }
  /// What kind of mistake it is.
  public var code: Code
  /// The table concerned, empty for the file as a whole.
  public var table: String
  /// The column concerned, when it is one.
  public var column: String?
  /// Number of rows that are wrong.
  public var count: Int
  /// The primary key of one of them.
  public var exampleKey: Int64?
  /// The mistake in words.
  public var message: String
}

/// Checks of rows against the layout, shared by sealing and by the checker.
struct Consistency {
  let connection: Connection
  let layout: StoreLayout

  /// Everything that is wrong.
  /// - Complexity: a scan of every table, with one lookup per reference.
  func findings() throws(SQLiteError) -> [StoreFinding] {
    var result = try keyCounters()
    for table in layout.tables { result += try rows(of: table) }
    result += try references()
    return result
  }

  /// `PRAGMA integrity_check`, without "ok".
  func integrity() throws(SQLiteError) -> [StoreFinding] {
    let statement = try Statement(connection, "PRAGMA integrity_check(20)")
    var result: [StoreFinding] = []
    while try statement.step() {
      let message = statement.string(at: 0) ?? ""
      if message == "ok" { continue }
      result.append(
        StoreFinding(code: .integrity, table: "", column: nil, count: 1, exampleKey: nil, message: message))
    }
    return result
  }

  /// To-one columns and join rows that point at nothing.
  func references() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for table in layout.tables {
      for column in table.columns {
        guard let target = destinationTable(of: column) else { continue }
        result += try find(
          .danglingReference, table.name, column.name,
          "\(column.name) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(target) AS d WHERE d.Z_PK = t.\(column.name))",
          "\(table.name).\(column.name) points at rows that \(target) does not have")
      }
    }
    for join in layout.joinTables {
      for side in [join.master, join.inverse] {
        let target = layout.table(for: side.relationship.entity).name
        result += try find(
          .danglingJoin, join.name, side.ownerColumn,
          "NOT EXISTS (SELECT 1 FROM \(target) AS d WHERE d.Z_PK = t.\(side.ownerColumn))",
          "\(join.name).\(side.ownerColumn) points at rows that \(target) does not have", key: "rowid")
      }
    }
    return result
  }

  private func destinationTable(of column: TableLayout.Column) -> String? {
    switch column.role {
    case .foreignKey(let name):
      guard let index = column.entityIndex, let relationship = layout.numbering.entities[index].relationship(name)
      else {
        return nil
      }
      return layout.table(for: relationship.destination).name
    case .virtualForeignKey(let owner, _): return layout.entity(number: owner).map { layout.table(for: $0).name }
    default: return nil
    }
  }

  private func keyCounters() throws(SQLiteError) -> [StoreFinding] {
    var result: [StoreFinding] = []
    for table in layout.tables {
      let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0
      let counter = try connection.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(layout.number(of: table.root))")
      if counter.map({ $0 < greatest }) ?? true {
        result.append(
          StoreFinding(
            code: .keyCounter, table: table.name, column: "Z_MAX", count: 1, exampleKey: greatest,
            message: "Z_MAX is \(counter.map(String.init) ?? "missing") and the greatest primary key \(greatest)"))
      }
    }
    return result
  }

  private func rows(of table: TableLayout) throws(SQLiteError) -> [StoreFinding] {
    let numbers = layout.numbers(ofKind: table.root).map(String.init).joined(separator: ", ")
    var result = try find(
      .entityNumber, table.name, "Z_ENT", "Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))",
      "\(table.name) has rows of no entity of its hierarchy")
    result += try find(
      .version, table.name, "Z_OPT", "Z_OPT IS NULL OR Z_OPT < 1", "\(table.name) has rows without a version counter")
    for column in table.columns {
      switch column.role {
      case .destinationEntity(let name):
        guard let key = table.column(.foreignKey(relationship: name))?.name,
          let index = column.entityIndex, let relationship = layout.numbering.entities[index].relationship(name)
        else { continue }
        let target = layout.table(for: relationship.destination).name
        result += try find(
          .entityColumn, table.name, column.name,
          "(\(key) IS NULL) IS NOT (\(column.name) IS NULL) OR EXISTS (SELECT 1 FROM \(target) AS d "
            + "WHERE d.Z_PK = t.\(key) AND d.Z_ENT IS NOT t.\(column.name))",
          "\(table.name).\(column.name) does not say the entity of \(key)")
      case .orderKey(let name):
        guard let key = table.column(.foreignKey(relationship: name))?.name else { continue }
        result += try find(
          .orderKey, table.name, column.name, "(\(key) IS NULL) IS NOT (\(column.name) IS NULL)",
          "\(table.name).\(column.name) is not set just where \(key) is")
      default: continue
      }
    }
    return result
  }

  private func find(
    _ code: StoreFinding.Code, _ table: String, _ column: String, _ condition: String, _ message: String,
    key: String = "Z_PK"
  ) throws(SQLiteError) -> [StoreFinding] {
    let statement = try Statement(connection, "SELECT count(*), min(\(key)) FROM \(table) AS t WHERE \(condition)")
    guard try statement.step(), statement.int64(at: 0) > 0 else { return [] }
    return [
      StoreFinding(
        code: code, table: table, column: column, count: Int(statement.int64(at: 0)),
        exampleKey: statement.int64(at: 1),
        message: message)
    ]
  }
}
