import ObjectModel
import SQLite
import SQLitePages
import StoreInterface

/// How the rows of an entity's table are read from the file's pages, as long as the schema stays what it is.
final class PageSnapshotPlan {
  fileprivate struct Table {
    var root: UInt32
    var number: Int
    var version: Int
    var kinds: [PackedRowReader.RowKind]
  }

  fileprivate var schemaVersion: Int64?
  /// Nil where the rows have to be read through SQLite.
  fileprivate var table: Table?
}

extension SnapshotReader {
  /// The least sizes for which pages are read: in smaller files, and for fewer rows, a statement is as fast.
  static let leastFileSize = 1 << 18
  static let leastRowCount = 64

  /// Reads rows straight from the pages of the file, since SQLite's machine takes longer to hand over a row than
  /// everything else that a fetch does with it (`docs/benchmarks/versus.md`): all rows of the table, or those that are
  /// asked for by their ids.
  /// - Returns: nil where they have to be read through SQLite, or a value needs more than a copy.
  func pageBlocks(
    _ session: StoreSession, of rows: KeyedPositions? = nil, leastFileSize: Int = leastFileSize,
    leastRowCount: Int = leastRowCount
  ) throws -> [SnapshotBlock]? {
    if let rows, rows.keys.count < leastRowCount { return nil }
    _ = builder.finish()
    return try readingPages(session, leastFileSize: leastFileSize) { (pages, table) throws(PageError) in
      var kinds = table.kinds
      if let rows {
        let number = Int64(session.file.layout.number(of: rows.entity))
        kinds.removeAll { $0.number != number }
      }
      let reader = PackedRowReader(
        pages, root: table.root, numberPosition: table.number, versionPosition: table.version, kinds: kinds,
        width: builder.width)
      guard let count = try read(reader, rows?.keys) else { return nil }
      session.connection.noteRead(ofRows: count)
      return builder.finish()
    }
  }

  /// Reads the keys of all rows of the table as `pageBlocks` reads rows, as objects in the only column.
  /// - Returns: nil where they have to be read through SQLite.
  func pageKeys(
    _ session: StoreSession, column: String, leastFileSize: Int = leastFileSize
  ) throws -> FetchedRows? {
    let entityIndexes = entities.map(\.index)
    return try readingPages(session, leastFileSize: leastFileSize) { (pages, table) throws(PageError) in
      let kinds = table.kinds.map { PackedRowReader.RowKind(number: $0.number, form: $0.form, columns: []) }
      let reader = PackedRowReader(
        pages, root: table.root, numberPosition: table.number, versionPosition: table.version, kinds: kinds, width: 0)
      var found = FetchedRows.Builder(
        columns: [column], storeIdentifier: session.file.identifier, model: session.file.model)
      let capacity = 1_024
      let cells = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * 2)
      let forms = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity)
      defer {
        unsafe cells.deallocate()
        unsafe forms.deallocate()
      }
      let target = unsafe PackedRowReader.Target(
        cells: cells, forms: forms, width: 0, capacity: capacity,
        bytes: .init(start: nil, count: 0), offset: 0)
      var count = 0
      while true {
        let read = unsafe try reader.read(into: target)
        // Safety: the reader has filled so many rows, of a key and a version each.
        for row in 0..<read.rows {
          unsafe found.append(objectWithKey: cells[row * 2], entityIndex: entityIndexes[Int(forms[row])])
        }
        count += read.rows
        if read.stop == .irregular { return nil }
        if read.stop == .end { break }
      }
      session.connection.noteRead(ofRows: count)
      return found.finish()
    }
  }

  /// Calls a closure with the file's pages and where the table lies among them.
  /// - Returns: nil where rows have to be read through SQLite: the file is small, a transaction is open whose changes
  ///   may not be in it, the log is not empty, something of the table is not as this program makes it, or a page is
  ///   damaged, which SQLite says better.
  private func readingPages<Result>(
    _ session: StoreSession, leastFileSize: Int,
    _ body: (CallerPages, PageSnapshotPlan.Table) throws(PageError) -> Result?
  ) throws -> Result? {
    let connection = session.connection
    let ownsTransaction = !connection.isInTransaction
    // A log of statements would lack these rows.
    guard ownsTransaction || session.options.keepsSnapshot, !connection.isTraced,
      let file = try connection.fileBytes(), let size = file.byteCount, size >= leastFileSize
    else { return nil }
    if ownsTransaction { try connection.begin(.deferred) }
    // The transaction has only read, so an error of the commit loses nothing.
    defer { if ownsTransaction { try? connection.commit() } }
    guard let table = try pageTable(session), file.isComplete(hasLog: try hasLog(session)),
      let byteCount = file.byteCount
    else { return nil }
    do throws(PageError) {
      // Safety: the closure reads as much as there is room for.
      let pages = unsafe try CallerPages(path: session.file.path, fileSize: byteCount) { bytes, offset in
        unsafe file.read(into: bytes, at: offset)
      }
      return try body(pages, table)
    } catch {
      return nil
    }
  }

  /// - Returns: the number of rows; nil where SQLite has to read them.
  private func read(_ reader: PackedRowReader, _ keys: [Int64]?) throws(PageError) -> Int? {
    var count = 0
    while true {
      let result: Result<(rows: Int, bytes: Int, stop: PackedRowReader.Stop), PageError>
      // Safety: the builder's room is as large as it says, and stays until the builder is told of the rows.
      let room = unsafe builder.room()
      let target = unsafe PackedRowReader.Target(
        cells: room.cells, forms: room.forms, width: room.width, capacity: room.capacity, bytes: room.bytes,
        offset: room.offset)
      if let keys {
        unsafe result = keys.withUnsafeBufferPointer { keys in
          Result { () throws(PageError) in unsafe try reader.read(into: target, keys: keys) }
        }
      } else {
        result = Result { () throws(PageError) in unsafe try reader.read(into: target) }
      }
      let read = try result.get()
      count += read.rows
      builder.add(rows: read.rows, bytes: read.bytes, isFull: read.stop == .full)
      switch read.stop {
      case .full: continue
      case .end: return count
      case .irregular: return nil
      }
    }
  }

  /// Where the table's pages are by the schema of now. Called within a transaction.
  private func pageTable(_ session: StoreSession) throws -> PageSnapshotPlan.Table? {
    // The statement also takes the read lock.
    let statement = try session.cached("PRAGMA schema_version")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let version = statement.int64(at: 0)
    if version != pages.schemaVersion {
      pages.table = try findPageTable(session)
      pages.schemaVersion = version
    }
    return pages.table
  }

  /// The file's header does not tell: SQLite also reads a log that lies beside a file without one.
  private func hasLog(_ session: StoreSession) throws -> Bool {
    let statement = try session.cached("PRAGMA journal_mode")
    defer { statement.reset() }
    return try statement.step() && statement.string(at: 0) == "wal"
  }

  private func findPageTable(_ session: StoreSession) throws -> PageSnapshotPlan.Table? {
    let table = session.file.layout.table(for: entity)
    guard let places = try SchemaGuard(connection: session.connection).pagePlaces(of: table),
      let number = places.columns["Z_ENT"], let version = places.columns["Z_OPT"],
      let kinds = rowKinds(places.columns)
    else { return nil }
    return PageSnapshotPlan.Table(root: places.root, number: number, version: version, kinds: kinds)
  }
}
