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

  /// The lowest and the highest primary key of a hierarchy, those of deleted objects among them.
  private static func keys(
    of root: Entity, _ old: StoreLayout, _ connection: Connection
  ) throws -> (lowest: Int64, highest: Int64) {
    let table = old.table(for: root).name
    func ends(_ sql: String) throws -> [Int64] {
      try ["min", "max"].compactMap { try connection.integer(sql.replacing("?", with: $0)) }
    }
    var keys = [try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(old.number(of: root))") ?? 0]
    keys += try ends("SELECT ?(Z_PK) FROM \(SchemaGuard.quoted(table))")
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
      return "SELECT \(cells.joined(separator: ", ")) FROM \(SchemaGuard.quoted(name(feed.old.name))) AS s "
        + "WHERE s.Z_ENT IN (\(numbers(feed.moves)))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: " UNION ALL ")
  }

  /// The old numbers of moves, for an `IN` list.
  func numbers(_ moves: [EntityMoves.Move]) -> String {
    moves.map { String(old.number(of: $0.old)) }.joined(separator: ", ")
  }
}

extension MigrationWork {
  /// The plan of the work, in words and numbers.
  /// - Parameters:
  ///   - countsAll: whether objects are counted that no statement touches.
  ///   - uncounted: old tables whose objects are counted elsewhere.
  func plan(
    _ connection: Connection, countsAll: Bool = true, without uncounted: Set<String> = []
  ) throws -> MigrationPlan {
    var plan = MigrationPlan()
    let before = old.model.lightweightMigration(to: new.model)
    plan.losses = before.losses + lostReferences()
    plan.mergedHierarchies = before.mergedHierarchies
    let counts = try rowCounts(connection, countsAll: countsAll, without: uncounted)
    plan.entities = mapping.entityMappings.map { mapping in
      let source = mapping.sourceEntityName.flatMap { old.model[$0] }
      return MigrationPlan.EntityStep(
        source: mapping.sourceEntityName, destination: mapping.destinationEntityName, type: mapping.mappingType,
        rows: source.flatMap { counts.objects[old.number(of: $0)] },
        primaryKeyOffset: source.flatMap { moves.move(of: $0)?.offset } ?? 0)
    }
    plan.tables = tableSteps()
    var foreign = try ForeignObjects(connection, old)
    plan.foreign = try foreign.carry(through: self)
    plan.foreign.drop(counts.stray)
    let conditions = MigrationConditions(work: self, connection: connection)
    plan.conditions = try conditions.broken()
    plan.isComplete =
      conditions.tellsAllDuplicates
      && !plan.foreign.keptIndexes.contains { $0.isUnique && $0.isOverDerivedValues(of: new) }
    return plan
  }

  /// How many objects there are by entity number, and how many rows of no entity by table, where the table goes.
  private func rowCounts(
    _ connection: Connection, countsAll: Bool, without uncounted: Set<String>
  ) throws -> (objects: [Int: Int], stray: [String: Int]) {
    let untouched = Set(tables.filter(\.leavesRows).flatMap { $0.feeds.map(\.old.name) })
    let kept = keptNames
    var objects: [Int: Int] = [:]
    var stray: [String: Int] = [:]
    for table in old.tables
    where (countsAll || !untouched.contains(table.name)) && !uncounted.contains(table.name) {
      let numbers = moves.concrete(kindOf: table.root).map { old.number(of: $0) }
      // One pass; groups would be sorted first.
      let sums = numbers.map { "ifnull(sum(Z_ENT = \($0)), 0)" } + ["count(*)"]
      let statement = try Statement(
        connection, "SELECT \(sums.joined(separator: ", ")) FROM \(SchemaGuard.quoted(table.name))")
      guard try statement.step() else { continue }
      for (position, number) in numbers.enumerated() { objects[number] = Int(statement.int64(at: Int32(position))) }
      let rest = Int(statement.int64(at: Int32(numbers.count))) - numbers.reduce(0) { $0 + (objects[$1] ?? 0) }
      if rest > 0, kept[table.name] == nil { stray[table.name.uppercased()] = rest }
    }
    return (objects, stray)
  }

  private func tableSteps() -> [MigrationPlan.TableStep] {
    var steps = tables.map { table in
      let work: MigrationPlan.TableStep.Work =
        switch table.method {
        case .create: .created
        case .rewrite: .rewritten
        case .inPlace:
          !table.leavesRows
            ? .updated
            : table.appended.isEmpty && table.renamed.isEmpty && table.new.name == table.feeds[0].old.name
              ? .kept : .altered
        }
      return MigrationPlan.TableStep(
        name: table.new.name, sources: table.feeds.map(\.old.name), work: work,
        appendedColumns: table.appended.map(\.name))
    }
    steps += joins.map { join in
      switch join.method {
      case .create: MigrationPlan.TableStep(name: join.new.name, sources: [], work: .created)
      case .fill: MigrationPlan.TableStep(name: join.new.name, sources: [], work: .rewritten)
      case .inPlace(let old):
        MigrationPlan.TableStep(
          name: join.new.name, sources: [old],
          work: old == join.new.name && join.renamed.isEmpty ? .kept : .altered)
      }
    }
    let known = Set(steps.flatMap { $0.sources + [$0.name] })
    steps += droppedTableNames.filter { !known.contains($0) }.map {
      MigrationPlan.TableStep(name: $0, sources: [], work: .removed)
    }
    return steps
  }

  /// References to objects that stay, and are no longer of the kind that the relationship leads to.
  private func lostReferences() -> [LightweightMigration.Item] {
    var items: [LightweightMigration.Item] = []
    for entity in new.entitiesByNumber {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && !relationship.definition.isTransient {
        for source in pairs.sources(of: relationship) {
          for number in pairs.members(source.old, relationship).lost {
            guard let kind = old.entity(number: number), let move = moves.move(of: kind) else { continue }
            let item = LightweightMigration.Item(
              entity: entity.name, property: relationship.name,
              message: "\(move.new.name) is no \(relationship.destination.name) any more, references to its objects go")
            if !items.contains(item) { items.append(item) }
          }
        }
      }
    }
    return items
  }
}
