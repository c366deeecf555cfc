public import Foundation
public import ObjectModel
import Platform
import Predicates
public import PropertyLists
import SQLite
public import StoreInterface

/// A SQLite file in Core Data's own layout.
///
/// One lock guards one connection; calls from several threads wait for each other. A transaction that `begin` opened
/// belongs to the store, not to a thread.
public final class SQLiteStore: PersistentStore, @unchecked Sendable {
  /// How a store is created or opened.
  public struct Options: Sendable {
    /// Opening only: refuses every write. The folder may be read-only too when the store has no write-ahead log.
    public var isReadOnly = false
    /// Creating only: the store's UUID; a random one when nil.
    public var uuid: String?
    /// Creating only: the generation of Core Data whose layout the store gets.
    public var generation = FrameworkGeneration.newest
    /// Creating only: indexes and triggers wait for `buildDeferredIndexes`, which `seal` calls at the latest.
    public var defersIndexes = false
    /// The file is thrown away if the program dies before `seal`: the rollback journal stays in memory and nothing is
    /// forced to disk.
    public var isUnderConstruction = false
    /// Opening only, of a store that is under construction again: it was sealed by this program, so its indexes are not
    /// compared with its rows value by value. Every page is checked all the same.
    public var wasSealedHere = false
    /// Every commit is forced to disk, also in WAL mode, where otherwise only checkpoints are.
    public var forcesCommitsToDisk = false
    /// Creating only: makes the tables of persistent history, so that every change is recorded.
    public var tracksHistory = false
    /// Creating only: contents of `Z_MODELCACHE`, a deflated archive of the compiled model.
    public var modelCache: [UInt8]?
    /// Creating only: more metadata keys.
    public var metadata: [String: PropertyListValue] = [:]
    /// Opening only, with `isReadOnly`: neither the store nor what lies beside it is changed in any way, as SQLite does with
    /// a log's index, and its folder may be read-only. A store with a log or a journal is read from a copy in a temporary
    /// folder; others must not be written to meanwhile.
    public var leavesSidecarsAlone = false
    /// Opening only: objects that get other members count one version up when `settleOwners` ends the import.
    public var raisesOwnersAtEnd = false
    /// Opening only: refuse a store whose version hashes differ from the model's.
    public var checksVersionHashes = true
    /// How long a call waits for another process before it fails with `busy`.
    public var busyTimeoutMilliseconds: Int32 = 5_000
    /// SQLite's page cache.
    public var cacheKibibytes = 32_768
    /// Author of history transactions.
    public var historyAuthor: String?
    /// Name of the context of history transactions.
    public var historyContextName: String?
    /// Time stamp of history transactions in seconds since 2001. When nil the clock; in a store under construction,
    /// into which no clock enters, one millisecond after the last transaction there.
    public var historyTimestamp: Double?
    /// What derived attributes of `now()` get, in seconds since 2001; the clock when nil.
    public var derivationTimestamp: Double?

    /// The defaults.
    public init() {}
  }

  /// Path of the main file.
  public let path: String
  /// The model that the store was created or opened with.
  public let model: ManagedObjectModel
  /// Where everything lies.
  public let layout: StoreLayout
  /// What the store was created or opened with.
  public let options: Options
  /// The path as a URL.
  public var url: URL? { URL(filePath: path) }
  /// Whether every write is refused.
  public var isReadOnly: Bool { options.isReadOnly }
  /// The store's UUID.
  public var identifier: String { locked { storedMetadata.uuid } }
  /// The metadata as it is stored.
  public var metadata: StoreMetadata { locked { storedMetadata } }
  /// Whether indexes and triggers are still to be built.
  public internal(set) var hasDeferredIndexes = false

