import SQLite
import StoreInterface

/// What a store says of itself, read without a model.
public struct StoreInspection: Sendable {
  /// An entity as `Z_PRIMARYKEY` lists it.
  public struct EntityRow: Sendable, Hashable {
    /// The entity's number in the store: `Z_ENT`.
    public var number: Int
    /// The entity's name.
    public var name: String
    /// `Z_ENT` of the parent, 0 for none.
    public var parent: Int
    /// `Z_MAX`: the last primary key given out; counts for root entities only.
    public var lastPrimaryKey: Int
    /// The table that its rows are in, which is that of its topmost ancestor; nil when there is none.
    public var table: String?
    /// Rows of this very entity, sub-entities not included; nil when its table was not found.
    public var count: Int?
  }
  /// A table as the database has it.
  public struct Table: Sendable, Hashable {
    /// A column with its declared type, which may be empty.
    public struct Column: Sendable, Hashable {
      /// The name as it stands in the table's definition.
      public var name: String
      /// The type as it stands in the table's definition.
      public var type: String
    }
    /// The table's name.
    public var name: String
    /// The columns in the order of the table's definition.
    public var columns: [Column]
    /// Number of rows; nil for what is no ordinary table, such as a virtual one.
    public var rowCount: Int?
  }
  /// An index, or a constraint of a table that has one.
  public struct Index: Sendable, Hashable {
    /// The index's name.
    public var name: String
    /// The table that it belongs to.
    public var table: String
    /// Its SQL text; nil for one that belongs to a constraint in the table's definition.
    public var definition: String?
  }

  /// The metadata as stored.
  public var metadata: StoreMetadata
  /// The entities with their numbers and rows.
  public var entities: [EntityRow]
  /// Every table, by name.
  public var tables: [Table]
  /// Every index, by table and name.
  public var indexes: [Index]
  /// What persistent history holds; nil when the store keeps none.
  public var history: HistoryRange?
  /// Whether the store has the tables of persistent history.
  public var hasHistory: Bool { history != nil }
  /// Bytes of `Z_MODELCACHE`, 0 when there is no cached model.
  public var modelCacheBytes: Int
  /// SQLite's journal mode, such as `wal`.
  public var journalMode: String
  /// Bytes per page.
  public var pageSize: Int
  /// The number of pages in the file.
  public var pageCount: Int

  /// More than any model has: a file with more entities is forged.
  private static let maximumEntityCount = 10_000
  private static let maximumDepth = 1_000

  /// Reads a store; it and its sidecars are not changed.
  /// - Parameter entityNames: `Z_ENT` → name, for entities whose `Z_NAME` is not to be believed: it stays what it was
  ///   when an entity is renamed in place.
  /// - Throws: `StoreError.notAStore` when the file is none.
  public static func read(path: String, entityNames: [Int: String] = [:]) throws -> StoreInspection {
    try ReadOnlyAccess.withConnection(to: path) { connection in
      do {
        var inspection = try StoreInspection(connection, entityNames)
        // A store without sidecars is opened as immutable, and then SQLite does not tell; the header does.
        if try StoreFiles.isWriteAheadLogged(path: path) { inspection.journalMode = "wal" }
        return inspection
      } catch let error as SQLiteError {
        throw StoreError(error, path: path)
      }
    }
  }

