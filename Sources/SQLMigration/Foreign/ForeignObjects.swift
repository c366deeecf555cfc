import CoreDataLayout
package import ObjectModel
import SQLite
import StoreInterface

/// The objects of a store's file that do not follow from its model: triggers, tables, views, indexes and columns that a
/// program or a person added.
package struct ForeignObjects: Sendable {
  /// Triggers on the store's tables, each with its table, such as `audit on ZNOTE`. They may name removed tables or
  /// columns, so every migration drops them.
  package private(set) var triggers: [String] = []
  /// Other triggers, tables and views, such as `view recent`. They go where a store is made anew.
  package private(set) var others: [String] = []
  /// Indexes on the store's tables. They stay where their columns do.
  private(set) var indexes: [ForeignIndex] = []
  /// Columns of the store's tables.
  private(set) var columns: [Column] = []
  /// Rows of the store's tables that are of no entity of theirs, by table in upper case: how many, where they were
  /// counted.
  private(set) var strayRows: [String: Int] = [:]
  /// Views and triggers on other tables, in the order in which they were made. They stay, and work as long as the
  /// tables and columns that they name are there.
  private(set) var views: [ForeignView] = []

  /// A column of a table, both in upper case.
  struct Column: Sendable, Hashable {
    var table: String
    var name: String
  }

  /// The statements that make tables outside the layout.
  private var tableStatements: [String] = []
  /// Views and triggers that did not work before the migration either.
  private var broken: Set<ForeignView> = []
  private let generation: FrameworkGeneration

  /// Reads those of a store.
  /// - Parameters:
  ///   - model: the model that it was made with.
  ///   - countsRows: whether rows of no entity are counted, for which every row is read.
  package init(storeAt path: String, model: ManagedObjectModel, countsRows: Bool = false) throws {
    self = try ReadOnlyAccess.withConnection(to: path) { connection in
      let generation = try StoreMetadata(connection).frameworkVersion.map { FrameworkGeneration(version: $0) }
      let layout = StoreLayout(model: model, generation: generation ?? .newest)
      if let problem = try SchemaGuard(connection: connection).findings(layout).first {
        throw StoreError.notAStore(path: path, message: problem.message)
      }
      var objects = try ForeignObjects(connection, layout)
      if countsRows { try objects.countRows(connection, layout) }
      return objects
    }
  }

  private mutating func countRows(_ connection: Connection, _ layout: StoreLayout) throws {
    for table in layout.tables {
      // Abstract entities have no objects of their own.
      let concrete = layout.entitiesByNumber.filter { !$0.isAbstract && $0.isKind(of: table.root) }
      let numbers = concrete.map { String(layout.number(of: $0)) }.joined(separator: ", ")
      let count = try connection.integer(
        "SELECT count(*) FROM \(SQLText.identifier(table.name)) WHERE ifnull(Z_ENT, -1) NOT IN (\(numbers))")
      if let count, count > 0 { strayRows[table.name.uppercased()] = Int(count) }
    }
  }

  init(_ connection: Connection, _ layout: StoreLayout) throws {
    generation = layout.generation
    let tables = Set((layout.tables.map(\.name) + layout.joinTables.map(\.name)).map { $0.uppercased() })
    for trigger in try SchemaGuard(connection: connection).foreignTriggers(layout) {
      let text = "\(trigger.name) on \(trigger.table)"
      let isOnTable = tables.contains(trigger.table.uppercased()) || trigger.table.hasPrefix("Z_RT_")
      if isOnTable { triggers.append(text) } else { others.append("trigger \(text)") }
    }
    try readColumns(connection, layout)
    let present = Dictionary(
      try tables.map { name in (name, try Self.columnNames(name, connection)) }, uniquingKeysWith: { first, _ in first }
    )
    indexes = try ForeignIndex.all(connection, layout, tables: present)
    let known = tables.union(StoreLayout.bookkeepingTables)
    var layoutStatements: [String] = []
    let statement = try Statement(
      connection,
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'view', 'trigger') "
        + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid")
    while try statement.step() {
      let (type, name) = (statement.string(at: 0) ?? "", statement.string(at: 1) ?? "")
      let (table, sql) = (statement.string(at: 2) ?? "", statement.string(at: 3) ?? "")
      switch type {
      case "trigger":
        let isKnown = tables.contains(table.uppercased()) || table.hasPrefix("Z_RT_")
        if !isKnown { views.append(ForeignView(type: type, name: name, table: table, statement: sql)) }
      case "view":
        others.append("view \(name)")
        views.append(ForeignView(type: type, name: name, table: name, statement: sql))
      default:
        if tables.contains(name.uppercased()) {
          layoutStatements.append(sql)
        } else {
          tableStatements.append(sql)
          if !known.contains(name.uppercased()), !name.hasPrefix("Z_RT_") { others.append("table \(name)") }
        }
      }
    }
    others.sort()
    guard !views.isEmpty else { return }
    let trial = try SchemaTrial(tables: layoutStatements + tableStatements, views: views)
    broken = Set(views.filter { trial.obstacle($0) != nil })
  }

  private mutating func readColumns(_ connection: Connection, _ layout: StoreLayout) throws {
    for table in layout.tables {
      let known = Set(table.columns.map { $0.name.uppercased() })
      let name = table.name.uppercased()
      let foreign = try Self.columnNames(name, connection).subtracting(known).sorted()
      columns += foreign.map { Column(table: name, name: $0) }
    }
  }

  private static func columnNames(_ table: String, _ connection: Connection) throws -> Set<String> {
    guard case .ordinary(let columns) = try SchemaGuard(connection: connection).table(table) else { return [] }
    return columns
  }
}

