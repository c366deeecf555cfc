import Foundation
import ObjectModel
import SQLite
import SQLitePages
import StoreInterface

/// Turns rows of one batch into records as SQLite stores them. It holds the batch's bare pointers, so it lives no
/// longer than one call.
///
/// What SQLite does to a bound value on its way into a column (affinity) is done here for every kind of attribute; the
/// tests compare the bytes with those that SQLite writes for the same rows.
@safe struct RecordEncoder {
  /// What stands in a column.
  private enum Source {
    /// Type and bytes that are the same in every row.
    case constant(type: UInt64, bytes: [UInt8])
    case cell(Int)
  }

  private let plan: RowPlan
  private let binder: RowBinder
  private let externalData: ExternalDataFolder
  private let sources: [Source]
  /// Whether the column's affinity is real: large integral numbers stay reals there.
  private let isReal: [Bool]
  private let numericText: NumericText
  private var types: [UInt64]
  /// Room for the header before the body.
  private let bodyStart: Int
  @unsafe private let buffer: RecordBuffer
  private var scratch: [UInt8] = []

  /// - Parameter buffer: memory that is used again from batch to batch.
  init(_ batch: RowBatch, plan: RowPlan, store: SQLiteStore, buffer: RecordBuffer, numericText: NumericText) throws {
    self.plan = plan
    binder = try RowBinder(batch, plan: plan, store: store)
    externalData = store.externalData
    self.numericText = numericText
    unsafe self.buffer = buffer
    var sources: [Source] = []
    for column in plan.table.columns {
      if let cell = plan.cells.firstIndex(where: { $0.name == column.name }) {
        sources.append(.cell(cell))
        continue
      }
      switch column.role {
      case .primaryKey: sources.append(.constant(type: 0, bytes: []))
      case .entityNumber: sources.append(RecordEncoder.constant(Int64(plan.entityNumber)))
      case .version: sources.append(RecordEncoder.constant(1))
      default:
        let unmapped = plan.unmapped.first { $0.name == column.name }
        guard let unmapped else {
          sources.append(.constant(type: 0, bytes: []))
          continue
        }
        sources.append(
          try RecordEncoder.constant(
            unmapped.value, kind: unmapped.kind, isReal: RecordEncoder.isReal(column), store.externalData, numericText))
      }
    }
    self.sources = sources
    isReal = plan.table.columns.map(RecordEncoder.isReal)
    types = [UInt64](repeating: 0, count: sources.count)
    bodyStart = sources.count * 9 + 16
  }

  private static func isReal(_ column: TableLayout.Column) -> Bool { column.sqlType == "FLOAT" }

  private static func constant(_ value: Int64) -> Source {
    let (type, bytes) = number(value)
    return .constant(type: type, bytes: bytes)
  }

