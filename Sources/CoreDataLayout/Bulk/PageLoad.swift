public import ObjectModel
import Predicates
import SQLite
import SQLitePages
public import StoreInterface

/// Rows on their way into tables, as finished b-tree pages behind SQLite's back.
final class PageLoad {
  let file: DatabaseFile
  let indexes: [(tableRoot: UInt32, shapes: [IndexShape])]
  private let store: SQLiteStore
  private let roots: [String: UInt32]
  private let writers: [String: TableTreeWriter]
  /// Root pages of tables that had rows before.
  private let filled: Set<UInt32>
  private let rows = EncodedRows()
  private var shapes: [RowPlan.Key: RecordShape] = [:]
  private var encoders: [RowPlan.Key: RecordEncoder] = [:]
  /// Columns that indexes are made of, by table name, kept so that the tables need not be read again.
  private let keyColumns: [String: [KeyColumn]]
  /// The last primary key handed out, by model index of the root entity.
  private(set) var lastKeys: [Int: Int64]
  /// Memberships that are written when the rows are finished.
  let links: DeferredLinks
  /// What becomes of rows that a table had before.
  let changes: ChangedRows?

  /// - Parameters:
  ///   - roots: root page by table name.
  ///   - filled: by table name, the last primary key of tables that have rows, which new ones come behind.
  init(
    store: SQLiteStore, roots: [String: UInt32], filled: [String: Int64],
    indexes: [(tableRoot: UInt32, shapes: [IndexShape])], lastKeys: [Int: Int64], changes: ChangedRows?,
    memoryBudget: Int, workers: Int
  ) throws {
    let shapesByTable = Dictionary(indexes.map { ($0.tableRoot, $0.shapes) }, uniquingKeysWith: { first, _ in first })
    let filledRoots = Set(filled.keys.compactMap { roots[$0] })
    let fields = roots.mapValues { root in
      // The values of older rows are only in the table.
      filledRoots.contains(root)
        ? []
        : Set((shapesByTable[root] ?? []).compactMap { $0.columns.count == 1 ? $0.columns[0].field : nil }).sorted()
    }
    self.filled = filledRoots
    let share = memoryBudget / max(fields.values.reduce(0) { $0 + $1.count }, 1)
    keyColumns = fields.mapValues {
      $0.map { KeyColumn(field: $0, memoryBudget: share, temporaryPath: store.path + "-keys") }
    }
    self.store = store
    self.indexes = indexes
    self.lastKeys = lastKeys
    self.changes = changes
    links = DeferredLinks(layout: store.layout, memoryBudget: memoryBudget / 2, temporaryPath: store.path + "-links")
    let file = try DatabaseFile(path: store.path)
    self.file = file
    self.roots = roots
    writers = try Dictionary(
      uniqueKeysWithValues: roots.map {
        ($0, try TableTreeWriter(file: file, root: $1, after: filled[$0], workers: workers))
      })
  }

  func reserve(_ count: Int, for entity: Entity) -> Int64? {
    guard let last = lastKeys[entity.root.index] else { return nil }
    lastKeys[entity.root.index] = last + Int64(count)
    return last + 1
  }

  /// The shape of the records that rows of a batch become.
  /// - Returns: nil when the rows do not go into one of the tables being loaded.
  func shape(_ plan: RowPlan, columns: [RowBatch.Column]) throws -> RecordShape? {
    guard writers[plan.table.name] != nil else { return nil }
    let key = RowPlan.Key(entity: plan.entity, columns: columns)
    if let shape = shapes[key] { return shape }
    let shape = try RecordShape(plan, columns: columns)
    shapes[key] = shape
    return shape
  }

