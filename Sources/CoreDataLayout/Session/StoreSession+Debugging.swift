import Diagnostics
import Platform
import SQLite

extension StoreSession {
  /// Follows what the connection does, as far as the debug settings ask for it: logs statements, and stops the program
  /// where the connection is used without the session's lock. That the store's file was replaced or deleted is logged
  /// once.
  func followConnection() throws(SQLiteError) {
    guard DebugSettings.process.concurrencyLevel ?? 0 > 0 else { return try connection.logStatements() }
    let file = file
    var node = FileSystem.node(file.path)
    // The connection goes with the session.
    try connection.logStatements { [unowned self] event in
      guard case .began(let sql) = event else { return }
      precondition(isLockedHere, "\(file.path): a connection is used outside of its session: \(sql)")
      if let known = node, FileSystem.node(file.path) != known {
        DebugLog.violation("\(file.path): the file of an open store was replaced or deleted")
        node = nil
      }
    }
  }
}