  private let lock = NSRecursiveLock()
  let connection: Connection
  var storedMetadata: StoreMetadata
  var statements: [String: Statement] = [:]
  var plans: [RowPlan.Key: RowPlan] = [:]
  /// What ids have in common, by `Entity.index`. The identifier of a store never changes.
  package let idHomes: ObjectID.Homes
  /// The SELECTs of requests for objects by shape.
  var fetchTexts: [FetchShape.Key: String] = [:]
  /// By model index of the fetched entity.
  var snapshotReaders: [Int: SnapshotReader] = [:]
  /// Order-key columns with rows that have none yet.
  var pendingOrderKeys: [Relationship: MissingOrderKeys] = [:]
  /// The last primary key in use when the store was opened, by model index of the root entity.
  private(set) var lastKeysAtOpening: [Int: Int64] = [:]
  /// Follows what an import into a store that was there changes.
  private(set) var rowWatch: RowWatch?
  var history: HistoryWriter?
  /// Rows that are being written as finished pages.
  var pageLoad: PageLoad? { didSet { if pageLoad != nil { hasLoadedPages = true } } }
  /// Whether rows were ever written so.
  private(set) var hasLoadedPages = false
  /// Whether the transaction that is open is none, as rows were being loaded when it began.
  var isTransactionVoid = false
  /// Whether everything since `beginWhole` is one transaction, of which those of single calls are parts.
  var isWhole = false
  /// Whether such a part is open.
  var isPartOpen = false
  /// Rows changed when it began.
  var changesBefore: Int64 = 0
  /// Keeps derived attributes and R-trees; nil when the store has none, or while indexes are deferred.
  private(set) var maintainer: DerivedDataMaintainer?
  /// Triggers in the file that are none of Core Data's. They are never run here, though an app that opens the store does.
  public private(set) var foreignTriggers: [ForeignTrigger] = []
  /// Notes whose members an import changes; nil in a store that is new, and where nobody imports.
  var ownerLedger: OwnerLedger?
  /// What is read in place of the store.
  private var privateCopy: PrivateCopy?
  /// Who follows the fetch that is running.
  var monitor: FetchMonitor?
  let externalData: ExternalDataFolder
  /// Whether this object made the file, so that nobody else can have it open.
  let isCreator: Bool

  private init(
    path: String, model: ManagedObjectModel, layout: StoreLayout, options: Options, connection: Connection,
    metadata: StoreMetadata, isCreator: Bool
  ) {
    self.path = path
    self.model = model
    self.layout = layout
    self.options = options
    self.connection = connection
    self.storedMetadata = metadata
    idHomes = model.idHomes(store: metadata.uuid)
    self.externalData = ExternalDataFolder(storePath: path)
    self.isCreator = isCreator
  }

  // MARK: creating and opening

