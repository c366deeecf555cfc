import CoreDataLayout
import SQLite
import SQLitePages

/// How the rows of one table are written as finished pages, worked out from the old file before anything is changed.
///
/// The result is the same as that of the statements of `MigrationTables`. A plan can take values over, set constants
/// and raise keys; a table that needs anything else has no plan.
struct PageRewritePlan {
  let table: TableWork
  /// The old tables that rows come from, in order, with what becomes of their rows.
  let feeds: [(table: TableLayout, translation: RowTranslation)]
  /// In place: positions, in the table's records, of columns with other values.
  let assigned: Set<Int>

  /// - Parameter connection: to the old store.
  /// - Returns: nil where rows stay, or only statements can do it.
  init?(_ table: TableWork, _ work: MigrationWork, _ connection: Connection) throws {
    guard !table.feeds.isEmpty, table.fills.isEmpty, !table.leavesRows else { return nil }
    let constants = RecordConstants(connection: connection)
    var feeds: [(table: TableLayout, translation: RowTranslation)] = []
    var assigned: Set<Int> = []
    for feed in table.feeds {
      guard let file = try FileColumns(feed.old.name, connection), let kind = file.position(of: "Z_ENT", "INTEGER"),
        let offset = feed.moves.first?.offset, feed.moves.allSatisfy({ $0.offset == offset })
      else { return nil }
      var targets: [(position: Int, column: Int)] = []
      var width = table.new.columns.count
      if table.method == .inPlace {
        width = file.count + table.appended.count
        guard let found = Self.assignments(table, file) else { return nil }
        targets = found
        assigned = Set(found.map(\.position))
      } else {
        targets = table.new.columns.indices.map { ($0, $0) }
      }
      var cells: [Int64: [RowTranslation.Cell]] = [:]
      for (place, move) in feed.moves.enumerated() {
        var row = (0..<width).map { $0 < file.count ? RowTranslation.Cell.field($0) : .constant(.null) }
        for (position, column) in targets {
          let source = feed.sources[column][place]
          guard let cell = try Self.cell(source, table.new.columns[column], file, constants) else { return nil }
          row[position] = cell
        }
        cells[Int64(work.old.number(of: move.old))] = row
      }
      let dropped = work.moves.concrete(kindOf: feed.old.root).map { Int64(work.old.number(of: $0)) }
      feeds.append(
        (
          feed.old,
          RowTranslation(
            kindPosition: kind, cells: cells, dropped: Set(dropped).subtracting(cells.keys), rowIDOffset: offset)
        ))
    }
    self.table = table
    self.feeds = feeds
    self.assigned = assigned
  }

  /// In place: where the columns with other values stand in the file, and which of the new table's they are.
  private static func assignments(_ table: TableWork, _ file: FileColumns) -> [(position: Int, column: Int)]? {
    var result: [(position: Int, column: Int)] = []
    for (name, _) in table.assigned {
      let new = table.renamed.first { $0.from == name }?.to ?? name
      guard let column = table.new.columns.firstIndex(where: { $0.name == new }) else { return nil }
      if let place = table.appended.firstIndex(where: { $0.name == name }) {
        result.append((file.count + place, column))
      } else if let position = file.position(of: name, table.new.columns[column].sqlType) {
        result.append((position, column))
      } else {
        return nil
      }
    }
    return result
  }

  /// - Returns: nil for a value that only SQL can compute.
  private static func cell(
    _ source: CellSource, _ column: TableLayout.Column, _ file: FileColumns, _ constants: RecordConstants
  ) throws -> RowTranslation.Cell? {
    // The key is the row's id, and the record has null in its place.
    if column.role == .primaryKey { return .constant(.null) }
    switch source.form {
    case .column(let name): return file.position(of: name, column.sqlType).map { .field($0) }
    case .raised(let name, let offset):
      guard column.sqlType == "INTEGER" else { return nil }
      return file.position(of: name, column.sqlType).map { .raised($0, by: offset) }
    case .constant(let sql): return try .constant(constants.value(of: sql, as: column.sqlType))
    case .columnOr(let name, let sql):
      guard let position = file.position(of: name, column.sqlType) else { return nil }
      return try .fieldOr(position, constants.value(of: sql, as: column.sqlType))
    case .computed: return nil
    }
  }
}

