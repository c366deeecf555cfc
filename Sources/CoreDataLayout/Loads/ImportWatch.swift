import ObjectModel
import SQLite
import SQLitePages

/// Notes what an import into a store that was there before changes: the objects that get other members, and whether any
/// row changes.
final class ImportWatch {
  private let writer: StoreWriter
  /// Notes the objects whose members an import changes; nil in a new store, and outside an import.
  private var changedOwners: ChangedOwners?
  /// Follows which rows an import into a store that was there changes.
  private var rowWatch: RowWatch?
  /// The last row of each table that rows may be added to, when the import began.
  private var lastRows: [String: Int64] = [:]

  init(_ writer: StoreWriter) {
    self.writer = writer
  }

  private var layout: StoreLayout { writer.file.layout }
  private var connection: Connection { writer.session.connection }

  /// An import begins: owners and rows that it changes are noted.
  func begin() throws {
    changedOwners = try ChangedOwners(writer)
    if changedOwners != nil { writer.history?.beginRecordingOwnersLate() }
    for table in layout.tables { lastRows[table.name] = writer.lastKeysAtOpening[table.root.index] ?? 0 }
    for table in layout.joinTables {
      lastRows[table.name] = try connection.integer("SELECT max(rowid) FROM \(table.name)") ?? 0
    }
    let watch = RowWatch(lastRows: lastRows, ignored: StoreLayout.historyTables.union(["Z_PRIMARYKEY"]))
    try connection.setWatch(watch)
    rowWatch = watch
  }

  /// See `SQLiteStore.raiseOwnerVersions`. Missing order keys are written first, in the same transaction, or in the
  /// same savepoint where a transaction is open.
  func raiseOwnerVersions() throws -> Int {
    guard changedOwners != nil else { return 0 }
    return try writer.performAtomically {
      guard let owners = changedOwners else { return 0 }
      changedOwners = nil
      writer.history?.endRecordingOwnersLate()
      // Order keys may still be missing.
      try writer.writeOrderKeys()
      return try owners.raiseVersions()
    }
  }

  /// Has a load of changed rows note the values that tell which owners get other members.
  func watch(_ changes: ChangedRows) {
    guard let changedOwners, let table = table(of: changes) else { return }
    changes.watch(for: changedOwners, table)
  }

  /// Takes up what a load has noted of rows that were written anew.
  func noteOwners(of rows: ChangedRows?) throws {
    guard let changedOwners, let rows, let table = table(of: rows) else { return }
    try changedOwners.note(
      table, updated: rows.changes.updatedRows,
      moved: rows.changes.formerNumbers.mapValues { $0.map { (key: $0.rowID, owner: $0.number) } })
  }

  private func table(of rows: ChangedRows) -> TableLayout? { layout.tables.first { $0.name == rows.table } }

  /// Whether a row was changed or added since the import began; without an import, whether the connection changed any.
  func hasChanges() throws -> Bool {
    guard let rowWatch else { return connection.totalChanges != 0 }
    return try rowWatch.hasChanges
      || lastRows.contains { table, last in
        try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table) WHERE rowid > \(last))") == 1
      }
  }

  /// Ends before the connection is closed.
  func end() { changedOwners = nil }
}
