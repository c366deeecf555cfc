package import ObjectModel
import SQLite
import StoreInterface

/// What a store's file has that its model does not explain: a program or a person put it there.
package struct ForeignObjects: Sendable, Hashable {
  /// Triggers on the store's tables, each with its table, such as `audit on ZNOTE`. They may name what is not there any more, and
  /// go in every migration.
  package private(set) var triggers: [String] = []
  /// Other triggers, tables and views, such as `view recent`. They go where a store is made anew.
  package private(set) var others: [String] = []

  /// Reads those of a store.
  /// - Parameter model: the model that it was made with.
  package init(storeAt path: String, model: ManagedObjectModel) throws {
    self = try ReadOnlyCopy.withConnection(to: path) { connection in
      let generation = try StoreMetadata(connection).frameworkVersion.map { FrameworkGeneration(version: $0) }
      return try ForeignObjects(connection, StoreLayout(model: model, generation: generation ?? .newest))
    }
  }

  init(_ connection: Connection, _ layout: StoreLayout) throws {
    let tables = Set((layout.tables.map(\.name) + layout.joinTables.map(\.name)).map { $0.uppercased() })
    for trigger in try SchemaGuard(connection: connection).foreignTriggers(layout) {
      let text = "\(trigger.name) on \(trigger.table)"
      let isOnTable = tables.contains(trigger.table.uppercased()) || trigger.table.hasPrefix("Z_RT_")
      if isOnTable { triggers.append(text) } else { others.append("trigger \(text)") }
    }
    let known = tables.union(Self.bookkeeping)
    let statement = try Statement(
      connection,
      "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        + "ORDER BY type, name")
    while try statement.step() {
      let (type, name) = (statement.string(at: 0) ?? "", statement.string(at: 1) ?? "")
      if known.contains(name.uppercased()) || name.hasPrefix("Z_RT_") { continue }
      others.append("\(type) \(name)")
    }
  }

  private static let bookkeeping: Set<String> = [
    "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
  ]
}