  /// Creates a store with its tables.
  /// - Throws: `StoreError.cannotCreate` when the file exists or cannot be made.
  public static func create(path: String, model: ManagedObjectModel, options: Options = Options()) throws -> SQLiteStore
  {
    guard !FileSystem.exists(path) else {
      throw StoreError.cannotCreate(path: path, message: "the file exists already")
    }
    // A stale log beside a new file would be replayed into it.
    for suffix in ReadOnlyCopy.sidecarSuffixes { try StoreFiles.remove(path + suffix) }
    let layout = StoreLayout(model: model, generation: options.generation)
    var metadata = StoreMetadata(
      model: model, uuid: options.uuid?.uppercased() ?? UUID().uuidString, generation: options.generation)
    metadata.values.merge(options.metadata) { _, added in added }
    do {
      let connection = try Connection(
        path: path, options: .init(createsFile: true, busyTimeoutMilliseconds: options.busyTimeoutMilliseconds))
      try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA encoding = 'UTF-8'")
      let store = SQLiteStore(
        path: path, model: model, layout: layout, options: options, connection: connection, metadata: metadata,
        isCreator: true)
      store.hasDeferredIndexes = options.defersIndexes
      try store.configure()
      _ = try connection.string("PRAGMA journal_mode = " + (options.isUnderConstruction ? "MEMORY" : "WAL"))
      try connection.atomically(mapping: { $0 as any Error }) { try store.createSchema() }
      try store.openHistory()
      if !options.defersIndexes { try store.beginUpkeep() }
      return store
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// Opens a store that exists, one that Apple's framework made included.
  /// - Throws: `StoreError.incompatibleModel` when its version hashes are not the model's, `StoreError.notAStore` when
  ///   the file is no store or lacks a table or column.
  public static func open(path: String, model: ManagedObjectModel, options: Options = Options()) throws -> SQLiteStore {
    try StoreFiles.requireFile(path)
    do {
      let isCopied = try options.isReadOnly && options.leavesSidecarsAlone && ReadOnlyCopy.hasLog(path)
      guard isCopied else { return try open(openConnection(path: path, options: options), path, model, options) }
      let copy = try PrivateCopy(of: path)
      return try copy.naming {
        let store = try open(Connection(path: copy.path), path, model, options)
        store.privateCopy = copy
        return store
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  private static func open(
    _ connection: Connection, _ path: String, _ model: ManagedObjectModel, _ options: Options
  ) throws -> SQLiteStore {
    // Until they are known, triggers are not even compiled.
    try connection.set(.triggers, false)
    try connection.limitWork(toSteps: 50_000_000 + 2_000 * Int64(try ReadOnlyCopy.byteCount(path)), per: .step)
    let metadata = try StoreMetadata(connection)
    if options.checksVersionHashes { try metadata.check(against: model) }
    let generation = metadata.frameworkVersion.map { FrameworkGeneration(version: $0) } ?? options.generation
    let store = SQLiteStore(
      path: path, model: model, layout: StoreLayout(model: model, generation: generation), options: options,
      connection: connection, metadata: metadata, isCreator: false)
    try store.configure()
    try store.checkSchema()
    try store.openHistory()
    for table in store.layout.tables {
      store.lastKeysAtOpening[table.root.index] = try store.lastPrimaryKey(of: table.root)
    }
    if !options.isReadOnly { try store.beginUpkeep() }
    if options.raisesOwnersAtEnd && !options.isReadOnly {
      store.ownerLedger = try OwnerLedger(store, lastKeys: store.lastKeysAtOpening)
      try store.watchRows()
    }
    return store
  }

  /// A read-only store in a read-only folder can only be opened as immutable, and only when no log holds rows. So is a
  /// store in WAL mode that nobody has open: SQLite would make sidecars for it, and a reader leaves them behind.
  private static func openConnection(path: String, options: Options) throws -> Connection {
    let hasLog = try ["-wal", "-journal"].contains { try (StoreFiles.stamp(path + $0)?.size ?? 0) > 0 }
    var isImmutable = false
    if options.isReadOnly && !hasLog {
      let header = try StoreFiles.header(path)
      let isAlone = ReadOnlyCopy.sidecarSuffixes.allSatisfy { !FileSystem.exists(path + $0) }
      isImmutable =
        options.leavesSidecarsAlone || !FileManager.default.isWritableFile(atPath: FileSystem.parent(path))
        || (isAlone && header.count > 19 && header[18] == 2)
    }
    return try Connection(
      path: path,
      options: .init(
        isReadOnly: options.isReadOnly, isImmutable: isImmutable,
        busyTimeoutMilliseconds: options.busyTimeoutMilliseconds))
  }

  private func configure() throws {
    // Sorting for an index goes through temporary files: in memory it would take as much as the index.
    try connection.execute("PRAGMA cache_size = -\(options.cacheKibibytes); PRAGMA temp_store = FILE")
    if options.isUnderConstruction && !options.isReadOnly {
      try connection.execute("PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
      _ = try connection.string("PRAGMA journal_mode = MEMORY")
    } else {
      try connection.execute("PRAGMA synchronous = " + (options.forcesCommitsToDisk ? "FULL" : "NORMAL"))
    }
    try SQLiteStore.registerTriggerFunctions(on: connection)
    try FetchFunctions.register(on: connection)
  }

  private func createSchema() throws {
    for statement in layout.tableStatements { try connection.execute(statement) }
    if !options.defersIndexes {
      for index in layout.indexes { try connection.execute(index.createStatement) }
      for statement in layout.triggerStatements { try connection.execute(statement) }
    }
    for statement in layout.bookkeepingStatements { try connection.execute(statement) }
    let insert = try Statement(
      connection, "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, 0)")
    for entity in layout.entitiesByNumber {
      try insert.bind(1, Int64(layout.number(of: entity)))
      try insert.bind(2, entity.name)
      try insert.bind(3, Int64(entity.superentity.map { layout.number(of: $0) } ?? 0))
      try insert.run()
    }
    if options.tracksHistory {
      guard layout.generation.hasKnownHistoryTables else {
        throw StoreError.unsupported(
          "the history tables of framework \(layout.generation.version) are not known; 969 is the first whose are")
      }
      try HistoryWriter.createTables(connection, model: model)
    }
    try storedMetadata.write(to: connection)
    if let modelCache = options.modelCache, layout.generation.hasModelCache {
      let statement = try Statement(connection, "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?1)")
      try statement.bind(1, blob: modelCache)
      try statement.run()
    }
  }

  /// Every table and column of the layout must be there and be what it should be; more may be. A file that is about
  /// to be imported into is checked wholly.
  private func checkSchema() throws {
    let schema = SchemaGuard(connection: connection)
    if options.isUnderConstruction, let problem = try integrityProblem() {
      throw StoreError.notAStore(path: path, message: problem)
    }
    if let problem = try schema.findings(layout).first {
      throw StoreError.notAStore(path: path, message: problem.message)
    }
    if options.isReadOnly { return }
    // What the file itself may cost was bounded; what follows is the work that was asked for, and triggers that are none
    // of Core Data's do not run.
    try connection.limitWork(toSteps: nil)
  }

  private func watchRows() throws {
    var lastRows: [String: Int64] = [:]
    for table in layout.tables { lastRows[table.name] = lastKeysAtOpening[table.root.index] ?? 0 }
    let watch = RowWatch(lastRows: lastRows, ignored: HistoryWriter.tables.union(["Z_PRIMARYKEY"]))
    try connection.setWatch(watch)
    rowWatch = watch
  }

  private func openHistory() throws {
    let hasTables = try connection.integer(
      "SELECT count(*) FROM sqlite_master WHERE name IN ('ACHANGE', 'ATRANSACTION')")
    if hasTables == 2 { history = HistoryWriter(self) }
  }

  /// Whether a row with this key is older than this opening of the store.
  func wasThere(_ key: Int64, in entity: Entity) -> Bool { key <= lastKeysAtOpening[entity.root.index] ?? 0 }

  /// From here on derived attributes and R-trees follow every change.
  ///
  /// Triggers whose texts are those that Core Data writes run; for those of R-trees the schema has to be trusted. One
  /// other trigger on a table that is written to, and none runs, as SQLite has no finer switch: `DerivedDataMaintainer` does the work of
  /// the known ones then. Its own triggers are temporary ones, which the switch leaves on.
  func beginUpkeep() throws {
    let schema = SchemaGuard(connection: connection)
    foreignTriggers = try schema.foreignTriggers(layout)
    let trees = try RTree.all(in: connection, layout)
    try connection.set(.triggers, foreignTriggers.isEmpty)
    let texts = foreignTriggers.isEmpty ? try schema.triggerTexts() : []
    try connection.set(.trustedSchema, trees.contains { !texts.isDisjoint(with: $0.triggerStatements) })
    maintainer = try DerivedDataMaintainer(self, triggers: texts)
  }

  func stopMaintainingDerivedData() { maintainer = nil }

  // MARK: plumbing

  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  /// Runs `body` alone, with SQLite's errors as the store's.
  func perform<Result>(_ body: () throws -> Result) throws -> Result {
    try locked {
      // SQLite sees the rows of a page load when it is finished.
      if pageLoad != nil { try endPageLoad() }
      do {
        return try privateCopy?.naming(body) ?? body()
      } catch let error as SQLiteError { throw storeError(error) }
    }
  }

  /// A prepared statement, from the cache when it was prepared before.
  func cached(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    if statements.count >= 256 { statements.removeAll() }
    let statement = try Statement(connection, sql, isPersistent: true)
    statements[sql] = statement
    return statement
  }

  /// Replaces metadata keys; nil removes one.
  /// - Parameter identifier: the store's new UUID; nil: it keeps the one that it has.
  public func setMetadata(_ changes: [String: PropertyListValue?], identifier: String? = nil) throws {
    try performAtomically {
      var changed = storedMetadata
      if let identifier { changed.uuid = identifier.uppercased() }
      for (key, value) in changes { changed.values[key] = value }
      if changed == storedMetadata { return }
      try changed.write(to: connection)
      storedMetadata = changed
    }
  }

  /// Makes a running statement of another thread fail.
  public func interrupt() { connection.interrupt() }

  /// Moves everything that is committed from the write-ahead log into the main file.
  /// - Throws: `StoreError.busy` when another connection still reads the log.
  public func checkpoint() throws {
    _ = try perform { try connection.checkpoint(.truncate) }
  }

  /// Closes the file without sealing it. Every call after that fails; closing again does nothing.
  public func close() throws { try close(keepsLog: false) }

  /// Closes the file without sealing it.
  /// - Parameter keepsLog: leaves `-wal` and `-shm` with the rows that are only there, as an app that is stopped does,
  ///   instead of moving them into the main file.
  public func close(keepsLog: Bool) throws {
    // Half a load is thrown away with the store.
    locked { pageLoad = nil }
    try perform {
      if keepsLog {
        try connection.set(.noCheckpointOnClose, true)
        try connection.setKeepsWriteAheadLog(true)
      }
      statements.removeAll()
      plans.removeAll()
      stopMaintainingDerivedData()
      ownerLedger = nil
      history = nil
      try connection.rollback()
      try connection.close()
      privateCopy = nil
    }
  }
}
