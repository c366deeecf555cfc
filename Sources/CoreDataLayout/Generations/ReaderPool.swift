import StoreInterface
import Synchronization

/// Readers of one store beside its own connection. A reader that is put back keeps its connection and its statements
/// for the next request.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [StoreReader] = []
    /// The open generations, so that they can be closed with the store.
    var generations: [ObjectIdentifier: Weak] = [:]
    var isClosed = false
  }

  private struct Weak {
    weak var generation: SQLiteGeneration?
  }

  private let session: StoreSession
  private let state = Mutex(State())
  /// The most readers that are kept; others are closed when they are put back.
  private static let mostIdle = 4

  /// - Parameter session: the store's own, whose options say how others are opened.
  init(beside session: StoreSession) { self.session = session }

  /// How many connections wait to be used.
  var idleCount: Int { state.withLock { $0.idle.count } }

  /// A reader that sees what is committed now, until it is put back.
  /// - Throws: `StoreError.failure` when another file has taken the place of the store, or the store is closed.
  func checkOut() throws -> StoreReader {
    while let reader = try nextIdle() {
      do {
        if try reader.session.beginSnapshot() { return reader }
      } catch {
        try? reader.close()
        throw error
      }
      // The reader's file is no longer the one at the path.
      try reader.close()
    }
    return try StoreReader(StoreSession.openReading(beside: session))
  }

  private func nextIdle() throws -> StoreReader? {
    try state.withLock { state in
      if state.isClosed { throw StoreError.failure("\(session.file.path): the store was closed") }
      return state.idle.popLast()
    }
  }

  /// Ends what a reader sees, and keeps the reader for the next. One that fails at that is closed.
  func putBack(_ reader: StoreReader) {
    do {
      try reader.session.endSnapshot()
    } catch {
      try? reader.close()
      return
    }
    let isKept = state.withLock { state in
      if state.isClosed || state.idle.count >= Self.mostIdle { return false }
      state.idle.append(reader)
      return true
    }
    if !isKept { try? reader.close() }
  }

  // MARK: - Generations

  /// The store as it is now. Files of external data that rows of it name stay as long as it is open.
  /// - Throws: what `checkOut` throws; `StoreError.unsupported` without a write-ahead log.
  func openGeneration() throws -> SQLiteGeneration {
    if session.options.isUnderConstruction { throw missingLog("is under construction") }
    // Held before anything is read, so that no file is removed that the generation needs.
    session.externalData.ledger.hold()
    do {
      let reader = try checkOut()
      if (try? reader.session.hasWriteAheadLog()) != true {
        putBack(reader)
        throw missingLog("has none")
      }
      let generation = SQLiteGeneration(reader, of: self)
      let isOpen = state.withLock { state in
        if !state.isClosed { state.generations[ObjectIdentifier(generation)] = Weak(generation: generation) }
        return !state.isClosed
      }
      if !isOpen { generation.close() }
      return generation
    } catch {
      session.externalData.ledger.release()
      throw error
    }
  }

  private func missingLog(_ reason: String) -> StoreError {
    .unsupported(
      "query generations take a write-ahead log, and \(session.file.path) \(reason): a reader that stays would keep others from "
        + "writing. \"PRAGMA journal_mode = WAL\" gives the store one, as does \"journal: wal\" in a pipeline file")
  }

  /// Called once for each generation, when it is closed.
  func end(_ generation: SQLiteGeneration, _ reader: StoreReader) {
    _ = state.withLock { $0.generations.removeValue(forKey: ObjectIdentifier(generation)) }
    putBack(reader)
    session.externalData.ledger.release()
  }

  // MARK: - Closing

  /// Closes connections that nothing uses, so that SQLite finds the store's own alone.
  func closeIdle() throws {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for reader in idle { try reader.close() }
  }

  /// Closes all connections, those of open generations too.
  func close() throws {
    let open = state.withLock { state in
      state.isClosed = true
      return state.generations.values.compactMap(\.generation)
    }
    for generation in open { generation.close() }
    try closeIdle()
  }
}
