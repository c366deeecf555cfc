import SQLite

extension ConsistencyCheck {
  private static let historyTables = [
    ("ACHANGE", HistoryWriter.change), ("ATRANSACTION", HistoryWriter.transactionEntity),
    ("ATRANSACTIONSTRING", HistoryWriter.string),
  ]

  /// The tables of the history, where the file has them: their counters, and changes of no kind or no transaction.
  func history() throws(SQLiteError) -> [StoreFinding] {
    let schema = SchemaGuard(connection: connection)
    var result: [StoreFinding] = []
    var columnsByTable: [String: Set<String>] = [:]
    for (table, number) in Self.historyTables {
      guard case .ordinary(let columns) = try schema.table(table), columns.contains("Z_PK") else { continue }
      columnsByTable[table] = columns
      result += try historyCounter(of: table, number)
    }
    guard let columns = columnsByTable["ACHANGE"] else { return result }
    if columns.contains("ZCHANGETYPE") {
      result += try find(
        .valueRange, in: "ACHANGE", column: "ZCHANGETYPE",
        where: "t.ZCHANGETYPE IS NULL OR t.ZCHANGETYPE NOT IN (0, 1, 2)",
        message: "ACHANGE.ZCHANGETYPE is neither 0 (inserted) nor 1 (updated) nor 2 (deleted)")
    }
    if columns.contains("ZTRANSACTIONID"), columnsByTable["ATRANSACTION"] != nil {
      result += try find(
        .danglingReference, in: "ACHANGE", column: "ZTRANSACTIONID",
        where: "NOT EXISTS (SELECT 1 FROM ATRANSACTION AS d WHERE d.Z_PK = t.ZTRANSACTIONID)",
        message: "ACHANGE.ZTRANSACTIONID points at no transaction")
    }
    return result
  }

  private func historyCounter(of table: String, _ number: Int) throws(SQLiteError) -> [StoreFinding] {
    // Apple's stores may have empty tables that are not listed.
    let greatest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
    if greatest == 0 { return [] }
    let statement = try Statement(
      connection, "SELECT typeof(Z_MAX), Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1")
    try statement.bind(1, Int64(number))
    guard try statement.step() else {
      return [
        StoreFinding(
          .entityList, table: "Z_PRIMARYKEY", exampleKey: Int64(number),
          "Z_PRIMARYKEY has no row \(number) for the history's table \(table)")
      ]
    }
    let counter = statement.string(at: 0) == "integer" ? statement.int64(at: 1) : nil
    if let counter, counter >= greatest { return [] }
    return [
      StoreFinding(
        .keyCounter, table: table, column: "Z_MAX", exampleKey: greatest,
        "Z_MAX of \(table) is \(counter.map(String.init) ?? "no number") and the greatest primary key \(greatest)")
    ]
  }
}
