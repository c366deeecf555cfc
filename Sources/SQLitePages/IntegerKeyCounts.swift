import Dispatch
import Synchronization

/// How often each value of an integer column occurs: with it, rows are put in the order of that column without being
/// compared (counting sort). This is how foreign keys are indexed: they are small, dense numbers.
final class IntegerKeyCounts: @unchecked Sendable {
  /// Values beyond this are left to the general way; the counts would take more memory than sorting does.
  private static let greatestValue = 1 << 24

  /// Counts by worker; index 0 counts nulls, index v + 1 the value v.
  private(set) var counts: [[UInt32]]
  private(set) var rowCount = 0
  private(set) var isPossible = true

  private init(workers: Int) { counts = Array(repeating: [], count: workers) }

  static func isCandidate(_ index: IndexShape) -> Bool {
    index.columns.count == 1 && index.columns[0].field != nil && !index.columns[0].isDescending && !index.isUnique
  }

  /// Bytes to hold the row ids in their new order.
  var placementBytes: Int { rowCount * 4 + counts.reduce(0) { $0 + $1.count * 4 } }

  /// The leaves that a worker reads.
  private static func share(_ worker: Int, of workers: Int, _ leafCount: Int) -> Range<Int> {
    (leafCount * worker / workers)..<(leafCount * (worker + 1) / workers)
  }

  /// Runs a piece of work on every worker, and throws the error of the first that failed.
  private static func onWorkers(
    _ count: Int, _ body: @Sendable (Int) throws(PageError) -> Void
  ) throws(PageError) {
    let errors = Mutex<[Int: PageError]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { worker in
      do throws(PageError) {
        try body(worker)
      } catch {
        errors.withLock { $0[worker] = error }
      }
    }
    let found = errors.withLock { $0 }
    if let first = found.min(by: { $0.key < $1.key }) { throw first.value }
  }

  /// Counts the values of the columns of some indexes in one reading of the table.
  /// - Returns: nil for an index that has values other than small natural numbers and nulls, or row ids beyond 32 bits.
  static func count(
    _ indexes: [IndexShape], _ reader: TableTreeReader, workers: Int, memoryBudget: Int
  ) throws(PageError) -> [IntegerKeyCounts?] {
    if indexes.isEmpty { return [] }
    let all = indexes.map { _ in IntegerKeyCounts(workers: workers) }
    let fieldIndexes = indexes.map { $0.columns[0].field ?? 0 }
    let fieldCount = (fieldIndexes.max() ?? 0) + 1
    let limit = min(greatestValue, memoryBudget / 8 / max(workers, 1))
    let results = Mutex<[Int: [[UInt32]?]]>([:])
    try onWorkers(workers) { (worker) throws(PageError) in
      var tables = indexes.map { _ in [UInt32](repeating: 0, count: 1024) }
      var fits = indexes.map { _ in true }
      let fields = UnsafeMutableBufferPointer<StoredRecord.Field>.allocate(capacity: fieldCount)
      defer { unsafe fields.deallocate() }
      unsafe fields.initialize(repeating: StoredRecord.Field(type: 0, offset: 0))
      unsafe try reader.rows(inLeaves: share(worker, of: workers, reader.leaves.count)) {
        (rowID, record) throws(PageError) in
        guard let base = record.baseAddress, unsafe StoredRecord.locate(base, count: record.count, fields: fields)
        else { throw PageError(kind: .malformed, message: "row \(rowID) holds no record") }
        for index in tables.indices where fits[index] {
          let field = unsafe fields[fieldIndexes[index]]
          guard let slot = unsafe slot(of: field, base), rowID > 0, rowID <= Int64(UInt32.max), slot <= limit else {
            fits[index] = false
            continue
          }
          if slot >= tables[index].count {
            tables[index] += [UInt32](repeating: 0, count: max(slot + 1 - tables[index].count, tables[index].count))
          }
          tables[index][slot] += 1
        }
      }
      results.withLock { $0[worker] = zip(tables, fits).map { $1 ? $0 : nil } }
    }
    let found = results.withLock { $0 }
    for (position, result) in all.enumerated() {
      for worker in 0..<workers {
        guard let table = found[worker]?[position] else {
          result.isPossible = false
          continue
        }
        result.counts[worker] = table
        result.rowCount += table.reduce(0) { $0 + Int($1) }
      }
    }
    return all.map { $0.isPossible ? $0 : nil }
  }

  /// 0 for null, v + 1 for a natural number v, nil for anything else.
  @inline(__always)
  @unsafe private static func slot(of field: StoredRecord.Field, _ base: UnsafeRawPointer) -> Int? {
    if field.type == 0 { return 0 }
    guard field.type <= 9, field.type != 7 else { return nil }
    let value = unsafe StoredRecord.integer(base + field.offset, type: field.type)
    return value >= 0 && value < Int64(greatestValue) ? Int(value) + 1 : nil
  }