  private init(_ connection: Connection, _ entityNames: [Int: String]) throws {
    metadata = try StoreMetadata(connection)
    let schema = SchemaGuard(connection: connection)
    try schema.require(
      "Z_PRIMARYKEY", columns: ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"], path: connection.path)
    let described = try Self.tables(connection, schema)
    tables = described.map(\.table)
    indexes = try Self.indexes(connection)
    let ordinary = Dictionary(
      described.filter(\.isOrdinary).map { ($0.table.name, Set($0.table.columns.map { $0.name.uppercased() })) },
      uniquingKeysWith: { first, _ in first })
    entities = try Self.entities(connection, entityNames, tables: ordinary)
    history = try HistoryRange(connection, tables: ordinary)
    modelCacheBytes =
      ordinary["Z_MODELCACHE"]?.contains("Z_CONTENT") == true
      ? Int(try connection.integer("SELECT IFNULL(sum(length(Z_CONTENT)), 0) FROM Z_MODELCACHE") ?? 0) : 0
    journalMode = try connection.string("PRAGMA journal_mode") ?? ""
    pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
    pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
  }

  // MARK: - Tables

  /// Every table, with whether it is an ordinary one; only those are counted, as reading another may take for ever.
  private static func tables(
    _ connection: Connection, _ schema: SchemaGuard
  ) throws -> [(table: Table, isOrdinary: Bool)] {
    var names: [String] = []
    let list = try Statement(
      connection,
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
      LIMIT \(maximumEntityCount + 1)
      """)
    while try list.step() { names.append(list.string(at: 0) ?? "") }
    guard names.count <= maximumEntityCount else {
      throw StoreError.notAStore(path: connection.path, message: "it has more than \(maximumEntityCount) tables")
    }
    return try names.map { name in
      var table = Table(name: name, columns: [], rowCount: nil)
      let columns = try Statement(connection, "SELECT name, type FROM pragma_table_info(?1)")
      try columns.bind(1, name)
      // The columns of a virtual table whose module is not there cannot be told.
      while (try? columns.step()) ?? false {
        table.columns.append(Table.Column(name: columns.string(at: 0) ?? "", type: columns.string(at: 1) ?? ""))
      }
      guard case .ordinary = try schema.table(name) else { return (table, false) }
      table.rowCount = Int(try connection.integer("SELECT count(*) FROM \(SQLText.identifier(name))") ?? 0)
      return (table, true)
    }
  }

  private static func indexes(_ connection: Connection) throws -> [Index] {
    var found: [Index] = []
    let list = try Statement(
      connection, "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' ORDER BY tbl_name, name")
    while try list.step() {
      found.append(
        Index(name: list.string(at: 0) ?? "", table: list.string(at: 1) ?? "", definition: list.string(at: 2)))
    }
    return found
  }

  // MARK: - Entities

  /// - Parameters:
  ///   - names: `Z_ENT` → name, where it is another than `Z_NAME`.
  ///   - tables: the ordinary tables with their columns in upper case.
  private static func entities(
    _ connection: Connection, _ names: [Int: String], tables: [String: Set<String>]
  ) throws -> [EntityRow] {
    var found: [EntityRow] = []
    let rows = try Statement(
      connection,
      """
      SELECT Z_ENT, IFNULL(substr(Z_NAME, 1, 1000), ''), IFNULL(Z_SUPER, 0), IFNULL(Z_MAX, 0) FROM Z_PRIMARYKEY
      ORDER BY 1 LIMIT \(maximumEntityCount + 1)
      """)
    while try rows.step() {
      let number = Int(rows.int64(at: 0))
      found.append(
        EntityRow(
          number: number, name: names[number] ?? rows.string(at: 1) ?? "", parent: Int(rows.int64(at: 2)),
          lastPrimaryKey: Int(rows.int64(at: 3))))
    }
    guard found.count <= maximumEntityCount else {
      throw StoreError.notAStore(
        path: connection.path, message: "Z_PRIMARYKEY lists more than \(maximumEntityCount) entities")
    }
    let positions = Dictionary(found.indices.map { (found[$0].number, $0) }, uniquingKeysWith: { first, _ in first })
    var counts: [String: [Int: Int]] = [:]
    for index in found.indices {
      // Rows are in the table of the topmost ancestor; ancillary entities' tables begin with A.
      var root = index
      var steps = 0
      while found[root].parent != 0, steps < maximumDepth, let parent = positions[found[root].parent] {
        root = parent
        steps += 1
      }
      guard steps < maximumDepth else {
        throw StoreError.notAStore(
          path: connection.path, message: "the entities of Z_PRIMARYKEY have parents in a circle")
      }
      let name = (found[root].number > 16_000 ? "A" : "Z") + found[root].name.uppercased()
      guard tables[name]?.contains("Z_ENT") == true else { continue }
      let known = try counts[name] ?? rowsByEntity(connection, name)
      counts[name] = known
      found[index].table = name
      found[index].count = known[found[index].number] ?? 0
    }
    return found
  }

  /// `Z_ENT` → number of rows.
  private static func rowsByEntity(_ connection: Connection, _ table: String) throws -> [Int: Int] {
    var counts: [Int: Int] = [:]
    let rows = try Statement(connection, "SELECT Z_ENT, count(*) FROM \(SQLText.identifier(table)) GROUP BY 1")
    while try rows.step() { counts[Int(rows.int64(at: 0))] = Int(rows.int64(at: 1)) }
    return counts
  }
}
