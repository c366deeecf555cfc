import Diagnostics
import Platform
import SQLite

extension StoreSession {
  /// Follows what the connection does, as far as the debug settings ask for it: logs statements, and stops the program
  /// where the connection is used without the session's lock. That the store's file was replaced or deleted is logged
  /// once.
  func followConnection(_ settings: DebugSettings = .process) throws(SQLiteError) {
    let isConfined = settings.concurrencyLevel.map { $0 > 0 } ?? false
    guard settings.sqlLevel > 0 || isConfined else { return }
    let log = settings.sqlLevel > 0 ? StatementLog(settings) : nil
    let file = file
    var detail = log?.detail ?? TraceDetail()
    detail.begins = true
    var node = isConfined ? FileSystem.node(file.path) : nil
    // The connection goes with the session.
    try connection.setTrace(detail) { [unowned self] event in
      if isConfined, case .began(let sql) = event {
        precondition(isLockedHere, "\(file.path): a connection is used outside of its session: \(sql)")
        if let known = node, FileSystem.node(file.path) != known {
          DebugLog.violation("\(file.path): the file of an open store was replaced or deleted")
          node = nil
        }
      }
      log?.log(event)
    }
    if settings.sqlLevel >= 4, let log { connection.observe(didPrepare: log.prepared) }
  }
}
