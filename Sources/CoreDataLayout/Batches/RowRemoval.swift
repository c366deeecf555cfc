import SQLite

/// Removes rows of one table, in the way that costs least.
///
/// Removing a row from every index costs far more than reading it. Where most rows of a large table go, those that stay
/// are put aside, the table is emptied, which SQLite does page by page, and they are put back; indexes are made anew
/// then. Triggers do not run meanwhile: what they keep is computed afterwards for all rows.
struct RowRemoval {
  private let writer: StoreWriter
  private let rows: KeySet
  private let rebuildsFrom: Int

  private var connection: Connection { writer.connection }
  private var table: String { rows.table.name }
  private static let kept = "seedbed_kept"

  /// - Parameter rebuildsFrom: from how many rows that go on the table is written anew.
  init(_ writer: StoreWriter, _ rows: KeySet, rebuildsFrom: Int) {
    self.writer = writer
    self.rows = rows
    self.rebuildsFrom = rebuildsFrom
  }

  /// - Returns: how many rows went.
  func run() throws -> Int {
    if try isMostOfTable() {
      return try writer.withoutTriggers(on: table) { rows.isWhole ? try empty() : try rebuild() }
    }
    return try rows.deleteRows(of: table, where: "Z_PK", in: connection)
  }

  private func isMostOfTable() throws -> Bool {
    if rows.isWhole {
      return try connection.integer("SELECT 1 FROM \(table) LIMIT 1 OFFSET \(max(rebuildsFrom - 1, 0))") == 1
    }
    let count = try rows.count(in: connection)
    if count < rebuildsFrom { return false }
    return try connection.integer("SELECT 1 FROM \(table) LIMIT 1 OFFSET \(2 * count)") == nil
  }

  private func empty() throws -> Int {
    try connection.execute("DELETE FROM main.\(table)")
    return Int(connection.changes)
  }

  private func rebuild() throws -> Int {
    try connection.execute(
      "DROP TABLE IF EXISTS temp.\(Self.kept); CREATE TEMP TABLE \(Self.kept) \(try columnList()); "
        + "INSERT INTO temp.\(Self.kept) SELECT * FROM main.\(table) WHERE \(rows.misses("Z_PK"))")
    let kept = connection.changes
    let indexes = try IndexList(connection, table: table)
    try indexes.drop()
    try connection.execute("DELETE FROM main.\(table)")
    let all = connection.changes
    // Tables of one form: SQLite copies the records as they are.
    try connection.execute("INSERT INTO main.\(table) SELECT * FROM temp.\(Self.kept); DROP TABLE temp.\(Self.kept)")
    try indexes.create()
    return Int(all - kept)
  }

  /// The columns as the file declares them.
  private func columnList() throws -> String {
    let find = try Statement(
      connection, "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?1 COLLATE NOCASE")
    try find.bind(1, table)
    let sql = try find.step() ? find.string(at: 0) ?? "" : ""
    return String(sql[(sql.firstIndex(of: "(") ?? sql.endIndex)...])
  }
}

/// The indexes of a table that can be made again from their statements.
struct IndexList {
  private let connection: Connection
  private var indexes: [(name: String, sql: String)] = []

  /// - Parameter columns: only indexes over one of these; nil for all.
  init(_ connection: Connection, table: String, over columns: Set<String>? = nil) throws(SQLiteError) {
    self.connection = connection
    let list = try Statement(
      connection,
      "SELECT name, sql FROM main.sqlite_master WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE AND sql IS NOT NULL "
        + "AND rootpage > 0 ORDER BY rowid")
    try list.bind(1, table)
    while try list.step() { indexes.append((list.string(at: 0) ?? "", list.string(at: 1) ?? "")) }
    list.finalize()
    guard let columns else { return }
    var concerned: [(name: String, sql: String)] = []
    for index in indexes {
      let info = try Statement(connection, "SELECT name FROM pragma_index_xinfo(?1) WHERE name IS NOT NULL")
      try info.bind(1, index.name)
      var isConcerned = index.sql.uppercased().contains(" WHERE ")
      while try info.step() { if columns.contains(info.string(at: 0) ?? "") { isConcerned = true } }
      if isConcerned { concerned.append(index) }
    }
    indexes = concerned
  }

  var isEmpty: Bool { indexes.isEmpty }

  func drop() throws(SQLiteError) {
    for index in indexes { try connection.execute("DROP INDEX main.\(SQLText.identifier(index.name))") }
  }

  /// - Throws: an error about uniqueness where rows do not allow a unique index.
  func create() throws(SQLiteError) {
    for index in indexes { try connection.execute(index.sql) }
  }
}
