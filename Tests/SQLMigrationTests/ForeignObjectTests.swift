import ObjectModel
import SQLite
import TestMigrations
import TestQueries
import TestRows
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// What a program put into a store's file besides the model is after a migration what the plan said.
@Suite("Indexes and views of a program's own")
struct ForeignObjectTests {
  private static let parts: [ClosedRange<UInt64>] = stride(from: 1, to: 100, by: 25).map { $0...$0 + 24 }

  @Test("stay as planned through random migrations, by statements and by pages", arguments: parts)
  func random(seeds: ClosedRange<UInt64>) throws {
    var (kept, dropped, broken) = (0, 0, 0)
    for seed in seeds {
      guard let changes = try migrate(seed) else { continue }
      kept += changes.keptIndexes.count
      dropped += changes.droppedIndexes.count
      broken += changes.brokenViews.count
    }
    #expect(kept > 20 && dropped > 20 && broken > 0, "\(kept) kept, \(dropped) dropped, \(broken) broken")
  }

  private func migrate(_ seed: UInt64) throws -> ForeignObjectChanges? {
    var random = SeededGenerator(seed: seed)
    var stores = try RandomStores(&random)
    try stores.change()
    let older = stores.model
    var edits = RandomModelEdits(older, SeededGenerator(seed: random.next()))
    edits.edit(count: Int(seed % 3) + 1)
    guard let newer = try? ManagedObjectModel(entities: edits.entities),
      (try? older.inferredMappingModel(to: newer, mergesHierarchies: true)) != nil
    else { return nil }
    let path = stores.sqlite.path
    try stores.sqlite.close()
    let indexes = try Self.makeObjects(in: path, StoreLayout(model: older))
    let before = try Self.values(of: indexes, in: path)
    var options = StoreMigration.Options()
    options.pageUse = seed % 2 == 0 ? .always : .never
    let plan: MigrationPlan
    do {
      plan = try StoreMigration.run(storeAt: path, from: older, to: newer, options: options).plan
    } catch StoreMigrationError.conditions {
      return nil
    }
    let changes = plan.foreign
    let connection = try Connection(path: path)
    defer { try? connection.close() }
    let there = try connection.rows(ofQuery: "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'own%'")
    let text = "seed \(seed): \(plan)"
    #expect(Set(there) == Set(changes.keptIndexes.map(\.name)), "\(text)")
    #expect(changes.keptIndexes.count + changes.droppedIndexes.count == indexes.count, "\(text)")
    #expect(try connection.rows(ofQuery: "PRAGMA integrity_check") == ["ok"], "\(text)")
    // Rows that are left have the values that the index had.
    for (name, values) in try Self.values(of: indexes.filter { there.contains($0.key) }, in: path) {
      let former = before[name] ?? [:]
      #expect(values.allSatisfy { former[$0.key] == $0.value }, "\(name), \(text)")
    }
    for view in try connection.rows(ofQuery: "SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE 'own%'")
    {
      let isTold = changes.brokenViews.contains { $0.hasPrefix("view \(view),") }
      let works = (try? Statement(connection, "SELECT * FROM \(view)")) != nil
      #expect(works != isTold, "\(view), \(text)")
    }
    return changes
  }

  /// An index for each column, some of them partial or over an expression, and a view for each table.
  /// - Returns: table and column by the index's name.
  private static func makeObjects(in path: String, _ layout: StoreLayout) throws -> [String: (String, String)] {
    let connection = try Connection(path: path)
    defer { try? connection.close() }
    var result: [String: (String, String)] = [:]
    try connection.execute("PRAGMA synchronous = OFF; BEGIN")
    for (number, table) in layout.tables.enumerated() {
      for (place, column) in table.columns.enumerated() {
        let name = "own\(number)_\(place)"
        let columns = place % 3 == 1 ? "typeof(\(column.name))" : column.name
        let condition = place % 4 == 2 ? " WHERE \(column.name) IS NOT NULL" : ""
        try connection.execute("CREATE INDEX \(name) ON \(table.name) (\(columns))\(condition)")
        result[name] = (table.name, column.name)
      }
      let last = table.columns[table.columns.count - 1].name
      try connection.execute("CREATE VIEW own_view\(number) AS SELECT Z_PK, \(last) FROM \(table.name)")
    }
    try connection.execute("COMMIT")
    return result
  }

  /// What the indexed columns hold, by primary key.
  private static func values(
    of indexes: [String: (String, String)], in path: String
  ) throws -> [String: [String: String]] {
    let connection = try Connection(path: path)
    defer { try? connection.close() }
    return try indexes.mapValues { table, column in
      let statement = try Statement(connection, "SELECT Z_PK, quote(\(column)) FROM \(table)")
      defer { statement.finalize() }
      var values: [String: String] = [:]
      while try statement.step() { values[statement.string(at: 0) ?? ""] = statement.string(at: 1) ?? "" }
      return values
    }
  }

  @Test("an index that a program's own collation is in goes, and the plan says so")
  func collation() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Items.sqlite")
    var item = EntityDefinition("Item")
    item.attributes = [AttributeDefinition("a", .string)]
    let older = try ManagedObjectModel(entities: [item])
    item.attributes.append(AttributeDefinition("b", .string))
    let newer = try ManagedObjectModel(entities: [item])
    try SQLiteStore.create(path: path, model: older).close()
    let connection = try Connection(path: path, options: .init(trustsSchema: true))
    try connection.execute(
      """
      CREATE INDEX own ON ZITEM (ZA COLLATE NOCASE); PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(sql, 'NOCASE', 'HOUSE') WHERE name = 'own'
      """)
    try connection.close()
    let plan = try StoreMigration.plan(storeAt: path, from: older, to: newer)
    #expect(plan.droppedIndexes == ["own on ZITEM"], "\(plan)")
    let report = try StoreMigration.run(storeAt: path, from: older, to: newer)
    #expect(report.plan.droppedIndexes == ["own on ZITEM"])
    #expect(try StoreChecker.check(path: path, model: newer).isSound)
  }

  @Test("a file that is forged runs nothing but what it shows")
  func forged() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Items.sqlite")
    var item = EntityDefinition("Item")
    item.attributes = [AttributeDefinition("a", .string), AttributeDefinition("b", .string)]
    let older = try ManagedObjectModel(entities: [item])
    item.attributes[1] = AttributeDefinition("c", .string)
    let newer = try ManagedObjectModel(entities: [item])
    try SQLiteStore.create(path: path, model: older).close()
    let connection = try Connection(path: path, options: .init(trustsSchema: true))
    let attack = "; ATTACH DATABASE ''\(folder.path("made"))'' AS made; CREATE TABLE made.t (a)"
    try connection.execute(
      """
      CREATE INDEX own ON ZITEM (ZA); CREATE VIEW own_view AS SELECT ZA FROM ZITEM; CREATE TABLE mine (a);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = sql || '\(attack)' WHERE name IN ('own', 'own_view', 'mine');
      """)
    try connection.close()
    _ = try? StoreMigration.plan(storeAt: path, from: older, to: newer)
    _ = try? StoreMigration.run(storeAt: path, from: older, to: newer)
    #expect(try folder.names() == ["Items.sqlite"])
  }
}
