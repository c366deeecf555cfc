import Diagnostics
import Foundation
package import SQLite

extension Connection {
  /// Logs the statements from now on, as far as the switches of the program ask for it.
  package func logStatements() throws(SQLiteError) { try StatementLog.attach(to: self) }
}

/// Writes what a connection's statements do to a log, as far as the debug settings ask for it.
final class StatementLog {
  /// Longer texts are cut.
  private static let longestText = 4_000

  private let settings: DebugSettings
  private let write: (String) -> Void
  /// Plans by the texts of their statements.
  private var plans: [String: [String]] = [:]

  init(_ settings: DebugSettings, write: @escaping (String) -> Void = DebugLog.sql) {
    self.settings = settings
    self.write = write
  }

  /// Logs what a connection does from now on, where the settings ask for it.
  static func attach(to connection: Connection, _ settings: DebugSettings = .process) throws(SQLiteError) {
    guard settings.sqlLevel > 0 else { return }
    let log = StatementLog(settings)
    try connection.setTrace(log.detail, log.log)
    if settings.sqlLevel >= 4 { connection.observe(didPrepare: log.prepared) }
  }

  /// What of a trace is logged.
  var detail: TraceDetail {
    var detail = TraceDetail()
    detail.begins = true
    detail.boundValues = settings.sqlLevel >= 2 && !settings.hidesValues
    detail.rows = settings.sqlLevel >= 3
    detail.rowValues = !settings.hidesValues
    return detail
  }

  /// Logs an event of a trace.
  func log(_ event: TraceEvent) {
    switch event {
    case .began(let sql): say("sql: " + sql)
    case .row(let values): say("row: " + values.joined(separator: ", "))
    case .ended(let sql, let seconds, let count):
      say("annotation: \(String(format: "%.4f", seconds)) s, \(count) \(count == 1 ? "row" : "rows")")
      for line in plans[sql] ?? [] { say("plan: " + line) }
    }
  }

  /// Finds out the plan of a statement that was prepared: while it runs, its connection must be left alone.
  func prepared(_ connection: Connection, _ sql: String) {
    if settings.sqlLevel < 4 || plans[sql] != nil { return }
    if plans.count >= 1_024 { plans.removeAll() }
    // A statement without a plan, such as COMMIT, gets no lines.
    plans[sql] = (try? QueryPlan(connection, sql).texts) ?? []
  }

  private func say(_ text: String) {
    let isLong = text.utf8.count > Self.longestText
    write(isLong ? text.prefix(Self.longestText) + "… (\(text.count) characters)" : text)
  }
}
