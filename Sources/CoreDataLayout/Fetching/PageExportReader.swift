import ObjectModel
import Predicates
import SQLite
import SQLitePages
import StoreInterface

/// Streams values at key paths from the pages of a table, for a scan of all its rows in the order of their
/// primary keys: SQLite's machine takes longer to hand over a row than everything else that an export does with it.
///
/// What its unsafe code relies on: a read transaction is open from `init` to `close`, so that no connection changes the
/// file and the mapped bytes stay what they are. `file` is released before the transaction ends and not read
/// afterwards. The cursor writes at most as many rows and bytes as it is told that there is room for; columns of the
/// targets have the storage that the cursor's columns were made with.
@safe final class PageExportReader {
  private let session: StoreSession
  private let plan: ColumnScanPlan
  private let file: FileMapping
  private let mapped: MappedTable
  private let cursor: TableCursor
  /// Whether the read transaction is this reader's own, not that of a session that only reads.
  private let ownsTransaction: Bool
  /// After so many batches the pages that were read are given back.
  private static let batchesPerRelease = 64
  /// Bytes of texts and data after which a batch is full.
  private static let roomPerBatch = 1 << 18

  /// - Returns: nil where the rows have to be read through SQLite: the file has a log or a transaction is open,
  ///   something of the table is not as this program makes it, or values need more than a copy.
  init?(_ session: StoreSession, _ plan: ColumnScanPlan, table: TableLayout) throws {
    let ownsTransaction = !session.connection.isInTransaction
    // Without a transaction of its own, changes may not be in the file yet.
    guard ownsTransaction || session.options.keepsSnapshot, plan.isCopied else { return nil }
    if ownsTransaction { try session.connection.begin(.deferred) }
    do {
      guard let (file, mapped, cursor) = try PageExportReader.open(session, plan, table) else {
        if ownsTransaction { try session.connection.commit() }
        return nil
      }
      self.session = session
      self.plan = plan
      self.file = file
      self.mapped = mapped
      self.cursor = cursor
      self.ownsTransaction = ownsTransaction
    } catch {
      if ownsTransaction { try? session.connection.commit() }
      throw error
    }
  }

  /// Whether there is a reader for a table as it is now.
  static func reads(_ session: StoreSession, _ plan: ColumnScanPlan, _ table: TableLayout) throws -> Bool {
    guard let reader = try PageExportReader(session, plan, table: table) else { return false }
    try reader.close()
    return true
  }

  /// Within a read transaction.
  private static func open(
    _ session: StoreSession, _ plan: ColumnScanPlan, _ table: TableLayout
  ) throws -> (FileMapping, MappedTable, TableCursor)? {
    guard let found = try SchemaGuard(connection: session.connection).pagePlaces(of: table),
      try !session.connection.isWriteAheadLogged
    else { return nil }
    var columns: [TableCursor.Column] = []
    for (index, name) in plan.names.enumerated() {
      guard name.hasPrefix("t0."), let place = found.columns[String(name.dropFirst(3))] else { return nil }
      let storage = index < plan.positions.count ? plan.columns[plan.positions[index]].storage : .integer
      columns.append(TableCursor.Column(position: place, kind: TableCursor.Column.Kind(storage)))
    }
    guard let file = try session.connection.mapFile() else { return nil }
    do throws(PageError) {
      // Safety: the table comes with the mapping, which keeps the bytes.
      let mapped = unsafe try MappedTable(bytes: file.bytes, path: session.file.path, root: found.root)
      return (file, mapped, TableCursor(mapped, columns: columns))
    } catch {
      if error.kind == .unsuitable { return nil }
      throw PageExportReader.damage(error, session.file)
    }
  }

  private static func damage(_ error: PageError, _ file: StoreFile) -> StoreError {
    .notAStore(path: file.path, message: error.message)
  }

  /// Ends the transaction that it began.
  func close() throws {
    file.release()
    if ownsTransaction { try session.connection.commit() }
  }

  /// Streams all rows, once.
  /// - Parameters:
  ///   - row: selects one row by its primary key.
  ///   - body: see `StoreReader.scan(_:keyPaths:rowsPerBatch:body:)`.
  func scan(
    _ entity: Entity, rowsPerBatch: Int, row: Statement, body: (RowBatch) throws -> RowBatch
  ) throws {
    defer { try? close() }
    let keys = RowBatch(
      entity: entity, columns: plan.destinations.map { RowBatch.Column(.toOne($0.cells.foreignKey), .integer) },
      capacity: rowsPerBatch)
    var batch = RowBatch(entity: entity, columns: plan.columns, capacity: rowsPerBatch)
    var room = PageExportReader.roomPerBatch
    var batchCount = 0
    while true {
      let first = batch.count
      let read: (rows: Int, bytes: Int, stop: TableCursor.Stop)
      do throws(PageError) {
        // Safety: `reserveArena` gives `room` bytes, which stay where they are until the next call for the batch.
        read = unsafe try cursor.read(
          into: targets(batch, keys), rows: first..<batch.capacity,
          bytes: UnsafeMutableRawBufferPointer(start: batch.reserveArena(room), count: room),
          offset: batch.arenaCount)
      } catch {
        throw PageExportReader.damage(error, session.file)
      }
      batch.commitArena(read.bytes)
      batch.count += read.rows
      for row in first..<batch.count { try fillDestinations(batch, row: row, keys) }
      var isFull = read.stop == .full || batch.arenaCount >= PageExportReader.roomPerBatch
      switch read.stop {
      case .full, .end: break
      case .room(let needed):
        isFull = batch.count > 0
        room = max(needed, PageExportReader.roomPerBatch)
      case .irregular(let rowID):
        try row.bind(1, rowID)
        defer { row.reset() }
        guard try row.step() else { throw StoreError.failure("row \(rowID) of \(entity.name) is gone") }
        try plan.read(row, into: batch, row: batch.count)
        batch.count += 1
        cursor.skip()
        isFull = isFull || batch.count == batch.capacity
      }
      if read.stop == .end { break }
      if isFull {
        batch = try body(batch)
        batch.removeAll()
        batchCount += 1
        if batchCount % PageExportReader.batchesPerRelease == 0 { mapped.releasePages() }
      }
    }
    if batch.count > 0 { _ = try body(batch) }
  }

  @unsafe private func targets(_ batch: RowBatch, _ keys: RowBatch) -> [TableCursor.Target] {
    unsafe plan.positions.map { unsafe TableCursor.Target(states: batch.states[$0], cells: batch.rawCells($0)) }
      + keys.columns.indices.map { unsafe TableCursor.Target(states: keys.states[$0], cells: keys.rawCells($0)) }
  }

  private func fillDestinations(_ batch: RowBatch, row: Int, _ keys: RowBatch) throws {
    for index in 0..<plan.destinations.count {
      let isThere = unsafe keys.states[index][row] == RowBatch.State.value.rawValue
      try plan.destinations[index].cells.fill(
        batch, row: row, destination: isThere ? unsafe keys.integers(index)[row] : nil)
    }
  }
}

extension TableCursor.Column.Kind {
  fileprivate init(_ storage: RowBatch.Storage) {
    switch storage {
    case .integer: self = .integer
    case .real: self = .real
    case .bytes: self = .bytes
    }
  }
}

extension FetchSpecification {
  /// Whether a statement for it would read a table from its first row to its last, and nothing else of it.
  var selectsWholeTable: Bool {
    predicate == .all && sortDescriptors.isEmpty && fetchLimit <= 0 && fetchOffset <= 0
      && entity.superentity == nil && (includesSubentities || entity.subentities.isEmpty)
  }
}
