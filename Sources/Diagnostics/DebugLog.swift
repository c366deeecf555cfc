import Logging

/// The loggers of swift-log that get debug output. The program may choose their backend before the first line.
package enum DebugLog {
  private static let statements = Logger(label: "CoreData.sql")
  private static let migrations = Logger(label: "CoreData.migration")
  private static let violations = Logger(label: "CoreData.concurrency")

  /// Statements, their values, rows and plans.
  package static func sql(_ text: String) { statements.info("\(text)") }
  /// Logs a step of a migration.
  package static func migration(_ text: String) { migrations.info("\(text)") }
  /// Logs an event that must not happen to a store that is open.
  package static func violation(_ text: String) { violations.critical("\(text)") }
}
