import ObjectModel
import SQLitePages
import StoreInterface

/// Rows on their way into tables, as finished b-tree pages behind SQLite's back.
///
/// What its unsafe code relies on: the store's lock is held during every call, so that one thread at a time uses the
/// trees and `rows`. Pointers into a batch and into encoded rows are taken anew in each call and none is kept when it
/// returns. `ends` has one entry for each encoded row, each at most the next one, and `base` so many bytes as the last
/// one says.
final class PageLoad {
  let file: DatabaseFile
  let indexes: [(tableRoot: UInt32, shapes: [IndexShape])]
  private let writer: StoreWriter
  private let roots: [String: UInt32]
  private let trees: [String: TableTreeWriter]
  /// Root pages of tables that had rows before.
  private let filled: Set<UInt32>
  private let rows = EncodedRows()
  private var shapes: [RowPlan.Key: RowShape] = [:]
  private var encoders: [RowPlan.Key: RowEncoder] = [:]
  /// The rows of snapshots by the model index of their entity.
  private var snapshotRows: [Int: SnapshotRows] = [:]
  /// Columns that indexes are made of, by table name, kept so that the tables need not be read again.
  private let keyColumns: [String: [KeyColumn]]
  /// The last primary key handed out, by model index of the root entity.
  private(set) var lastKeys: [Int: Int64]
  /// Memberships that are written when the rows are finished.
  let links: DeferredLinks
  /// The changes of rows that a table had before.
  let changes: ChangedRows?
  /// How much was written of each table, by its name.
  private(set) var written: [String: WrittenTable] = [:]

