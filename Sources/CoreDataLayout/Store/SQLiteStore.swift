public import Foundation
public import ObjectModel
import Platform
public import PropertyLists
import SQLite
public import StoreInterface

/// A SQLite file in Core Data's own layout.
///
/// It wires what a store consists of, each with its own state: the file (`StoreFile`), one connection to it
/// (`StoreSession`), which fetches (`StoreReader`) and writes (`StoreWriter`), and what is loaded in bulk
/// (`StoreLoads`). Calls from several threads wait for each other, as one lock guards the connection; readers that
/// `openReader` gives have their own. A transaction that `begin` opened belongs to the store, not to a thread.
public final class SQLiteStore: MonitoredFetching, BatchWriting, MetadataInheriting, MetadataKeeping,
  @unchecked Sendable
{
  /// How a store is created or opened.
  public struct Options: Sendable {
    /// Opening only: refuses every write. The folder may be read-only too when the store has no write-ahead log.
    public var isReadOnly = false
    /// Creating only: the store's UUID; a random one when nil.
    public var uuid: String?
    /// The generation of Core Data whose layout a new store gets; when a store is opened, the one that is assumed where
    /// its metadata state none.
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
    /// Creating only: contents of `Z_MODELCACHE`, a deflated archive of the compiled model, when there is one already;
    /// by default the store's model is archived.
    public var modelCache: [UInt8]?
    /// Creating only: more metadata keys.
    public var metadata: [String: PropertyListValue] = [:]
    /// Opening only, with `isReadOnly`: neither the store nor what lies beside it is changed in any way, as SQLite does
    /// with a log's index, and its folder may be read-only. A store with a log or a journal is read from a copy in a
    /// temporary folder. Others are locked against writers from the first read until the store is closed; a file in WAL
    /// mode without a log cannot be, and `requireUnchanged` tells whether it was written to meanwhile.
    public var leavesSidecarsAlone = false
    /// Opening only: objects that get other members count one version up when `raiseOwnerVersions` ends the import.
    public var raisesOwnersAtEnd = false
    /// Opening only: refuse a store whose version hashes differ from the model's.
    public var checksVersionHashes = true
    /// How long a call waits for another process before it fails with `busy`.
    public var busyTimeoutMilliseconds: Int32 = 5_000
    /// The size of SQLite's page cache, in KiB.
    public var cacheKibibytes = 32_768
    /// Author of history transactions; nil: what each context says.
    public var historyAuthor: String?
    /// Name of the context of history transactions; nil: each context's own.
    public var historyContextName: String?
    /// Time stamp of history transactions in seconds since 2001; nil for the clock.
    public var historyTimestamp: Double?
    /// What derived attributes of `now()` get, in seconds since 2001; the clock when nil.
    public var derivationTimestamp: Double?

    /// Options with the default values.
    public init() {}

    /// For reading that changes nothing.
    package static var reading: Options {
      var options = Options()
      options.isReadOnly = true
      options.leavesSidecarsAlone = true
      return options
    }
  }

  /// What the store was created or opened with.
  public let options: Options
  let session: StoreSession
  let reader: StoreReader
  /// Connections for reading beside the store's own.
  let pool: ReaderPool
  let writer: StoreWriter
  let loads: StoreLoads
  let watches = StoreChangeWatches()

  var file: StoreFile { session.file }
  var connection: Connection { session.connection }

  /// Path of the main file.
  public var path: String { file.path }
  /// The model that the store was created or opened with.
  public var model: ManagedObjectModel { file.model }
  /// The type that opens SQLite stores.
  public var type: any PersistentStoreType { SQLitePersistentStoreType() }
  /// The tables and columns in which the model's entities and properties lie.
  public var layout: StoreLayout { file.layout }
  /// The path as a URL.
  public var url: URL? { URL(filePath: path) }
  /// Whether every write is refused.
  public var isReadOnly: Bool { options.isReadOnly }
  /// The store's UUID.
  public var identifier: String { file.identifier }
  /// The metadata as it is stored.
  public var metadata: StoreMetadata { file.metadata }
  /// What ids have in common, by `Entity.index`.
  package var idSpaces: ObjectID.Spaces { file.idSpaces }
  /// Whether indexes and triggers are still to be built.
  public var hasDeferredIndexes: Bool { writer.hasDeferredIndexes }
  /// Triggers in the file that do not belong to Core Data. They are never run here; an app that opens the store runs
  /// them.
  public var foreignTriggers: [ForeignTrigger] { writer.foreignTriggers }

  private init(_ session: StoreSession, _ options: Options, hasDeferredIndexes: Bool) throws {
    self.options = options
    self.session = session
    reader = try StoreReader(session)
    pool = ReaderPool(beside: session)
    writer = try StoreWriter(session, options.writing, hasDeferredIndexes: hasDeferredIndexes)
    loads = StoreLoads(writer)
  }

  // MARK: - Creating and opening

  /// Creates a store with its tables.
  /// - Throws: `StoreError.cannotCreate` when the file exists or cannot be made.
  public static func create(path: String, model: ManagedObjectModel, options: Options = Options()) throws -> SQLiteStore
  {
    guard !FileSystem.exists(path) else {
      throw StoreError.cannotCreate(path: path, message: "the file exists already")
    }
    // A stale log beside a new file would be replayed into it.
    for sidecar in Sidecar.allCases { try StoreFiles.remove(sidecar.path(of: path)) }
    var metadata = StoreMetadata(
      model: model, uuid: options.uuid?.uppercased() ?? UUID().uuidString, generation: options.generation)
    metadata.values.merge(options.metadata) { _, added in added }
    let file = StoreFile(
      path: path, model: model, layout: StoreLayout(model: model, generation: options.generation), metadata: metadata,
      isCreator: true)
    do {
      let connection = try Connection(
        path: path, options: .init(createsFile: true, busyTimeoutMilliseconds: options.busyTimeoutMilliseconds))
      if options.isUnderConstruction {
        // The first page is written by what follows, and need not be forced to disk four times.
        try connection.execute("PRAGMA synchronous = OFF")
        _ = try connection.string("PRAGMA journal_mode = MEMORY")
      }
      try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA encoding = 'UTF-8'")
      let session = try StoreSession(file, connection, options.connecting)
      _ = try connection.string("PRAGMA journal_mode = " + (options.isUnderConstruction ? "MEMORY" : "WAL"))
      try connection.atomically(mapping: { $0 as any Error }) { try createSchema(file, connection, options) }
      let store = try SQLiteStore(session, options, hasDeferredIndexes: options.defersIndexes)
      if !options.defersIndexes { try store.writer.maintainDerivedData() }
      store.beginCounting()
      return store
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  private static func createSchema(_ file: StoreFile, _ connection: Connection, _ options: Options) throws {
    let layout = file.layout
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
      try HistoryWriter.createTables(connection, model: file.model)
    }
    try file.metadata.write(to: connection)
    if layout.generation.hasModelCache, let modelCache = try options.modelCache ?? ModelCache.content(of: file.model) {
      let statement = try Statement(connection, "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?1)")
      try statement.bind(1, blob: modelCache)
      try statement.run()
    }
  }

  /// Opens a store that exists, one that Apple's framework made included.
  /// - Throws: `StoreError.incompatibleModel` when its version hashes are not the model's, `StoreError.notAStore` when
  ///   the file is no store or lacks a table or column.
  public static func open(path: String, model: ManagedObjectModel, options: Options = Options()) throws -> SQLiteStore {
    let session = try StoreSession.open(
      path: path, model: model, generation: options.generation, checksVersionHashes: options.checksVersionHashes,
      options: options.connecting)
    return try session.perform {
      // A file that is about to be imported into is checked wholly.
      if options.isUnderConstruction, let problem = try options.pageCheck(session).problem() {
        throw StoreError.notAStore(path: path, message: problem)
      }
      do { try session.checkSchema() } catch {
        try session.requireUnchangedFile()
        throw error
      }
      // The limit for work that the file itself causes ends here: what follows is requested work, and foreign triggers
      // do not run.
      if !options.isReadOnly { try session.connection.limitWork(toSteps: nil) }
      let store = try SQLiteStore(session, options, hasDeferredIndexes: false)
      defer { store.beginCounting() }
      if options.isReadOnly { return store }
      try store.writer.maintainDerivedData()
      if options.raisesOwnersAtEnd { try store.loads.importWatch.begin() }
      return store
    }
  }

  /// To be called when all is read of a store that was opened with `leavesSidecarsAlone`, before the result counts.
  /// - Throws: `StoreError.busy` where another process changed the file meanwhile, and no lock could keep it from that.
  public func requireUnchanged() throws { try session.requireUnchangedFile() }

  /// Reads, and refuses what was read, or the error of it, where the file was changed meanwhile.
  /// - Throws: `StoreError.busy` then; otherwise what the body throws.
  package func requiringUnchanged<Result>(_ body: () throws -> Result) throws -> Result {
    let result = Swift.Result { try body() }
    try requireUnchanged()
    return try result.get()
  }

  // MARK: - Plumbing

  /// Runs `body` alone, with SQLite's errors as the store's. SQLite sees the rows of a page load when it is finished.
  func perform<Result>(_ body: () throws -> Result) throws -> Result {
    try session.locked {
      try loads.endPageLoad()
      return try session.perform(body)
    }
  }

  /// Reads what is there now, what the transaction under way has written included.
  func reading<Result>(_ body: (StoreReader) throws -> Result) throws -> Result {
    try perform {
      try writer.writePendingBeforeReading()
      return try body(reader)
    }
  }

  /// Writes through SQLite.
  func writing<Result>(_ body: (StoreWriter) throws -> Result) throws -> Result {
    try perform { try body(writer) }
  }

  /// Replaces metadata keys; nil removes one.
  /// - Parameter identifier: the store's new UUID; nil: it keeps the one that it has.
  public func setMetadata(_ changes: [String: PropertyListValue?], identifier: String? = nil) throws {
    try writing { try $0.setMetadata(changes, identifier: identifier) }
  }

  /// What `Z_METADATA` says, with the UUID.
  public var metadataValues: [String: any Sendable] { metadata.plainValues }

  /// Replaces the entries of programs in `Z_METADATA`; see `MetadataKeeping`.
  public func replaceMetadata(with values: [String: Any]) throws {
    try writing { try $0.replaceMetadata(with: values) }
  }

  /// Takes what a program has put into another store's metadata.
  package func inheritMetadata(ofStoreAt url: URL) throws {
    let values = try StoreMetadata.read(path: url.path).values
    let own = values.filter { !StoreMetadata.coreDataKeys.contains($0.key) }
    if !own.isEmpty { try setMetadata(own.mapValues { .some($0) }) }
  }

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
    watches.cancel()
    try pool.close()
    try session.perform {
      loads.end()
      writer.removeUnnamedFiles()
      if keepsLog {
        try connection.set(.noCheckpointOnClose, true)
        try connection.setKeepsWriteAheadLog(true)
      }
      writer.end()
      try session.close()
    }
  }
}

