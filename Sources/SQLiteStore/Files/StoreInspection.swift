import SQLite
import StoreInterface

/// What a store says of itself, read without a model.
public struct StoreInspection: Sendable {
  /// An entity as `Z_PRIMARYKEY` lists it.
  public struct EntityRow: Sendable, Hashable {
    /// `Z_ENT`.
    public var number: Int
    /// The entity's name.
    public var name: String
    /// `Z_ENT` of the parent, 0 for none.
    public var parent: Int
    /// `Z_MAX`: the last primary key given out; counts for root entities only.
    public var lastPrimaryKey: Int
    /// Rows of this very entity, sub-entities not included; nil when its table was not found.
    public var count: Int?
  }
  /// The metadata as stored.
  public var metadata: StoreMetadata
  /// The entities with their numbers and rows.
  public var entities: [EntityRow]
  /// Whether the store has the tables of persistent history.
  public var hasHistory: Bool
  /// Bytes of `Z_MODELCACHE`, 0 when there is no cached model.
  public var modelCacheBytes: Int
  /// SQLite's journal mode.
  public var journalMode: String
  /// Bytes per page.
  public var pageSize: Int
  /// Number of pages.
  public var pageCount: Int

  /// More than any model has: what goes beyond is a forged file.
  private static let maximumEntityCount = 10_000
  private static let maximumDepth = 1_000

  /// Reads a store; it and its sidecars are not changed.
  /// - Throws: `StoreError.notAStore` when the file is none.
  public static func read(path: String) throws -> StoreInspection {
    try PrivateView.withConnection(to: path) { connection in
      do {
        var inspection = try StoreInspection(connection)
        // A store without sidecars is opened as immutable, and then SQLite does not tell; the header's byte 18 does.
        let header = try FileSystem.header(path)
        if header.count > 19 && header[18] == 2 { inspection.journalMode = "wal" }
        return inspection
      } catch let error as SQLiteError {
        throw StoreError(error, path: path)
      }
    }
  }

  private init(_ connection: Connection) throws {
    metadata = try StoreMetadata(connection)
    let schema = SchemaGuard(connection: connection)
    try schema.require(
      "Z_PRIMARYKEY", columns: ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"], path: connection.path)
    var found: [EntityRow] = []
    let rows = try Statement(
      connection,
      """
      SELECT Z_ENT, IFNULL(substr(Z_NAME, 1, 1000), ''), IFNULL(Z_SUPER, 0), IFNULL(Z_MAX, 0) FROM Z_PRIMARYKEY
      ORDER BY 1 LIMIT \(StoreInspection.maximumEntityCount + 1)
      """)
    while try rows.step() {
      found.append(
        EntityRow(
          number: Int(rows.int64(at: 0)), name: rows.string(at: 1) ?? "", parent: Int(rows.int64(at: 2)),
          lastPrimaryKey: Int(rows.int64(at: 3))))
    }
    guard found.count <= StoreInspection.maximumEntityCount else {
      throw StoreError.notAStore(
        path: connection.path, message: "Z_PRIMARYKEY lists more than \(StoreInspection.maximumEntityCount) entities")
    }
    let indexByNumber = Dictionary(
      found.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
    var tables: [String: Bool] = [:]
    for index in found.indices {
      // Rows are in the table of the topmost ancestor; ancillary entities' tables begin with A.
      var root = found[index]
      var steps = 0
      while root.parent != 0, steps < StoreInspection.maximumDepth, let parent = indexByNumber[root.parent] {
        root = found[parent]
        steps += 1
      }
      guard steps < StoreInspection.maximumDepth else {
        throw StoreError.notAStore(
          path: connection.path, message: "the entities of Z_PRIMARYKEY have parents in a circle")
      }
      let name = (root.number > 16_000 ? "A" : "Z") + root.name.uppercased()
      if tables[name] == nil {
        if case .ordinary(let columns) = try schema.table(name) { tables[name] = columns.contains("Z_ENT") }
      }
      guard tables[name] == true else { continue }
      found[index].count = Int(
        try connection.integer(
          "SELECT count(*) FROM \(SchemaGuard.quoted(name)) WHERE Z_ENT = \(found[index].number)") ?? 0)
    }
    entities = found
    if case .ordinary = try schema.table("ACHANGE") { hasHistory = true } else { hasHistory = false }
    var carriesModel = false
    if case .ordinary(let columns) = try schema.table("Z_MODELCACHE") { carriesModel = columns.contains("Z_CONTENT") }
    modelCacheBytes =
      carriesModel
      ? Int(try connection.integer("SELECT IFNULL(sum(length(Z_CONTENT)), 0) FROM Z_MODELCACHE") ?? 0) : 0
    journalMode = try connection.string("PRAGMA journal_mode") ?? ""
    pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
    pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
  }
}
