import Foundation
import ObjectModel
import Platform
import SQLite
import StoreInterface

extension StoreSession {
  /// Opens a store that exists, and finds out what it is. Its schema is still to be checked.
  /// - Parameters:
  ///   - generation: assumed where the metadata do not say one.
  ///   - checksVersionHashes: whether a store whose version hashes differ from the model's is refused.
  /// - Throws: `StoreError.incompatibleModel`, `.notAStore` when the file is no store.
  static func open(
    path: String, model: ManagedObjectModel, generation: FrameworkGeneration, checksVersionHashes: Bool,
    options: Options
  ) throws -> StoreSession {
    try StoreFiles.requireFile(path)
    do {
      if try !options.isReadOnly && StoreFiles.hasLog(path) { try requireOwnLog(path) }
      let isCopied = try options.isReadOnly && options.leavesSidecarsAlone && StoreFiles.hasLog(path)
      let copy = isCopied ? try PrivateCopy(of: path) : nil
      func open() throws -> StoreSession {
        let stamp = try StoreFiles.stamp(path)
        let connection = try connect(path: path, copy, options, mayBeImmutable: true)
        do {
          let metadata = try StoreMetadata(connection)
          if try !StoreFiles.hasLog(path) { try StoreFiles.requireWholePages(path, connection) }
          if checksVersionHashes { try metadata.check(against: model) }
          let generation = metadata.frameworkVersion.map { FrameworkGeneration(version: $0) } ?? generation
          let file = StoreFile(
            path: path, model: model, layout: StoreLayout(model: model, generation: generation), metadata: metadata,
            isCreator: false)
          let session = try StoreSession(file, connection, options, privateCopy: copy)
          if connection.isImmutable { session.immutableFile = stamp }
          return session
        } catch {
          if connection.isImmutable, try StoreFiles.stamp(path) != stamp { throw StoreError.busy(path: path) }
          throw error
        }
      }
      return try copy?.naming(open) ?? open()
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// Looks at a store with a log or journal before it is opened for writing, when SQLite would move that into the file
  /// for good: one of another database would destroy the store.
  /// - Throws: `StoreError.notAStore` where the file is no store with what lies beside it.
  private static func requireOwnLog(_ path: String) throws {
    do {
      // It changes nothing but the log's index. Where it would have to wait, the file is in use, and so is its log.
      let connection = try Connection(path: path, options: .init(isReadOnly: true, busyTimeoutMilliseconds: 0))
      try connection.limit(forFileOf: try StoreFiles.byteCount(path))
      let isUnfinished: Bool
      do throws(SQLiteError) {
        _ = try connection.integer("SELECT count(*) FROM sqlite_master")
        isUnfinished = false
      } catch {
        guard error.isUnfinishedWrite else { throw StoreError(error, path: path) }
        isUnfinished = true
      }
      // Beside a journal that is to be rolled back, only a connection that may write can read.
      _ = try isUnfinished ? StoreMetadata.read(path: path) : StoreMetadata(connection)
    } catch let error as StoreError {
      // What else may go wrong shows again in what follows.
      if case .notAStore = error { throw error }
    } catch is SQLiteError {}
  }

  /// Refuses what was read of a file that another process changed meanwhile, where no lock could keep it from that.
  /// - Throws: `StoreError.busy`.
  func requireUnchangedFile() throws {
    guard let immutableFile, try StoreFiles.stamp(file.path) != immutableFile else { return }
    throw StoreError.busy(path: file.path)
  }

  /// Opens another connection to the file of a session, for reading: until it is closed, it sees the store as it is
  /// now.
  /// - Throws: `StoreError.failure` when another file has taken the place of the store.
  static func openReading(beside other: StoreSession) throws -> StoreSession {
    let file = other.file
    var options = other.options
    options.isReadOnly = true
    options.keepsSnapshot = true
    let copy = other.privateCopy
    func open() throws -> StoreSession {
      // Where the other session may write, the file does not stay as it is.
      let connection = try connect(path: file.path, copy, options, mayBeImmutable: other.options.isReadOnly)
      let session = try StoreSession(file, connection, options, privateCopy: copy)
      try session.requireSameStore()
      try session.checkSchema()
      try session.noteFile()
      // The other session has looked at the file's schema already; a fetch may take any time.
      if !other.options.isReadOnly { try session.connection.limitWork(toSteps: nil) }
      // From here on its work is counted as the store's.
      session.connection.observe(counter: other.connection.counter)
      return session
    }
    do {
      return try copy?.naming(open) ?? open()
    } catch let error as SQLiteError {
      throw StoreError(error, path: file.path)
    }
  }

  /// Checks that every table and column of the layout is there and is what it should be.
  /// - Throws: `StoreError.notAStore`.
  func checkSchema() throws {
    if let problem = try SchemaGuard(connection: connection).findings(file.layout).first {
      throw StoreError.notAStore(path: file.path, message: problem.message)
    }
  }

  /// Connects without compiling the file's triggers, which are not known yet, and with a limit for the work that the
  /// file itself may cause.
  private static func connect(
    path: String, _ copy: PrivateCopy?, _ options: Options, mayBeImmutable: Bool
  ) throws -> Connection {
    let connection =
      try copy.map { try Connection(path: $0.path) } ?? connect(path: path, options, mayBeImmutable: mayBeImmutable)
    try connection.set(.triggers, false)
    try connection.limitWork(forFileOf: try StoreFiles.byteCount(path), per: .step)
    return connection
  }

  /// A store in WAL mode that no process has open is opened as immutable where its sidecars must not or cannot be made:
  /// SQLite would make them, and a reader leaves them behind. No lock keeps others from changing the file then. A store
  /// in another journal mode is never opened so: readers only lock it.
  private static func connect(path: String, _ options: Options, mayBeImmutable: Bool) throws -> Connection {
    let hasLog = try StoreFiles.hasLog(path)
    var isImmutable = false
    if options.isReadOnly && mayBeImmutable && !hasLog {
      let isAlone = Sidecar.allCases.allSatisfy { !FileSystem.exists(StoreFiles.sidecar($0, of: path)) }
      isImmutable =
        try StoreFiles.isWriteAheadLogged(path: path)
        && (options.leavesSidecarsAlone || isAlone
          || !FileManager.default.isWritableFile(atPath: FileSystem.parent(path)))
    }
    return try Connection(
      path: path,
      options: .init(
        isReadOnly: options.isReadOnly, isImmutable: isImmutable,
        busyTimeoutMilliseconds: options.busyTimeoutMilliseconds))
  }
}
