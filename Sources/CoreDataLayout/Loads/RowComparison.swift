import ObjectModel
import SQLite
import SQLitePages
public import StoreInterface

/// Compares rows of batches with the stored rows that have their keys, without a statement per row.
///
/// The keys of the table were read once, from the pages of the file. Nothing may be written to the store while this is
/// in use. Batches are searched for by any number of threads, each with a search of its own; the findings are noted by
/// one thread, in the order of the input.
public final class RowComparison: @unchecked Sendable {
  /// The result of the search for a row.
  public enum Finding: UInt8, Sendable, Hashable {
    /// No stored row has its key, or the key is not complete.
    case absent
    /// A stored row has its key, and every value that the row gives.
    case same
    /// A stored row has its key, and another value for something.
    case different
    /// Several stored rows have its key.
    case ambiguous
  }

  /// What was found for the rows of a batch.
  public struct Found: Sendable {
    /// What was found, one element per row of the batch.
    public var findings: [Finding]
    /// The primary key of the stored row that each row was compared with; 0 where there is none.
    public var primaryKeys: [Int64]
    fileprivate var places: [Int]
  }

  /// Rows of the table.
  public var rowCount: Int { table.rowCount }

  private let table: RowKeyTable
  private let mapped: MappedTable
  private let plan: RowPlan
  private let keySources: [Int]
  private let valueCells: [Int]
  private let file: StoreFile
  private var batchCount = 0
  /// After so many batches the pages that were read are given back.
  private static let batchesPerRelease = 64

  init(
    file: StoreFile, plan: RowPlan, table: RowKeyTable, mapped: MappedTable, keySources: [Int], valueCells: [Int]
  ) {
    self.file = file
    self.plan = plan
    self.table = table
    self.mapped = mapped
    self.keySources = keySources
    self.valueCells = valueCells
  }

  /// Notes what was found for a batch. One thread at a time.
  /// - Returns: rows whose stored row was noted before, for this batch or an earlier one.
  public func note(_ found: Found) -> [Int] {
    batchCount += 1
    if batchCount % Self.batchesPerRelease == 0 { mapped.releasePages() }
    return table.noteFound(found.places)
  }

  /// Makes a worker that one thread uses.
  public func makeWorker() -> Worker { Worker(self) }

  /// Looks for the stored rows of batches.
  public final class Worker {
    private let comparison: RowComparison
    private let plan: RowPlan
    /// Holds entity numbers in place of the batch's model indexes, a column for each such cell.
    private var numbers: RowBatch?

    fileprivate init(_ comparison: RowComparison) {
      self.comparison = comparison
      plan = comparison.plan
    }

    /// Compares the rows of a batch.
    /// - Parameter batch: has the columns that the comparison was made for.
    public func find(_ batch: RowBatch) throws -> Found {
      let count = batch.count
      var matches = [RowMatch](repeating: .none, count: count)
      var primaryKeys = [Int64](repeating: 0, count: count)
      var places = [Int](repeating: -1, count: count)
      // Safety: the batch and `numbers` are kept over the search, in which nothing is added to either.
      let keys = unsafe comparison.keySources.map {
        unsafe ComparedColumn(states: batch.states[$0], cells: batch.rawCells($0))
      }
      let values = unsafe columns(of: batch)
      try comparison.file.mappingPageErrors {
        unsafe try matches.withUnsafeMutableBufferPointer { matches in
          unsafe try primaryKeys.withUnsafeMutableBufferPointer { primaryKeys in
            unsafe try places.withUnsafeMutableBufferPointer { places in
              unsafe try comparison.table.match(
                keys: keys, values: values, bytes: batch.arena, count: count, matches: matches, rowIDs: primaryKeys,
                places: places)
            }
          }
        }
      }
      return Found(findings: matches.map(Finding.init), primaryKeys: primaryKeys, places: places)
    }

    @unsafe private func columns(of batch: RowBatch) -> [ComparedColumn] {
      let valueCells = comparison.valueCells
      let translated = valueCells.filter { plan.cells[$0].kind == .entityNumber }.map { plan.cells[$0].source }
      if !translated.isEmpty, (numbers?.capacity ?? 0) < batch.count {
        numbers = RowBatch(
          entity: batch.entity, columns: translated.map { batch.columns[$0] }, capacity: batch.capacity)
      }
      return unsafe valueCells.map { index in
        let source = plan.cells[index].source
        // Safety: `numbers` has a place for each row of the batch, and a column for each translated one, as above.
        var cells = unsafe batch.rawCells(source)
        if let position = translated.firstIndex(of: source), let numbers {
          unsafe translate(batch.integers(source), into: numbers.integers(position), count: batch.count)
          unsafe cells = numbers.rawCells(position)
        }
        return unsafe ComparedColumn(states: batch.states[source], cells: cells)
      }
    }