  func insert(_ batch: RowBatch, plan: RowPlan, primaryKeys: UnsafeBufferPointer<Int64>) throws -> Bool {
    guard let shape = try shape(plan, columns: batch.columns), let writer = writers[plan.table.name],
      let keys = primaryKeys.baseAddress
    else { return false }
    let key = RowPlan.Key(entity: batch.entity, columns: batch.columns)
    let encoder = encoders[key] ?? RecordEncoder(shape, externalData: store.externalData)
    encoders[key] = encoder
    unsafe try encoder.encode(batch, keys: keys, into: rows)
    var start = 0
    for row in 0..<rows.count {
      let end = unsafe rows.ends[row]
      unsafe try writer.append(rowID: keys[row], payload: rows.base + start, count: end - start)
      start = end
    }
    unsafe keep(batch, shape, table: plan.table.name) { column, values, states in
      unsafe column.append(
        values, states: states, valueState: RowBatch.State.value.rawValue, rowIDs: keys, count: batch.count)
    }
    for unordered in plan.unordered {
      for row in 0..<batch.count
      where unsafe batch.states[unordered.source][row] == RowBatch.State.value.rawValue {
        store.noteMissingOrderKey(unordered.relationship, unsafe primaryKeys[row])
      }
    }
    return true
  }

  /// Adds the rows of a batch that were encoded elsewhere, with consecutive primary keys.
  func insert(_ rows: EncodedRows, of batch: RowBatch, plan: RowPlan, firstKey: Int64) throws {
    guard let shape = try shape(plan, columns: batch.columns), let writer = writers[plan.table.name] else {
      throw StoreError.failure("\(plan.table.name) is not being loaded")
    }
    unsafe try writer.append(firstRowID: firstKey, payloads: rows.base, ends: rows.ends, count: rows.count)
    unsafe keep(batch, shape, table: plan.table.name) { column, values, states in
      unsafe column.append(
        values, states: states, valueState: RowBatch.State.value.rawValue, firstRowID: firstKey, count: batch.count)
    }
  }

  /// Hands the cells of every kept column to `body`; a column that rows of this shape do not fill from whole numbers of
  /// the batch is given up.
  private func keep(
    _ batch: RowBatch, _ shape: RecordShape, table: String,
    _ body: (KeyColumn, UnsafePointer<Int64>, UnsafePointer<UInt8>) -> Void
  ) {
    for column in keyColumns[table] ?? [] where column.isComplete {
      let field = shape.fields[column.field]
      if field.kind == .integer, field.source >= 0, field.absent.type == 0 {
        unsafe body(
          column, UnsafePointer(batch.integers(field.source)), UnsafePointer(batch.states[field.source]))
      } else if field.kind == .constant, let constant = field.absent.wholeNumber {
        // The number of the entity, or what another entity of the table has.
        let values = [Int64](repeating: constant ?? 0, count: batch.count)
        let state = constant == nil ? RowBatch.State.null : .value
        let states = [UInt8](repeating: state.rawValue, count: batch.count)
        unsafe values.withUnsafeBufferPointer { values in
          unsafe states.withUnsafeBufferPointer { states in
            guard let values = values.baseAddress, let states = states.baseAddress else { return }
            unsafe body(column, values, states)
          }
        }
      } else {
        column.drop()
      }
    }
  }

  /// The columns that still have all rows of a table.
  func keptColumns(_ tableRoot: UInt32) -> [KeyColumn] {
    roots.first { $0.value == tableRoot }.flatMap { keyColumns[$0.key] }?.filter(\.isComplete) ?? []
  }

  /// Takes up memberships, if they can wait.
  func link(
    _ relationship: Relationship, _ pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws(PageError) -> Bool {
    // Only an owner that comes with this load has no members yet.
    if replacing && lastKeys[relationship.entity.root.index] == nil { return false }
    return try links.append(relationship, pairs, replacing: replacing)
  }

  /// The indexes of a table that are to be filled, and whether they have entries, which are forgotten.
  func unfilledIndexes(of tableRoot: UInt32, _ shapes: [IndexShape]) -> (shapes: [IndexShape], areReplaced: Bool) {
    guard filled.contains(tableRoot), let table = roots.first(where: { $0.value == tableRoot })?.key else {
      return (shapes, false)
    }
    if writers[table]?.isEmpty == false { return (shapes, true) }
    // No row came or went: an index has to be made anew where one of its columns has new values.
    let changed = changes.map { $0.table == table ? $0.changes.changedPositions : [] } ?? []
    return (shapes.filter { $0.columns.contains { $0.field.map(changed.contains) ?? false } }, true)
  }

  func finishTables() throws {
    for (table, writer) in writers { try writer.finish(changing: changes?.table == table ? changes?.changes : nil) }
    try file.finish()
  }
}

extension SQLiteStore {
  /// Whether rows are being written as finished pages.
  public var isPageLoading: Bool { locked { pageLoad != nil } }