  /// Puts the row ids in order and writes the indexes.
  static func write(
    _ indexes: [IndexShape], _ counts: [IntegerKeyCounts], _ reader: TableTreeReader, into file: DatabaseFile,
    memoryBudget: Int
  ) throws(PageError) {
    // A column of more rows than the budget holds is written in several parts, each a range of values.
    let parts = counts.map { $0.parts(memoryBudget: memoryBudget) }
    let writers = try indexes.map { (index) throws(PageError) in try IndexTreeWriter(file: file, root: index.root) }
    for part in 0..<(parts.map(\.count).max() ?? 0) {
      let placements = indexes.indices.map { index in
        part < parts[index].count ? Placement(counts[index], slots: parts[index][part]) : nil
      }
      let workers = counts[0].counts.count
      let fieldIndexes = indexes.map { $0.columns[0].field ?? 0 }
      let fieldCount = (fieldIndexes.max() ?? 0) + 1
      try onWorkers(workers) { (worker) throws(PageError) in
        let fields = UnsafeMutableBufferPointer<StoredRecord.Field>.allocate(capacity: fieldCount)
        defer { unsafe fields.deallocate() }
        unsafe fields.initialize(repeating: StoredRecord.Field(type: 0, offset: 0))
        unsafe try reader.rows(inLeaves: share(worker, of: workers, reader.leaves.count)) {
          (rowID, record) throws(PageError) in
          guard let base = record.baseAddress, unsafe StoredRecord.locate(base, count: record.count, fields: fields)
          else { throw PageError(kind: .malformed, message: "row \(rowID) holds no record") }
          for index in placements.indices {
            guard let placement = placements[index] else { continue }
            if let slot = unsafe slot(of: fields[fieldIndexes[index]], base), placement.slots.contains(slot) {
              placement.place(UInt32(truncatingIfNeeded: rowID), slot: slot, worker: worker)
            }
          }
        }
      }
      for (index, placement) in placements.enumerated() {
        if let placement { try placement.write(to: writers[index]) }
      }
    }
    for writer in writers { try writer.finish() }
  }

  /// Ranges of slots whose row ids fit the budget together; one value may exceed it alone.
  private func parts(memoryBudget: Int) -> [Range<Int>] {
    let slotCount = counts.map(\.count).max() ?? 0
    let limit = max(memoryBudget / 4, 1 << 16)
    var result: [Range<Int>] = []
    var start = 0
    var rows = 0
    for slot in 0..<slotCount {
      let count = counts.reduce(0) { $0 + (slot < $1.count ? Int($1[slot]) : 0) }
      if rows > 0, rows + count > limit {
        result.append(start..<slot)
        start = slot
        rows = 0
      }
      rows += count
    }
    if start < slotCount { result.append(start..<slotCount) }
    return result
  }

  /// Row ids in the order of a range of values. Each worker has places of its own, so nothing is shared.
  @safe private final class Placement: @unchecked Sendable {
    let slots: Range<Int>
    @unsafe private let rowIDs: UnsafeMutablePointer<UInt32>
    /// Where each worker's next row id of each slot goes.
    @unsafe private let next: [UnsafeMutablePointer<UInt32>]
    /// Row ids of each slot over all workers.
    private var totals: [UInt32]

    init(_ counts: IntegerKeyCounts, slots: Range<Int>) {
      self.slots = slots
      totals = [UInt32](repeating: 0, count: slots.count)
      unsafe next = counts.counts.map { _ in .allocate(capacity: max(slots.count, 1)) }
      var position: UInt32 = 0
      for slot in slots {
        let start = position
        for worker in counts.counts.indices {
          unsafe next[worker][slot - slots.lowerBound] = position
          position += slot < counts.counts[worker].count ? counts.counts[worker][slot] : 0
        }
        totals[slot - slots.lowerBound] = position - start
      }
      unsafe rowIDs = .allocate(capacity: max(Int(position), 1))
    }

    deinit {
      unsafe rowIDs.deallocate()
      unsafe next.forEach { unsafe $0.deallocate() }
    }

    @inline(__always)
    func place(_ rowID: UInt32, slot: Int, worker: Int) {
      let pointer = unsafe next[worker] + (slot - slots.lowerBound)
      unsafe rowIDs[Int(pointer.pointee)] = rowID
      unsafe pointer.pointee += 1
    }

    func write(to writer: IndexTreeWriter) throws(PageError) {
      let payload = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)
      defer { unsafe payload.deallocate() }
      unsafe payload.storeBytes(of: 3, as: UInt8.self)
      var position = 0
      for slot in slots {
        let count = Int(totals[slot - slots.lowerBound])
        if count == 0 { continue }
        var keySize = 0
        var keyType: UInt8 = 0
        if slot > 0 { (keyType, keySize) = unsafe RecordEncoding.write(Int64(slot - 1), to: payload + 3) }
        unsafe payload.storeBytes(of: keyType, toByteOffset: 1, as: UInt8.self)
        for _ in 0..<count {
          let rowID = Int64(unsafe rowIDs[position])
          let (type, size) = unsafe RecordEncoding.write(rowID, to: payload + 3 + keySize)
          unsafe payload.storeBytes(of: type, toByteOffset: 2, as: UInt8.self)
          unsafe try writer.append(payload: payload, count: 3 + keySize + size)
          position += 1
        }
      }
    }
  }
}