    /// No entity has the number -1, so a value that is no model index equals no stored number.
    @unsafe private func translate(
      _ indexes: UnsafeMutablePointer<Int64>, into numbers: UnsafeMutablePointer<Int64>, count: Int
    ) {
      for row in 0..<count {
        let index = unsafe indexes[row]
        let isKnown = index >= 0 && index < plan.entityNumbers.count
        unsafe numbers[row] = isKnown ? plan.entityNumbers[Int(index)] : -1
      }
    }
  }
}

extension RowComparison.Finding {
  init(_ match: RowMatch) {
    switch match {
    case .none: self = .absent
    case .same: self = .same
    case .different: self = .different
    case .ambiguous: self = .ambiguous
    }
  }
}

extension StoreLoads {
  /// See `SQLiteStore.comparison`. The session is locked. In a transaction there is none, because the file's pages are
  /// read past the connection.
  func comparison(
    of entity: Entity, columns: [RowBatch.Column], keyColumns: [Int], comparesValues: Bool, memoryBudget: Int,
    workers: Int, hashMask: UInt64
  ) throws -> RowComparison? {
    try writer.session.perform {
      guard isUnderConstruction, !connection.isInTransaction, writer.pendingOrderKeys.isEmpty,
        try !connection.isWriteAheadLogged
      else { return nil }
      let plan = try RowPlan(RowPlan.Key(entity: entity, columns: columns), layout: layout)
      let valueCells = plan.cells.indices.filter {
        plan.cells[$0].source >= 0 && comparesValues && !keyColumns.contains(plan.cells[$0].source)
      }
      guard !keyColumns.isEmpty,
        let positions = try SchemaGuard(connection: connection).storedPositions(of: plan.table),
        let shape = try keyShape(plan, keyColumns, valueCells, positions),
        let root = try connection.rootPage(ofTable: plan.table.name)
      else { return nil }
      do {
        let mapped = try MappedTable(path: file.path, root: root)
        let table = try RowKeyTable(
          mapped, shape: shape, memoryBudget: memoryBudget, workers: workers, hashMask: hashMask)
        if table.rowCount == 0 { return nil }
        return RowComparison(
          file: file, plan: plan, table: table, mapped: mapped, keySources: keyColumns, valueCells: valueCells)
      } catch let error as PageError where error.kind == .unsuitable {
        return nil
      } catch let error as PageError {
        return try file.mappingPageErrors { throw error }
      }
    }
  }

  private func keyShape(
    _ plan: RowPlan, _ keyColumns: [Int], _ valueCells: [Int], _ positions: [String: Int]
  ) throws -> RowKeyShape? {
    func field(_ cell: RowPlan.Cell) -> ComparedField? {
      guard let position = positions[cell.name] else { return nil }
      switch cell.kind {
      case .integer, .entityNumber: return ComparedField(position: position, kind: .integer)
      case .real: return ComparedField(position: position, kind: .real)
      case .float: return ComparedField(position: position, kind: .float)
      case .text: return ComparedField(position: position, kind: .text)
      case .uuid, .blob: return ComparedField(position: position, kind: .blob)
      case .decimal, .externalBlob: return nil
      }
    }
    let keyCells = keyColumns.compactMap { column in plan.cells.first { $0.source == column } }
    let keys = keyCells.compactMap(field)
    let values = valueCells.compactMap { field(plan.cells[$0]) }
    guard keys.count == keyColumns.count, values.count == valueCells.count, let entity = positions["Z_ENT"],
      keys.allSatisfy({ $0.kind != .real && $0.kind != .float })
    else { return nil }
    return RowKeyShape(
      keys: keys, values: values,
      filter: plan.entity.superentity == nil
        ? nil : (position: entity, numbers: layout.numbers(ofKind: plan.entity).map { Int64($0) }),
      isUnique: try hasUniqueIndex(plan.table.name, over: Set(keyCells.map(\.name))))
  }

  /// Whether a unique index of the table, over all its rows, has just these columns.
  private func hasUniqueIndex(_ table: String, over names: Set<String>) throws -> Bool {
    let statement = try Statement(
      connection,
      """
      SELECT l.name, upper(c.name), c.coll FROM pragma_index_list(?1) AS l, pragma_index_xinfo(l.name) AS c
      WHERE l."unique" = 1 AND l.partial = 0 AND c.key = 1
      """)
    try statement.bind(1, table)
    var columns: [String: Set<String>] = [:]
    while try statement.step() {
      let name = statement.string(at: 2) == "BINARY" ? statement.string(at: 1) ?? "" : ""
      columns[statement.string(at: 0) ?? "", default: []].insert(name)
    }
    return columns.values.contains(names)
  }
}