extension PageRewritePlan {
  /// Fewer rows are written by statements in less time than it takes to make a file, and to put it in place.
  private static let leastRows: Int64 = 50_000
  /// A row is written by a statement in about the time in which so many bytes of the file are copied and forced to the
  /// disk.
  private static let bytesPerRow: Int64 = 1_000

  /// The tables of a migration that are written as pages: those that can be, where it takes less time than statements
  /// do.
  static func all(
    of work: MigrationWork, _ use: StoreMigration.PageUse, _ connection: Connection
  ) throws -> [PageRewritePlan] {
    if use == .never { return [] }
    // Pages are taken as they are read: a table that has rows for several ones is read by statements.
    let readers = Dictionary(grouping: work.tables.flatMap { $0.feeds.map(\.old.name) }) { $0 }
    var tables = work.tables.filter { table in table.feeds.allSatisfy { readers[$0.old.name]?.count == 1 } }
    if use == .whereFaster {
      let keys = try tables.map { table in try table.leavesRows ? 0 : greatestKeys(table, connection) }
      guard keys.contains(where: { $0 >= leastRows }),
        try fileSize(connection) <= keys.reduce(0, +) * bytesPerRow
      else { return [] }
      tables = zip(tables, keys).filter { $0.1 >= leastRows }.map(\.0)
    }
    let rewrites = try tables.compactMap { try PageRewritePlan($0, work, connection) }
    if use == .always || rewrites.isEmpty { return rewrites }
    let rows = try rewrites.flatMap(\.feeds).map { feed in
      try connection.integer("SELECT count(*) FROM \(SQLText.identifier(feed.table.name))") ?? 0
    }.reduce(0, +)
    return try rows >= leastRows && fileSize(connection) <= rows * bytesPerRow ? rewrites : []
  }

  /// An upper bound of the number of a table's rows, without reading them.
  private static func greatestKeys(_ table: TableWork, _ connection: Connection) throws -> Int64 {
    try table.feeds.map { feed in
      try connection.integer("SELECT max(Z_PK) FROM \(SQLText.identifier(feed.old.name))") ?? 0
    }.reduce(0, +)
  }

  private static func fileSize(_ connection: Connection) throws -> Int64 {
    try (connection.integer("PRAGMA page_count") ?? 0) * (connection.integer("PRAGMA page_size") ?? 0)
  }
}

/// The columns that a table has in a file, in their order there.
private struct FileColumns {
  private var positions: [String: (position: Int, type: String)] = [:]
  var count: Int { positions.count }

  /// - Returns: nil where columns have default values, which records that end before them do not say.
  init?(_ table: String, _ connection: Connection) throws {
    let list = try Statement(connection, "SELECT name, type, dflt_value FROM pragma_table_xinfo(?1) ORDER BY cid")
    try list.bind(1, table)
    while try list.step() {
      guard list.isNull(at: 2) else { return nil }
      positions[(list.string(at: 0) ?? "").uppercased()] = (positions.count, (list.string(at: 1) ?? "").uppercased())
    }
  }

  /// Nil when there is no column of that name and type.
  func position(of name: String, _ type: String) -> Int? {
    positions[name.uppercased()].flatMap { $0.type == type.uppercased() ? $0.position : nil }
  }
}

/// Constants of SQL in the form that records have them: as SQLite itself keeps them in a column of the type.
private struct RecordConstants {
  let connection: Connection

  func value(of sql: String, as type: String) throws -> RecordValue {
    if sql == "NULL" { return .null }
    try connection.execute(
      "DROP TABLE IF EXISTS temp.seedbed_value; CREATE TEMP TABLE seedbed_value (value \(type)); "
        + "INSERT INTO temp.seedbed_value VALUES (\(sql))")
    defer { try? connection.execute("DROP TABLE temp.seedbed_value") }
    let statement = try Statement(connection, "SELECT value FROM temp.seedbed_value")
    guard try statement.step() else { return .null }
    defer { statement.finalize() }
    switch statement.type(at: 0) {
    case .null: return .null
    case .integer: return RecordValue(statement.int64(at: 0))
    case .real: return RecordValue(statement.double(at: 0), isReal: ["FLOAT", "REAL", "DOUBLE"].contains(type))
    case .text: return RecordValue(text: unsafe Array(statement.rawBytes(at: 0)))
    case .blob: return RecordValue(blob: unsafe Array(statement.rawBytes(at: 0)))
    }
  }
}