  /// - Parameters:
  ///   - roots: root page by table name.
  ///   - filled: by table name, the last primary key of tables that have rows, which new ones come behind.
  init(
    writer: StoreWriter, roots: [String: UInt32], filled: [String: Int64],
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
      $0.map { KeyColumn(field: $0, memoryBudget: share, temporaryPath: writer.file.path + "-keys") }
    }
    self.writer = writer
    self.indexes = indexes
    self.lastKeys = lastKeys
    self.changes = changes
    links = DeferredLinks(
      layout: writer.layout, memoryBudget: memoryBudget / 2, temporaryPath: writer.file.path + "-links")
    let file = try DatabaseFile(path: writer.file.path)
    self.file = file
    self.roots = roots
    trees = try Dictionary(
      uniqueKeysWithValues: roots.map {
        ($0, try TableTreeWriter(file: file, root: $1, after: filled[$0], workers: workers))
      })
  }

  /// Whether no row was added and none will be changed.
  var isEmpty: Bool { changes == nil && trees.values.allSatisfy(\.isEmpty) && links.groups.isEmpty }

  func reserve(_ count: Int, for entity: Entity) -> Int64? {
    guard let last = lastKeys[entity.root.index] else { return nil }
    lastKeys[entity.root.index] = last + Int64(count)
    return last + 1
  }

  /// The shape of the records that rows of a batch become.
  /// - Returns: nil when the rows do not go into one of the tables being loaded.
  func shape(_ plan: RowPlan, columns: [RowBatch.Column]) throws -> RowShape? {
    guard trees[plan.table.name] != nil else { return nil }
    let key = RowPlan.Key(entity: plan.entity, columns: columns)
    if let shape = shapes[key] { return shape }
    let shape = try RowShape(plan, columns: columns)
    shapes[key] = shape
    return shape
  }

  func insert(_ batch: RowBatch, plan: RowPlan, primaryKeys: UnsafeBufferPointer<Int64>) throws -> Bool {
    guard let shape = try shape(plan, columns: batch.columns), let tree = trees[plan.table.name],
      let keys = primaryKeys.baseAddress
    else { return false }
    let key = RowPlan.Key(entity: batch.entity, columns: batch.columns)
    let encoder = encoders[key] ?? RowEncoder(shape, externalData: writer.externalData)
    encoders[key] = encoder
    // Safety: the caller has checked that there is a key for each row of the batch.
    unsafe try encoder.encode(batch, keys: keys, into: rows)
    try noting(batch.count, in: plan.table.name) {
      var start = 0
      for row in 0..<rows.count {
        let end = unsafe rows.ends[row]
        unsafe try tree.append(rowID: keys[row], payload: rows.base + start, count: end - start)
        start = end
      }
    }
    unsafe keep(batch, shape, table: plan.table.name) { column, values, states in
      unsafe column.append(
        values, states: states, valueState: RowBatch.State.value.rawValue, rowIDs: keys, count: batch.count)
    }
    for unordered in plan.unordered {
      for row in 0..<batch.count
      where unsafe batch.states[unordered.source][row] == RowBatch.State.value.rawValue {
        writer.noteMissingOrderKey(unordered.relationship, unsafe primaryKeys[row])
      }
    }
    return true
  }

  /// Adds the rows of a batch that were encoded elsewhere, with consecutive primary keys.
  func insert(_ rows: EncodedRows, of batch: RowBatch, plan: RowPlan, firstKey: Int64) throws {
    guard let shape = try shape(plan, columns: batch.columns), let tree = trees[plan.table.name] else {
      throw StoreError.failure("\(plan.table.name) is not being loaded")
    }
    // Safety: the records were encoded for this batch, so that both have as many rows; the caller has checked it.
    try noting(batch.count, in: plan.table.name) {
      unsafe try tree.append(firstRowID: firstKey, payloads: rows.base, ends: rows.ends, count: rows.count)
    }
    unsafe keep(batch, shape, table: plan.table.name) { column, values, states in
      unsafe column.append(
        values, states: states, valueState: RowBatch.State.value.rawValue, firstRowID: firstKey, count: batch.count)
    }
  }

  /// Adds new objects of one entity, whose table is being loaded.
  func insert(_ snapshots: [Snapshot], _ range: Range<Int>) throws {
    let space = snapshots[range.lowerBound].objectID.space
    let rows =
      snapshotRows[space.entityIndex] ?? SnapshotRows(space.entity, layout: writer.layout, capacity: Self.rowsAtOnce)
    snapshotRows[space.entityIndex] = rows
    let plan = try writer.plan(for: rows.batch)
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(start + Self.rowsAtOnce, range.upperBound)
      try rows.fill(snapshots, start..<end)
      let isInserted = try unsafe rows.primaryKeys.withUnsafeBufferPointer {
        unsafe try insert(rows.batch, plan: plan, primaryKeys: $0)
      }
      if !isInserted { throw StoreError.failure("\(space.entity.name) is not being loaded") }
      start = end
    }
  }

  private static let rowsAtOnce = 256

  /// Hands the cells of every kept column to `body`; a column that rows of this shape do not fill from whole numbers of
  /// the batch is given up.
  private func keep(
    _ batch: RowBatch, _ shape: RowShape, table: String,
    _ body: (KeyColumn, UnsafePointer<Int64>, UnsafePointer<UInt8>) -> Void
  ) {
    for column in keyColumns[table] ?? [] where column.isComplete {
      let field = shape.fields[column.field]
      if field.kind == .integer, field.source >= 0, field.absent.type == 0 {
        // Safety: a field of kind `integer` comes from a column of integers, which has room for all rows of the batch.
        unsafe body(
          column, UnsafePointer(batch.integers(field.source)), UnsafePointer(batch.states[field.source]))
      } else if field.kind == .constant, let constant = field.absent.wholeNumber {
        // The number of the entity, or the constant of a column that only another entity of the table uses.
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

  func name(ofTable root: UInt32) -> String { roots.first { $0.value == root }?.key ?? "" }

  /// Takes up memberships, if they can wait.
  func link(
    _ relationship: Relationship, _ pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws(PageError) -> Bool {
    // Only an owner that this load adds has certainly no members yet.
    if replacing && lastKeys[relationship.entity.root.index] == nil { return false }
    return try links.append(relationship, pairs, replacing: replacing)
  }

  /// The indexes of a table that are to be filled, and whether they have entries, which are forgotten.
  func unfilledIndexes(of tableRoot: UInt32, _ shapes: [IndexShape]) -> (shapes: [IndexShape], areReplaced: Bool) {
    guard filled.contains(tableRoot), let table = roots.first(where: { $0.value == tableRoot })?.key else {
      return (shapes, false)
    }
    if trees[table]?.isEmpty == false { return (shapes, true) }
    // No row was added or removed, so an index has to be made anew only where one of its columns has new values.
    let changed = changes.map { $0.table == table ? $0.changes.changedPositions : [] } ?? []
    return (shapes.filter { $0.columns.contains { $0.field.map(changed.contains) ?? false } }, true)
  }

  func finishTables() throws {
    for (table, tree) in trees {
      try noting(0, in: table) { try tree.finish(changing: changes?.table == table ? changes?.changes : nil) }
    }
    try file.finish()
  }

  /// Writes pages of a table, and adds up how many they are and how long it takes.
  private func noting(_ rows: Int, in table: String, _ write: () throws -> Void) rethrows {
    let (start, before) = (ContinuousClock.now, file.writtenPageCount)
    try write()
    written[table, default: WrittenTable()].add(
      rows: rows, pages: file.writtenPageCount - before, ContinuousClock.now - start)
  }
}
