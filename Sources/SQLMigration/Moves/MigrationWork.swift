import CoreDataLayout
import ObjectModel
import SQLite
import StoreInterface

/// All that a migration does, worked out from the mapping and the two layouts before anything is changed.
struct MigrationWork {
  let path: String
  let metadata: StoreMetadata
  let mapping: MappingModel
  let moves: EntityMoves
  let sources: ColumnSources
  let tables: [TableWork]
  let joins: [JoinWork]
  /// The names of old tables while they are read, where these differ from their own.
  let names: [String: String]
  private let present: [String: Set<String>]

  var old: StoreLayout { moves.old }
  var new: StoreLayout { moves.new }
  var pairs: LinkPairs { sources.pairs }

  /// - Throws: `StoreMigrationError.sourceModel`, `StoreError.notAStore` when the file is not laid out for the old
  ///   model.
  init(
    _ connection: Connection, path: String, from older: ManagedObjectModel, to newer: ManagedObjectModel,
    _ mapping: MappingModel
  ) throws {
    let metadata = try StoreMetadata(connection)
    guard older.compareVersionHashes(with: metadata.entityVersionHashesByName).isCompatible else {
      throw StoreMigrationError.sourceModel(path: path)
    }
    let generation = metadata.frameworkVersion.map { FrameworkGeneration(version: $0) } ?? .newest
    let old = StoreLayout(model: older, generation: generation)
    let schema = SchemaGuard(connection: connection)
    if let problem = try schema.findings(old).first {
      throw StoreError.notAStore(path: path, message: problem.message)
    }
    var moves = try EntityMoves(old, StoreLayout(model: newer, generation: generation), mapping)
    try moves.raiseKeys(path: path) { root in try Self.keys(of: root, old, connection) }
    try Self.requireUsualKeys(old, connection, path)
    var present: [String: Set<String>] = [:]
    for table in old.tables {
      if case .ordinary(let columns) = try schema.table(table.name) { present[table.name] = columns }
    }
    let constants = MigrationConstants()
    try constants.register(on: connection)
    self = MigrationWork(
      path: path, metadata: metadata, mapping: mapping, moves: moves, names: [:], constants: constants, present: present
    )
  }

  /// Keys near the end of 64 bits leave none to count on with.
  private static func requireUsualKeys(_ old: StoreLayout, _ connection: Connection, _ path: String) throws {
    for table in old.tables {
      let greatest = try connection.integer("SELECT max(Z_PK) FROM \(SQLText.identifier(table.name))") ?? 0
      guard greatest > PrimaryKeyRange.greatestCounter else { continue }
      throw StoreError.notAStore(
        path: path, message: "\(table.name) has the primary key \(greatest), which leaves no primary keys to give out")
    }
  }

  /// The lowest and the highest primary key of a hierarchy, those of deleted objects among them.
  private static func keys(
    of root: Entity, _ old: StoreLayout, _ connection: Connection
  ) throws -> (lowest: Int64, highest: Int64) {
    let table = old.table(for: root).name
    func ends(_ sql: String) throws -> [Int64] {
      try ["min", "max"].compactMap { try connection.integer(sql.replacing("?", with: $0)) }
    }
    let counter = "SELECT \(PrimaryKeyRange.counter) FROM Z_PRIMARYKEY WHERE Z_ENT = \(old.number(of: root))"
    var keys = [try connection.integer(counter) ?? 0]
    keys += try ends("SELECT ?(Z_PK) FROM \(SQLText.identifier(table))")
    if case .ordinary(let columns) = try SchemaGuard(connection: connection).table("ACHANGE"),
      columns.isSuperset(of: ["ZENTITY", "ZENTITYPK"])
    {
      let numbers = old.numbers(ofKind: root).map(String.init).joined(separator: ", ")
      keys += try ends("SELECT ?(ZENTITYPK) FROM ACHANGE WHERE ZENTITY IN (\(numbers))")
    }
    return (keys.min() ?? 0, keys.max() ?? 0)
  }