extension SQLiteStore.Options {
  /// The options of the connection.
  fileprivate var connecting: StoreSession.Options {
    StoreSession.Options(
      isReadOnly: isReadOnly, leavesSidecarsAlone: leavesSidecarsAlone,
      keepsSnapshot: isReadOnly && leavesSidecarsAlone, isUnderConstruction: isUnderConstruction,
      forcesCommitsToDisk: forcesCommitsToDisk, busyTimeoutMilliseconds: busyTimeoutMilliseconds,
      cacheKibibytes: cacheKibibytes)
  }

  /// The options of the writer.
  fileprivate var writing: StoreWriter.Options {
    StoreWriter.Options(
      isUnderConstruction: isUnderConstruction, raisesOwnersAtEnd: raisesOwnersAtEnd,
      derivationTimestamp: derivationTimestamp,
      origin: HistoryWriter.Origin(
        author: historyAuthor, contextName: historyContextName, program: isUnderConstruction ? "seedbed" : nil,
        timestamp: historyTimestamp))
  }

  /// How the pages of a file are checked.
  func pageCheck(_ session: StoreSession) -> PageCheck {
    PageCheck(
      connection: session.connection, path: session.file.path,
      isMadeHere: isUnderConstruction && (session.file.isCreator || wasSealedHere))
  }
}
