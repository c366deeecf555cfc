import CSQLite

extension Connection {
  /// Copies the whole database, as this connection sees it now, over `target`'s.
  /// - Parameter pagesPerStep: pages copied between two looks at `isCancelled`.
  /// - Throws: `busy` when a lock cannot be had in time, `interrupted` when cancelled.
  public func backUp(
    to target: Connection, pagesPerStep: Int32 = 4_096, isCancelled: () -> Bool = { false }
  ) throws(SQLiteError) {
    let targetHandle = unsafe try target.handle()
    let sourceHandle = unsafe try handle()
    guard let backup = unsafe sqlite3_backup_init(targetHandle, "main", sourceHandle, "main") else {
      throw target.error(unsafe sqlite3_extended_errcode(targetHandle))
    }
    var result = SQLITE_OK
    var attempts = 0
    repeat {
      if isCancelled() {
        unsafe sqlite3_backup_finish(backup)
        throw SQLiteError(extendedCode: SQLITE_INTERRUPT, message: "the copy was cancelled", path: path)
      }
      result = unsafe sqlite3_backup_step(backup, pagesPerStep)
      if result & 0xFF == SQLITE_BUSY || result & 0xFF == SQLITE_LOCKED {
        attempts += 1
        sqlite3_sleep(20)
      }
    } while result == SQLITE_OK || ((result & 0xFF == SQLITE_BUSY || result & 0xFF == SQLITE_LOCKED) && attempts < 250)
    unsafe sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE else { throw target.error(result) }
  }
}