extension ForeignObjects {
  /// The changes when a store is made anew: everything is dropped.
  package mutating func leaveBehind() -> (changes: ForeignObjectChanges, others: [String]) {
    var changes = ForeignObjectChanges()
    changes.droppedTriggers = triggers
    changes.droppedIndexes = indexes.map(\.text)
    changes.droppedColumns = columns.map { "\($0.table).\($0.name)" }
    changes.drop(strayRows)
    let others = others
    (triggers, indexes, columns, views, self.others, strayRows) = ([], [], [], [], [], [:])
    return (changes, others)
  }

  /// Applies an inferred step, after which this holds the remaining objects.
  package mutating func carry(
    from older: ManagedObjectModel, to newer: ManagedObjectModel, _ mapping: MappingModel
  ) throws -> ForeignObjectChanges {
    let old = StoreLayout(model: older, generation: generation)
    let moves = try EntityMoves(old, StoreLayout(model: newer, generation: generation), mapping)
    return try carry(through: MigrationWork(outlineOf: moves, mapping))
  }

  /// Applies a migration, after which this holds the remaining objects.
  mutating func carry(through work: MigrationWork) throws -> ForeignObjectChanges {
    var changes = ForeignObjectChanges()
    changes.droppedTriggers = triggers
    triggers = []
    let kept = Dictionary(
      work.keptNames.map { ($0.key.uppercased(), $0.value.uppercased()) }, uniquingKeysWith: { first, _ in first })
    changes.droppedColumns = columns.filter { kept[$0.table] == nil }.map { "\($0.table).\($0.name)" }
    columns = columns.compactMap { column in kept[column.table].map { Column(table: $0, name: column.name) } }
    changes.drop(strayRows.filter { kept[$0.key] == nil })
    strayRows = Dictionary(
      strayRows.compactMap { table, count in kept[table].map { ($0, count) } }, uniquingKeysWith: { first, _ in first })
    guard !indexes.isEmpty || !views.isEmpty else { return changes }
    let added = columns.map {
      "ALTER TABLE \(SQLText.identifier($0.table)) ADD COLUMN \(SQLText.identifier($0.name))"
    }
    let trial = try SchemaTrial(tables: work.new.tableStatements + added + tableStatements, views: views)
    // An index with a program's own functions or collations cannot be made here.
    changes.keptIndexes = indexes.filter { $0.stays(in: work) && trial.works($0) }
    changes.droppedIndexes = indexes.filter { !changes.keptIndexes.contains($0) }.map(\.text)
    indexes = changes.keptIndexes
    changes.views = views
    for view in views where !broken.contains(view) {
      guard let obstacle = trial.obstacle(view) else { continue }
      broken.insert(view)
      changes.brokenViews.append("\(view.text), which stays and does not work any more: \(obstacle)")
    }
    return changes
  }
}