  /// The work of a migration without a store: with the columns of the layout, and no rows.
  init(outlineOf moves: EntityMoves, _ mapping: MappingModel) {
    self = MigrationWork(
      path: "", metadata: StoreMetadata(model: moves.old.model, uuid: "", generation: moves.old.generation),
      mapping: mapping, moves: moves, names: [:], constants: MigrationConstants(),
      present: Dictionary(
        moves.old.tables.map { ($0.name, Set($0.columns.map { $0.name.uppercased() })) },
        uniquingKeysWith: { first, _ in first }))
  }

  /// The same over old tables that made room, as `names` of the result says.
  func setAside() -> MigrationWork {
    MigrationWork(
      path: path, metadata: metadata, mapping: mapping, moves: moves, names: namesAside, constants: sources.constants,
      present: present)
  }

  /// The names of old tables that are renamed to make room.
  var namesAside: [String: String] {
    let kept = keptNames
    var names: [String: String] = [:]
    for (index, table) in oldTableNames.enumerated() where kept[table] != table {
      names[table] = "seedbed_old_\(index)"
    }
    return names
  }

  private init(
    path: String, metadata: StoreMetadata, mapping: MappingModel, moves: EntityMoves, names: [String: String],
    constants: MigrationConstants, present: [String: Set<String>]
  ) {
    self.path = path
    self.metadata = metadata
    self.mapping = mapping
    self.moves = moves
    self.names = names
    self.present = present
    let pairs = LinkPairs(moves: moves) { names[$0] ?? $0 }
    let sources = ColumnSources(moves: moves, pairs: pairs, constants: constants)
    self.sources = sources
    tables = moves.new.tables.map { TableWork($0, sources, present: present) }
    joins = moves.new.joinTables.map { JoinWork($0, pairs) }
  }

  /// The name under which an old table is read.
  func name(_ table: String) -> String { names[table] ?? table }

  /// Old tables by the new one that they become in place.
  var keptNames: [String: String] {
    var result: [String: String] = [:]
    for table in tables where table.method == .inPlace { result[table.feeds[0].old.name] = table.new.name }
    for join in joins { if case .inPlace(let old) = join.method { result[old] = join.new.name } }
    return result
  }

  /// Every table of the old layout.
  var oldTableNames: [String] { old.tables.map(\.name) + old.joinTables.map(\.name) }

  /// The tables of `StoreLayout.tableStatements`, in its order.
  var newTableNames: [String] {
    new.tables.flatMap { table in
      [table.name] + new.joinTables.filter { $0.master.relationship.entity.root == table.root }.map(\.name)
    }
  }

  /// Old tables that go when all is read.
  var droppedTableNames: [String] {
    let kept = keptNames
    return oldTableNames.filter { kept[$0] == nil }
  }

  /// Whether rows may be removed or links changed, so that derived values may change.
  var movesRows: Bool {
    !moves.removed.isEmpty || tables.contains { $0.method == .rewrite || !$0.fills.isEmpty }
      || joins.contains { if case .inPlace = $0.method { false } else { true } }
  }

  /// Whether columns that stay have other values, or other names.
  var changesValues: Bool {
    tables.contains { table in
      let appended = Set(table.appended.map(\.name))
      return !table.renamed.isEmpty || table.assigned.contains { $0.column != "Z_ENT" && !appended.contains($0.column) }
    }
  }

  /// Whether an index guards a uniqueness constraint of derived values, which are there after the rows only.
  func guardsDerivedValues(_ index: IndexLayout) -> Bool {
    guard let constraint = index.constraint else { return false }
    return constraint.names.contains { constraint.entity.attribute($0)?.derivation != nil }
  }

  /// The rows that come into a new table, some columns of them, as SQL over the old tables.
  func rowSelection(of table: TableWork, columns: [String]) -> String? {
    let parts = table.feeds.map { feed in
      let cells = columns.map { column in
        (table.new.columns.firstIndex { $0.name == column }.map { feed.cells[$0] } ?? "NULL") + " AS \(column)"
      }
      return "SELECT \(cells.joined(separator: ", ")) FROM \(SQLText.identifier(name(feed.old.name))) AS s "
        + "WHERE s.Z_ENT IN (\(numbers(feed.moves)))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: " UNION ALL ")
  }

  /// The old numbers of moves, for an `IN` list.
  func numbers(_ moves: [EntityMoves.Move]) -> String {
    moves.map { String(old.number(of: $0.old)) }.joined(separator: ", ")
  }
}