  /// Whether rows of these entities are.
  public func isPageLoading(_ entities: [Entity]) -> Bool {
    locked {
      guard let pageLoad else { return false }
      return entities.allSatisfy { pageLoad.lastKeys[$0.root.index] != nil }
    }
  }

  /// Begins to write the rows of some entities as finished b-tree pages, which is many times faster than inserting
  /// them. `insert`, `link` and `reservePrimaryKeys` then work on the pages; whatever else is asked of the store ends
  /// the load first. Primary keys must come in ascending order per table.
  /// - Parameters:
  ///   - memoryBudget: bytes for columns that are kept for the indexes; half as many for memberships.
  ///   - workers: threads that fill pages; the file is the same with any number.
  ///   - appends: whether the tables may have rows. Those stay as they are, and the tables' indexes are made anew from
  ///     all rows at the end: worth while where many rows come. Nothing checks then, before the end, that the new rows do
  ///     not break a uniqueness constraint.
  ///   - changes: of rows of one of the tables, which must have some: it is written anew at the end.
  /// - Returns: false when it is not possible, and everything goes on as before: the store is not under construction, it
  ///   records history, one of the tables has rows and may not or is not as this program makes it, or something hangs on
  ///   its rows already: a trigger or a partial index.
  public func beginPageLoad(
    _ entities: [Entity], memoryBudget: Int = 32 << 20, workers: Int = 1, appends: Bool = false,
    changes: ChangedRows? = nil
  ) throws -> Bool {
    try perform {
      guard options.isUnderConstruction, history == nil, !connection.isInTransaction, pageLoad == nil,
        try connection.string("PRAGMA journal_mode") != "wal"
      else { return false }
      let tables = Set(entities.map { layout.table(for: $0).name })
      let filled = try tables.filter {
        try connection.integer("SELECT EXISTS (SELECT 1 FROM \(SQLiteStore.quoted($0)))") != 0
      }
      if !filled.isEmpty && (!appends || hasDeferredIndexes) { return false }
      if let changes, !filled.contains(changes.table) { return false }
      if let changes, let ownerLedger, let table = layout.tables.first(where: { $0.name == changes.table }) {
        changes.watch(for: ownerLedger, table)
      }
      if !isCreator {
        for table in tables where try !isAsMadeHere(table) { return false }
      }
      if !hasDeferredIndexes {
        for table in tables where try hasDependents(table) { return false }
      }
      var roots: [String: UInt32] = [:]
      var indexes: [(tableRoot: UInt32, shapes: [IndexShape])] = []
      for table in tables.sorted() {
        guard
          let root = try connection.integer(
            "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'")
        else { return false }
        roots[table] = UInt32(root)
        indexes.append((UInt32(root), try makeEmptyIndexes(of: table)))
      }
      var lastKeys: [Int: Int64] = [:]
      for entity in entities { lastKeys[entity.root.index] = try lastPrimaryKey(of: entity) }
      // Another connection could open the file from here on; only this object does.
      statements.removeAll()
      try connection.execute("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM Z_PRIMARYKEY")
      do {
        var lastFilled: [String: Int64] = [:]
        for entity in entities {
          let table = layout.table(for: entity).name
          if filled.contains(table) { lastFilled[table] = lastKeys[entity.root.index] }
        }
        pageLoad = try PageLoad(
          store: self, roots: roots, filled: lastFilled, indexes: indexes, lastKeys: lastKeys,
          changes: changes, memoryBudget: memoryBudget, workers: workers)
      } catch let error as PageError where error.kind == .unsuitable && !isCreator {
        // A file from elsewhere may be in a state that pages cannot be added to.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        return false
      } catch let error as PageError {
        return try pageErrors { throw error }
      }
      return true
    }
  }

