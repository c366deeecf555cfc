import CSQLite
import Foundation

/// Watches the rows that a connection changes in its main database, temporary tables left out: whether a row was
/// changed or removed that existed when the watch began, or a row was added to a table without a known last row.
///
/// Tables without row ids are not followed, and neither is `DELETE` of a whole table without a condition. A change that
/// was rolled back counts too.
public final class RowWatch {
  /// The last row id of each table at the beginning; changes of rows with greater ids are ignored.
  private let lastRows: [(table: [CChar], last: Int64)]
  private let ignored: [[CChar]]
  /// Whether there was such a change.
  public private(set) var hasChanges = false

  /// - Parameters:
  ///   - lastRows: by table the last row id that was there. In other tables every change counts.
  ///   - ignored: tables in which no change counts.
  public init(lastRows: [String: Int64], ignored: Set<String>) {
    self.lastRows = lastRows.sorted { $0.key < $1.key }.map { (Array($0.key.utf8CString), $0.value) }
    self.ignored = ignored.sorted().map { Array($0.utf8CString) }
  }

  fileprivate func note(_ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ row: Int64) {
    if hasChanges { return }
    guard unsafe strcmp(database, "main") == 0 else { return }
    for known in lastRows where unsafe strcmp(known.table, table) == 0 {
      if row <= known.last { hasChanges = true }
      return
    }
    if !ignored.contains(where: { unsafe strcmp($0, table) == 0 }) { hasChanges = true }
  }
}

extension Connection {
  /// Sets the watch for all changes from now on, in place of the one before; nil ends watching.
  public func setWatch(_ watch: RowWatch?) throws(SQLiteError) {
    let handle = unsafe try handle()
    rowWatch = watch
    guard let watch else {
      _ = unsafe sqlite3_update_hook(handle, nil, nil)
      return
    }
    _ = unsafe sqlite3_update_hook(
      handle,
      { data, _, database, table, row in
        // Safety: `rowWatch` holds the watch as long as SQLite has its address; the names are C strings.
        guard let data = unsafe data, let database = unsafe database, let table = unsafe table else { return }
        unsafe Unmanaged<RowWatch>.fromOpaque(data).takeUnretainedValue().note(database, table, row)
      }, Unmanaged.passUnretained(watch).toOpaque())
  }
}