  private static func number(_ value: Int64) -> (UInt64, [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { scratch in
      guard let base = scratch.baseAddress else { return (0, []) }
      let (type, count) = unsafe RecordEncoding.write(value, to: base)
      return (UInt64(type), unsafe Array(UnsafeRawBufferPointer(start: base, count: count)))
    }
  }

  private static func number(_ value: Double, isReal: Bool) -> (UInt64, [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { scratch in
      guard let base = scratch.baseAddress else { return (0, []) }
      let (type, count) = unsafe RecordEncoding.write(value, isReal: isReal, to: base)
      return (UInt64(type), unsafe Array(UnsafeRawBufferPointer(start: base, count: count)))
    }
  }

  /// A default of the model as it is stored.
  private static func constant(
    _ value: Value, kind: RowPlan.Kind, isReal: Bool, _ externalData: ExternalDataFolder, _ numericText: NumericText
  ) throws -> Source {
    let (type, bytes) = try stored(value, kind: kind, isReal: isReal, externalData, numericText, seed: 0)
    return .constant(type: type, bytes: bytes)
  }

  private static func stored(
    _ value: Value, kind: RowPlan.Kind, isReal: Bool, _ externalData: ExternalDataFolder, _ numericText: NumericText,
    seed: UInt64
  ) throws -> (UInt64, [UInt8]) {
    func blob(_ bytes: [UInt8]) -> (UInt64, [UInt8]) { (RecordEncoding.blobType(bytes.count), bytes) }
    func text(_ text: String) -> (UInt64, [UInt8]) { (RecordEncoding.textType(text.utf8.count), Array(text.utf8)) }
    switch (value, kind) {
    case (.null, _): return (0, [])
    case (.data(let data), .externalBlob):
      var stored: [UInt8] = []
      try unsafe data.withUnsafeBytes { unsafe try externalData.encode($0, seed: seed, into: &stored) }
      return blob(stored)
    case (.double(let value), .float): return number(Double(Float(value)), isReal: isReal)
    case (.integer(let value), .real), (.integer(let value), .float): return number(Double(value), isReal: isReal)
    case (.integer(let value), .integer), (.integer(let value), .entityNumber): return number(value)
    case (.boolean(let value), .integer): return number(value ? 1 : 0)
    case (.double(let value), .real): return number(value, isReal: isReal)
    case (.date(let value), .real): return number(value.timeIntervalSinceReferenceDate, isReal: isReal)
    case (.decimal(let value), .decimal): return try numericText.stored(Array(value.description.utf8))
    case (.integer(let value), .decimal): return number(value)
    case (.string(let value), .text): return text(value)
    case (.uri(let value), .text): return text(value.absoluteString)
    case (.data(let value), .blob): return blob(Array(value))
    case (.uuid(let value), .uuid): return unsafe withUnsafeBytes(of: value.uuid) { blob(unsafe Array($0)) }
    default: throw StoreError.failure("\(value) does not fit its attribute's type")
    }
  }

  /// The record of a row, valid until the next call.
  /// - Parameter key: the row's primary key, which tells equal external values apart.
  @inline(__always)
  @unsafe mutating func encode(row: Int, key: Int64) throws -> UnsafeRawBufferPointer {
    var body = bodyStart
    var headerBytes = 0
    unsafe buffer.reserve(body + sources.count * 8 + 16)
    for column in sources.indices {
      let type: UInt64
      switch sources[column] {
      case .constant(let constantType, let bytes):
        type = constantType
        if !bytes.isEmpty { unsafe append(bytes, at: &body) }
      case .cell(let cell): type = try encode(cell, column, row, key, at: &body)
      }
      types[column] = type
      headerBytes += type < 0x80 ? 1 : Varint.size(type)
    }
    let headerSize = headerBytes < 127 ? headerBytes + 1 : RecordEncoding.headerSize(typeBytes: headerBytes)
    let start = bodyStart - headerSize
    var header = unsafe buffer.base + start
    unsafe header += Varint.write(UInt64(headerSize), to: header)
    for type in types {
      if type < 0x80 {
        unsafe header.storeBytes(of: UInt8(truncatingIfNeeded: type), as: UInt8.self)
        unsafe header += 1
      } else {
        // The last bytes of the header may lie right before the body: no byte beyond it may be written.
        unsafe withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { scratch in
          guard let base = scratch.baseAddress else { return }
          let count = unsafe Varint.write(type, to: base)
          unsafe header.copyMemory(from: base, byteCount: count)
          unsafe header += count
        }
      }
    }
    return unsafe UnsafeRawBufferPointer(start: buffer.base + start, count: headerSize + body - bodyStart)
  }

  /// Writes the value of a cell into the body.
  /// - Returns: its type.
  @inline(__always)
  private mutating func encode(_ cell: Int, _ column: Int, _ row: Int, _ key: Int64, at body: inout Int) throws
    -> UInt64
  {
    let source = plan.cells[cell].source
    if plan.cells[cell].isDerivedFromForeignKey { return try encodeDerived(cell, row, at: &body) }
    switch binder.state(source, row) {
    case RowBatch.State.value.rawValue:
      switch plan.cells[cell].kind {
      case .integer: return unsafe append(binder.integer(source, row), at: &body)
      case .real: return unsafe append(try binder.number(binder.real(source, row), cell), column, at: &body)
      case .float:
        return unsafe append(Double(Float(try binder.number(binder.real(source, row), cell))), column, at: &body)
      case .entityNumber: return unsafe append(try binder.entityNumber(binder.integer(source, row)), at: &body)
      case .text:
        let value = unsafe binder.bytes(source, row)
        unsafe append(value, at: &body)
        return RecordEncoding.textType(value.count)
      case .blob:
        let value = unsafe binder.bytes(source, row)
        unsafe append(value, at: &body)
        return RecordEncoding.blobType(value.count)
      case .uuid:
        let value = unsafe binder.bytes(source, row)
        guard value.count == 16 else { throw unsafe binder.malformed(cell, value, "16 bytes of a UUID") }
        unsafe append(value, at: &body)
        return RecordEncoding.blobType(16)
      case .decimal:
        let value = unsafe binder.bytes(source, row)
        guard unsafe RowBinder.isDecimal(value) else { throw unsafe binder.malformed(cell, value, "a decimal number") }
        let (type, bytes) = try numericText.stored(unsafe Array(value))
        unsafe append(bytes, at: &body)
        return type
      case .externalBlob:
        unsafe try externalData.encode(
          binder.bytes(source, row), seed: RowBinder.seed(plan.entityNumber, key, cell), into: &scratch)
        unsafe append(scratch, at: &body)
        return RecordEncoding.blobType(scratch.count)
      }
    case RowBatch.State.null.rawValue: return 0
    default:
      let (type, bytes) = try RecordEncoder.stored(
        plan.cells[cell].defaultValue, kind: plan.cells[cell].kind, isReal: isReal[column], externalData, numericText,
        seed: RowBinder.seed(plan.entityNumber, key, cell))
      unsafe append(bytes, at: &body)
      return type
    }
  }

  /// Entity columns and order keys follow the foreign key: null when it is.
  private func encodeDerived(_ index: Int, _ row: Int, at body: inout Int) throws -> UInt64 {
    let cell = plan.cells[index]
    guard let keySource = cell.foreignKeySource, binder.state(keySource, row) == RowBatch.State.value.rawValue else {
      return 0
    }
    if binder.state(cell.source, row) == RowBatch.State.value.rawValue {
      let value = binder.integer(cell.source, row)
      return unsafe append(cell.kind == .entityNumber ? try binder.entityNumber(value) : value, at: &body)
    }
    if cell.lookUp != nil {
      throw StoreError.failure("\(plan.entity.name): a reference in a bulk load does not say its entity (\(cell.name))")
    }
    return 0
  }

  // MARK: - The body

  @inline(__always)
  @unsafe private func append(_ value: Int64, at body: inout Int) -> UInt64 {
    let (type, count) = unsafe RecordEncoding.write(value, to: buffer.base + body)
    body += count
    return UInt64(type)
  }

  @inline(__always)
  @unsafe private func append(_ value: Double, _ column: Int, at body: inout Int) -> UInt64 {
    let (type, count) = unsafe RecordEncoding.write(value, isReal: isReal[column], to: buffer.base + body)
    body += count
    return UInt64(type)
  }

  @inline(__always)
  @unsafe private func append(_ bytes: UnsafeRawBufferPointer, at body: inout Int) {
    guard let base = bytes.baseAddress else { return }
    // Room for all columns that have a fixed size stays behind it.
    unsafe buffer.reserve(body + bytes.count + sources.count * 8 + 16)
    unsafe (buffer.base + body).copyMemory(from: base, byteCount: bytes.count)
    body += bytes.count
  }

  @unsafe private func append(_ bytes: [UInt8], at body: inout Int) {
    unsafe bytes.withUnsafeBytes { unsafe append($0, at: &body) }
  }
}

/// Memory for one record; it grows and keeps its contents.
@safe final class RecordBuffer {
  @unsafe private(set) var base: UnsafeMutableRawPointer
  private var capacity: Int

  init() {
    capacity = 1 << 12
    unsafe base = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { unsafe base.deallocate() }

  @inline(__always)
  func reserve(_ count: Int) {
    if count > capacity { grow(count) }
  }

  private func grow(_ count: Int) {
    let grown = max(count, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 8)
    unsafe larger.copyMemory(from: base, byteCount: capacity)
    unsafe base.deallocate()
    unsafe base = larger
    capacity = grown
  }
}

/// What SQLite makes of a number's text in a column of numeric affinity. SQLite itself is asked, because its conversion
/// is not the correctly rounded one in every last bit.
final class NumericText {
  private let connection: Connection
  private let insert: Statement
  private let select: Statement

  init() throws {
    connection = try Connection(path: ":memory:", options: .init(createsFile: true))
    try connection.execute("CREATE TABLE number (id INTEGER PRIMARY KEY, value DECIMAL)")
    insert = try Statement(connection, "INSERT OR REPLACE INTO number VALUES (1, ?1)", isPersistent: true)
    select = try Statement(connection, "SELECT value FROM number", isPersistent: true)
  }

  /// Type and bytes of the number in a record.
  func stored(_ text: [UInt8]) throws -> (UInt64, [UInt8]) {
    try insert.bind(1, String(decoding: text, as: UTF8.self))
    try insert.run()
    guard try select.step() else { throw StoreError.failure("a number was lost") }
    defer { select.reset() }
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { unsafe scratch.deallocate() }
    let type: UInt8
    let count: Int
    switch select.type(at: 0) {
    case .integer: (type, count) = unsafe RecordEncoding.write(select.int64(at: 0), to: scratch)
    case .real: (type, count) = unsafe RecordEncoding.write(select.double(at: 0), isReal: false, to: scratch)
    default: return (RecordEncoding.textType(text.count), text)
    }
    return (UInt64(type), unsafe Array(UnsafeRawBufferPointer(start: scratch, count: count)))
  }
}