  /// How rows of an entity are encoded for the load that is going on, on any thread.
  /// - Returns: nil when there is no load for the entity's table, or rows of this shape need the store while they are
  ///   encoded; they go through `insert(_:primaryKeys:)` then.
  public func recordShape(for entity: Entity, columns: [RowBatch.Column]) throws -> RecordShape? {
    try locked {
      guard let pageLoad else { return nil }
      let plan = try plan(for: RowPlan.Key(entity: entity, columns: columns))
      guard let shape = try pageLoad.shape(plan, columns: columns), shape.isSelfContained else { return nil }
      return shape
    }
  }

  /// Adds the rows of a batch to the load that is going on.
  /// - Parameters:
  ///   - rows: the batch's records, encoded by the shape of `recordShape(for:columns:)`.
  ///   - firstKey: the primary key of the first row; the others follow without a gap.
  public func insert(_ rows: EncodedRows, of batch: RowBatch, firstKey: Int64) throws {
    precondition(rows.count == batch.count, "the records are another batch's")
    try locked {
      guard let pageLoad else { throw StoreError.failure("no rows are being loaded as pages") }
      let plan = try plan(for: batch)
      try pageErrors { try pageLoad.insert(rows, of: batch, plan: plan, firstKey: firstKey) }
    }
  }

  /// Finishes the pages of a load, fills the indexes of its tables by sorting, and goes back to SQLite. Does nothing
  /// when there is no load.
  /// - Parameters:
  ///   - memoryBudget: bytes that sorting may hold.
  ///   - workers: threads that read and sort keys.
  /// - Throws: `StoreError.constraintConflict` when rows break a uniqueness constraint; the store is of no use then.
  public func endPageLoad(memoryBudget: Int = 64 << 20, workers: Int = 2) throws {
    try locked {
      guard let load = pageLoad else { return }
      pageLoad = nil
      try pageErrors {
        try load.finishTables()
        // The tables go to disk while the indexes are made.
        let flush = try BackgroundSync(path)
        let loader = IndexLoader(
          path: path, memoryBudget: memoryBudget, temporaryPath: path + "-sort", workers: workers)
        for (tableRoot, shapes) in load.indexes {
          let (unfilled, areReplaced) = load.unfilledIndexes(of: tableRoot, shapes)
          try loader.load(
            unfilled, tableRoot: tableRoot, columns: load.keptColumns(tableRoot), replacing: areReplaced)
        }
        try flush?.finish()
      }
      try perform {
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try performAtomically {
          for (root, key) in load.lastKeys.sorted(by: { $0.key < $1.key }) {
            try setLastPrimaryKey(key, of: model.entities[root])
          }
          try noteOwners(of: load.changes)
        }
        try write(load.links, memoryBudget: memoryBudget, workers: workers)
      }
    }
  }

  /// Ends a load as if it had never been: its tables are as before and no primary key was handed out. Does nothing when there
  /// is no load.
  public func abandonPageLoad() throws {
    try locked {
      guard let load = pageLoad else { return }
      pageLoad = nil
      try pageErrors { try load.file.abandon() }
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    }
  }

  /// Runs `body` with the errors of the page writer as the store's.
  func pageErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PageError {
      switch error.kind {
      case .inputOutput: throw StoreError.inputOutput(path: path, message: error.message)
      case .unsuitable, .malformed: throw StoreError.failure("\(path): \(error.message)")
      case .duplicateKey:
        let index = layout.indexes.first { $0.name == error.message }
        let rows = error.rows.map(String.init).joined(separator: " and ")
        throw StoreError.constraintConflict(
          entity: index?.constraint?.entity.name ?? "", constraint: index?.constraint?.names ?? [],
          message: "rows \(rows) have the same key in \(error.message)")
      }
    }
  }
}
