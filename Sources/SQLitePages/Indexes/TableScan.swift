import Platform

/// One reading of a table on all workers, for several indexes: values of integer columns, and entries to be sorted.
struct TableScan {
  /// What each worker has collected of each column, in the order of the table's rows.
  private(set) var columns: [Int: [KeyColumn]] = [:]
  /// What each worker has collected for each index.
  private(set) var arenas: [IndexShape: [KeyArena]] = [:]

  /// Reads a table.
  /// - Parameters:
  ///   - fields: columns of which the values are kept.
  ///   - indexes: those whose entries are sorted.
  ///   - memoryBudget: bytes for all that together.
  init(
    _ reader: TableTreeReader, fields: [Int], indexes: [IndexShape], workers: Int, memoryBudget: Int,
    temporaryPath: String
  ) throws(PageError) {
    if fields.isEmpty && indexes.isEmpty { return }
    let share = memoryBudget / (workers * (indexes.count + fields.count))
    for field in fields {
      columns[field] = (0..<workers).map { _ in
        KeyColumn(field: field, memoryBudget: share, temporaryPath: temporaryPath)
      }
    }
    for index in indexes {
      arenas[index] = (0..<workers).map { _ in KeyArena(budget: share, temporaryPath: temporaryPath) }
    }
    let fieldCount = ((fields + indexes.flatMap { $0.columns.compactMap(\.field) }).max() ?? -1) + 1
    let columns = columns
    let arenas = arenas
    try Workers.run(workers) { (worker) throws(PageError) in
      let buffers = ScanBuffers(
        fieldCount: fieldCount, columns: fields.compactMap { columns[$0]?[worker] },
        typeCount: indexes.reduce(0) { $0 + $1.columns.count + 1 })
      var extractions: [(KeyExtraction, KeyArena)] = []
      var typeOffset = 0
      for index in indexes {
        guard let arena = arenas[index]?[worker] else { continue }
        unsafe extractions.append((KeyExtraction(index, types: buffers.types + typeOffset), arena))
        typeOffset += index.columns.count + 1
      }
      // Safety: `buffers` lives until it is flushed, behind the last row. It has a field up to the greatest that is
      // asked for, and types for all columns and row ids of the indexes.
      let located = unsafe UnsafeMutableBufferPointer(start: buffers.fields, count: fieldCount)
      unsafe try reader.forEachRow(inLeaves: Workers.part(worker, of: workers, reader.leaves.count)) {
        (rowID, record) throws(PageError) in
        guard let base = record.baseAddress, unsafe StoredRecord.locate(base, count: record.count, fields: located)
        else { throw PageError(kind: .malformed, message: "row \(rowID) holds no record") }
        unsafe buffers.append(rowID: rowID, base)
        for (extraction, arena) in extractions {
          unsafe try extraction.append(rowID: rowID, base, buffers.fields, to: arena)
        }
      }
      buffers.flush()
      for (_, arena) in extractions { arena.finish() }
    }
  }
}

/// Memory of a worker that scans: the fields of a row, and values on their way into columns.
///
/// All of it is allocated by the initializer and given back by `deinit`, and only its worker uses it. `fields` has a
/// place for every column that is read. `values` and `states` have `capacity` places for each of `columns`, and
/// `rowIDs` as many; `count` stays under that, because full buffers are flushed before a row is added.
@safe private final class ScanBuffers {
  @unsafe let fields: UnsafeMutablePointer<StoredRecord.Field>
  @unsafe let types: UnsafeMutablePointer<UInt64>
  private let columns: [KeyColumn]
  @unsafe private let values: UnsafeMutablePointer<Int64>
  @unsafe private let states: UnsafeMutablePointer<UInt8>
  @unsafe private let rowIDs: UnsafeMutablePointer<Int64>
  private var count = 0
  private static let capacity = 1 << 10

  init(fieldCount: Int, columns: [KeyColumn], typeCount: Int) {
    self.columns = columns
    unsafe fields = .allocate(capacity: max(fieldCount, 1))
    unsafe fields.initialize(repeating: StoredRecord.Field(type: 0, offset: 0), count: max(fieldCount, 1))
    unsafe types = .allocate(capacity: max(typeCount, 1))
    unsafe values = .allocate(capacity: ScanBuffers.capacity * max(columns.count, 1))
    unsafe states = .allocate(capacity: ScanBuffers.capacity * max(columns.count, 1))
    unsafe rowIDs = .allocate(capacity: ScanBuffers.capacity)
  }

  deinit {
    unsafe fields.deallocate()
    unsafe types.deallocate()
    unsafe values.deallocate()
    unsafe states.deallocate()
    unsafe rowIDs.deallocate()
  }

  @inline(__always)
  @unsafe func append(rowID: Int64, _ record: UnsafeRawPointer) {
    if columns.isEmpty { return }
    if count == ScanBuffers.capacity { flush() }
    for (index, column) in columns.enumerated() {
      // Safety: `locate` has filled in the fields, each of which lies within the record; `count` is under the capacity.
      let field = unsafe fields[column.field]
      let place = index * ScanBuffers.capacity + count
      unsafe states[place] = field.type == 0 ? 0 : 1
      // A column holds natural numbers only, so -1 makes it give up at a value that is no integer.
      let isInteger = field.type <= 9 && field.type != 7
      unsafe values[place] = isInteger ? StoredRecord.integer(record + field.offset, type: field.type) : -1
    }
    unsafe rowIDs[count] = rowID
    count += 1
  }

  func flush() {
    for (index, column) in columns.enumerated() {
      let start = index * ScanBuffers.capacity
      unsafe column.append(values + start, states: states + start, valueState: 1, rowIDs: rowIDs, count: count)
    }
    count = 0
  }
}
