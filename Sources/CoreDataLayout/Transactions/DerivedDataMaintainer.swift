import Foundation
import ObjectModel
import SQLite

/// Brings derived attributes and R-trees up to date that no trigger inside the store maintains.
///
/// Temporary triggers, which live in the connection and not in the store, note the keys of the rows concerned, however
/// they are written. At the end of a transaction one statement per derived attribute and R-tree works on just those.
final class DerivedDataMaintainer {
  /// One derived attribute or R-tree.
  private struct Item {
    var causes: [ChangeTrigger]
    /// Statements over the keys noted; parameter 1, where there is one, is the moment of the save.
    var statements: [String]
  }

  private static let noted = "seedbed_upkeep"
  private let connection: Connection
  private let items: [Item]
  /// Seconds since 2001 that `now()` gives; the clock when nil.
  private let timestamp: Double?
  private var statements: [[Statement]] = []

  /// Nil when the store has no derived attribute and no R-tree to maintain.
  /// - Parameters:
  ///   - triggers: texts of the triggers that run in this connection, which keep some attributes and R-trees by
  ///     themselves.
  ///   - timestamp: seconds since 2001 that `now()` gives; the clock when nil.
  init?(
    _ connection: Connection, _ layout: StoreLayout, triggers: Set<String>, timestamp: Double?
  ) throws(SQLiteError) {
    self.connection = connection
    self.timestamp = timestamp
    let kept = layout.triggers.filter { triggers.isSuperset(of: $0.createStatements) }
    var items: [Item] = []
    for derived in layout.derivedAttributes {
      guard let derivation = derived.derivation else { continue }
      let isKept = kept.contains { $0.entity == derived.entity && $0.attribute == derived.name }
      let causes = isKept ? derivation.causesWithoutTrigger : derivation.causes
      if causes.isEmpty { continue }
      let keys = "t.Z_PK IN (SELECT key FROM \(DerivedDataMaintainer.noted) WHERE item = \(items.count))"
      items.append(Item(causes: causes, statements: [derivation.refreshStatement(where: keys)]))
    }
    // R-trees come last: they may hold derived attributes.
    for tree in try RTree.all(in: connection, layout)
    where !(tree.hasTriggers && triggers.isSuperset(of: tree.triggerStatements)) {
      let keys = "Z_PK IN (SELECT key FROM \(DerivedDataMaintainer.noted) WHERE item = \(items.count))"
      items.append(
        Item(
          causes: [
            .init(tree.source, .insert, "NEW.Z_PK"), .init(tree.source, .delete, "OLD.Z_PK"),
            .init(tree.source, .update(tree.columns), "NEW.Z_PK"),
          ],
          statements: ["DELETE FROM \(tree.quotedName) WHERE \(keys)", tree.fillStatement(where: keys)]))
    }
    if items.isEmpty { return nil }
    self.items = items
    try install()
  }

  private func install() throws(SQLiteError) {
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS \(DerivedDataMaintainer.noted) (item INTEGER, key INTEGER, PRIMARY KEY (item, key)) WITHOUT ROWID"
    )
    for table in Set(items.flatMap(\.causes).map(\.table)).sorted() { try beginNoting(table) }
    for item in items {
      var prepared: [Statement] = []
      for sql in item.statements { prepared.append(try Statement(connection, sql, isPersistent: true)) }
      statements.append(prepared)
    }
  }

  /// Makes the triggers on a table.
  func beginNoting(_ table: String) throws(SQLiteError) {
    for (name, item, cause) in triggers(on: table) {
      try connection.execute(
        "CREATE TEMP TRIGGER IF NOT EXISTS \(name) \(cause.eventText) BEGIN "
          + "INSERT OR IGNORE INTO \(DerivedDataMaintainer.noted) (item, key) SELECT \(item), key FROM (\(cause.keys)) "
          + "WHERE key IS NOT NULL; END")
    }
  }

  /// Drops the triggers on a table: the caller then has to maintain derived attributes and R-trees of its rows.
  func stopNoting(_ table: String) throws(SQLiteError) {
    for (name, _, _) in triggers(on: table) { try connection.execute("DROP TRIGGER IF EXISTS temp.\(name)") }
  }

  private func triggers(on table: String) -> [(name: String, item: Int, cause: ChangeTrigger)] {
    items.enumerated().flatMap { index, item in
      item.causes.enumerated().filter { $0.element.table == table }.map { number, cause in
        ("\(DerivedDataMaintainer.noted)_\(index)_\(number)", index, cause)
      }
    }
  }

  /// Brings everything up to date that was noted since the last time.
  func updateDerived() throws(SQLiteError) {
    guard try connection.integer("SELECT 1 FROM \(DerivedDataMaintainer.noted) LIMIT 1") == 1 else { return }
    let now = timestamp ?? Date().timeIntervalSinceReferenceDate
    // The statements of one item may note keys for the next ones.
    for statement in statements.joined() {
      if statement.parameterCount > 0 { try statement.bind(1, now) }
      try statement.run()
    }
    try connection.execute("DELETE FROM \(DerivedDataMaintainer.noted)")
  }
}
