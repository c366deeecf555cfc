import Diagnostics
import Foundation
package import SQLite

extension Connection {
  /// Logs the statements from now on, as far as the switches of the program ask for it.
  /// - Parameter watch: is told each event first, whether it is logged or not.
  package func logStatements(watch: ((TraceEvent) -> Void)? = nil) throws(SQLiteError) {
    let settings = DebugSettings.process
    let log = settings.sqlLevel > 0 ? StatementLog(settings) : nil
    if log == nil && watch == nil { return }
    var detail = log?.detail ?? TraceDetail()
    detail.begins = true
    try setTrace(detail) { event in
      watch?(event)
      log?.log(event)
    }
    if settings.sqlLevel >= 4, let log { observe(didPrepare: log.prepared) }
  }
}

/// Writes what a connection's statements do to a log, as far as the debug settings ask for it.
final class StatementLog {
  /// Longer texts are cut.
  private static let longestText = 4_000

  private let settings: DebugSettings
  /// Plans by the texts of their statements.
  private var plans: [String: [String]] = [:]

  init(_ settings: DebugSettings) { self.settings = settings }

  /// What of a trace is logged.
  var detail: TraceDetail {
    var detail = TraceDetail()
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
    DebugLog.sql(isLong ? text.prefix(Self.longestText) + "… (\(text.count) characters)" : text)
  }
}
