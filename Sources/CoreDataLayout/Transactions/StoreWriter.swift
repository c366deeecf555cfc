import ObjectModel
import SQLite
import StoreInterface

/// Writes to a store through one session: the transaction, and what has to be done before it ends.
///
/// A transaction that `begin` opened belongs to the writer, not to a thread. Other types change the state only by its
/// methods.
package final class StoreWriter {
  /// Settings of a writer.
  struct Options: Sendable {
    /// The file is thrown away if the program dies.
    var isUnderConstruction = false
    /// Objects that get other members count one version up at the end of an import.
    var raisesOwnersAtEnd = false
    /// What derived attributes of `now()` get, in seconds since 2001; the clock when nil.
    var derivationTimestamp: Double?
    /// The origin of history transactions.
    var origin = HistoryWriter.Origin()
  }

  let session: StoreSession
  let options: Options
  /// The last primary key in use when the store was opened, by model index of the root entity; empty for a new store.
  let lastKeysAtOpening: [Int: Int64]
  /// Records changes; nil where the store keeps no history.
  var history: HistoryWriter?
  /// Order-key columns with rows that have none yet.
  var pendingOrderKeys: [Relationship: MissingOrderKeys] = [:]
  /// Whether everything since `beginWhole` is one transaction, of which those of single calls are parts.
  var isWhole = false
  /// Whether the transaction of a single call is open as a part.
  var isPartOpen = false
  /// Whether a transaction has written metadata: then those in memory may be of one that was undone.
  var hasWrittenMetadata = false
  /// The connection's count of changed rows when the whole transaction began.
  var changesBefore: Int64 = 0
  /// Whether indexes and triggers are still to be built.
  var hasDeferredIndexes: Bool
  /// Keeps derived attributes and R-trees; nil when the store has none, or while indexes are deferred.
  var maintainer: DerivedDataMaintainer?
  /// Triggers in the file that do not belong to Core Data. They are never run here; an app that opens the store runs
  /// them.
  var foreignTriggers: [ForeignTrigger] = []
  private var plans: [RowPlan.Key: RowPlan] = [:]
  private var knownRunUpdate: RunUpdate?

  /// - Parameter hasDeferredIndexes: whether the store is new and has no indexes and triggers yet.
  init(_ session: StoreSession, _ options: Options, hasDeferredIndexes: Bool) throws {
    self.session = session
    self.options = options
    self.hasDeferredIndexes = hasDeferredIndexes
    var lastKeys: [Int: Int64] = [:]
    if !session.file.isCreator {
      for table in session.file.layout.tables {
        lastKeys[table.root.index] = try session.lastPrimaryKey(of: table.root)
      }
    }
    lastKeysAtOpening = lastKeys
    let hasHistory = try session.connection.integer(
      "SELECT count(*) FROM sqlite_master WHERE name IN ('ACHANGE', 'ATRANSACTION')")
    if hasHistory == 2 { history = HistoryWriter(session, options.origin) }
  }

  var file: StoreFile { session.file }
  var layout: StoreLayout { session.file.layout }
  var connection: Connection { session.connection }
  var externalData: ExternalDataFolder { session.externalData }
  /// Whether rows come from an import, and not from contexts alone.
  var isImporting: Bool { options.isUnderConstruction || options.raisesOwnersAtEnd }

  /// A prepared statement, from the session's cache.
  func cached(_ sql: String) throws(SQLiteError) -> Statement { try session.cached(sql) }

  /// Whether a row with this key is older than this opening of the store.
  func wasThere(_ key: Int64, in entity: Entity) -> Bool { key <= lastKeysAtOpening[entity.root.index] ?? 0 }

  /// How the columns of a batch go into the entity's table.
  func plan(for batch: RowBatch) throws -> RowPlan {
    guard batch.entity.model === file.model else { throw StoreError.failure("the batch belongs to another model") }
    return try plan(for: RowPlan.Key(entity: batch.entity, columns: batch.columns))
  }

  func plan(for key: RowPlan.Key) throws -> RowPlan {
    if let plan = plans[key] { return plan }
    if plans.count >= 64 { plans.removeAll() }
    let plan = try RowPlan(key, layout: layout)
    plans[key] = plan
    return plan
  }

  /// The writer of runs of rows.
  func runUpdate() throws -> RunUpdate {
    if let knownRunUpdate { return knownRunUpdate }
    let new = try RunUpdate(connection)
    knownRunUpdate = new
    return new
  }

  /// From here on derived attributes and R-trees follow every change.
  ///
  /// Triggers whose texts are those that Core Data writes run; for those of R-trees the schema has to be trusted. One
  /// other trigger on a table that is written to, and none runs, as SQLite has no finer switch: `DerivedDataMaintainer`
  /// does the work of the known ones then. Its own triggers are temporary ones, which the switch leaves on.
  func maintainDerivedData() throws {
    let schema = SchemaGuard(connection: connection)
    foreignTriggers = try schema.foreignTriggers(layout)
    let trees = try RTree.all(in: connection, layout)
    try connection.set(.triggers, foreignTriggers.isEmpty)
    let texts = foreignTriggers.isEmpty ? try schema.triggerTexts() : []
    try connection.set(.trustedSchema, trees.contains { !texts.isDisjoint(with: $0.triggerStatements) })
    maintainer = try DerivedDataMaintainer(
      connection, layout, triggers: texts, timestamp: options.derivationTimestamp)
  }

  /// Releases all statements, before the connection is closed.
  func end() {
    plans.removeAll()
    maintainer = nil
    history = nil
  }
}
