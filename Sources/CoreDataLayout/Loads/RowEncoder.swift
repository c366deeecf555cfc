import SQLitePages
public import StoreInterface

/// Turns the rows of batches into records as SQLite stores them. Each worker has its own.
///
/// What SQLite does to a bound value on its way into a column (affinity) is done here for every kind of attribute; the
/// tests compare the bytes with those that SQLite writes for the same rows.
///
/// What its unsafe code relies on: the batch has the columns that the shape was made for, which is a precondition, so
/// that a field's source has cells of the kind that the field reads. Nothing is added to the batch during a call, so
/// that its arena and columns do not move. Behind `body` there are always at least `rowBound` free bytes of `rows` when
/// a row begins, and as many after each value of any length; that is more than all numbers, constants and types of a
/// row, and the eight bytes that a store of less may reach beyond. `rows.base` moves when it grows and is read again
/// after each call that may let it grow.
public final class RowEncoder {
  private let shape: RowShape
  /// Writes the files of long values; nil where no row may need one.
  private let externalData: ExternalDataFolder?
  private var numericText: NumericText?
  /// Types of one record that take more than a byte.
  private var wideTypes: [UInt64]

  /// An encoder for any thread.
  /// - Returns: nil when rows of this shape need the store while they are encoded.
  public convenience init?(_ shape: RowShape) {
    guard shape.isSelfContained else { return nil }
    self.init(shape, externalData: nil)
  }

  init(_ shape: RowShape, externalData: ExternalDataFolder?) {
    self.shape = shape
    self.externalData = externalData
    wideTypes = Array(repeating: 0, count: shape.fields.count)
  }

  /// One field with the batch's bare pointers, so it lives no longer than one call.
  @unsafe private struct Operation {
    var kind: RowShape.Kind
    var isReal: Bool
    var states: UnsafePointer<UInt8>?
    var keyStates: UnsafePointer<UInt8>?
    var cells: UnsafeRawPointer?
    var absentType: UInt64
    var absentBytes: UnsafeRawPointer?
    var absentCount: Int
  }

  /// Encodes all rows of a batch.
  /// - Parameters:
  ///   - keys: primary keys, which tell equal external values apart.
  ///   - rows: takes the records, anew.
  /// - Throws: `StoreError.failure` for a value that no column can hold.
  @unsafe public func encode(_ batch: RowBatch, keys: UnsafePointer<Int64>? = nil, into rows: EncodedRows) throws {
    unsafe try encode(batch, 0..<batch.count, keys: keys, into: rows)
  }

  /// Encodes some rows of a batch.
  /// - Parameters:
  ///   - selected: positions of rows, ascending.
  ///   - rows: takes the records, anew, one behind the other.
  public func encode(_ selected: [Int], of batch: RowBatch, into rows: EncodedRows) throws {
    unsafe try encode(batch, selected, keys: nil, into: rows)
  }

  @unsafe private func encode(
    _ batch: RowBatch, _ selected: some RandomAccessCollection<Int>, keys: UnsafePointer<Int64>?,
    into rows: EncodedRows
  ) throws {
    precondition(batch.columns == shape.columns, "the encoder was made for other columns")
    let constants = shape.fields.flatMap(\.absent.bytes)
    try unsafe constants.withUnsafeBytes { constants in
      try unsafe withUnsafeTemporaryAllocation(of: Operation.self, capacity: shape.fields.count) { operations in
        var offset = 0
        for (index, field) in shape.fields.enumerated() {
          let count = field.absent.bytes.count
          // Safety: `constants` holds the bytes of all fields one behind the other, and lives as long as the
          // operations.
          unsafe operations.initializeElement(
            at: index,
            to: Operation(
              kind: field.kind, isReal: field.isReal,
              states: field.source < 0 ? nil : UnsafePointer(batch.states[field.source]),
              keyStates: field.keySource < 0 ? nil : UnsafePointer(batch.states[field.keySource]),
              cells: field.source < 0 ? nil : UnsafeRawPointer(batch.rawCells(field.source)),
              absentType: field.absent.type, absentBytes: constants.baseAddress.map { unsafe $0 + offset },
              absentCount: count))
          offset += count
        }
        unsafe try encode(
          batch, selected, UnsafeBufferPointer(operations), constantBytes: offset, keys: keys, into: rows)
      }
    }
  }

  /// The columns at the start of a table that are the same in every row, Core Data's own: written in two stores.
  private struct Prefix {
    var fieldCount = 0
    var types: UInt64 = 0
    var body: UInt64 = 0
    var bodyCount = 0

    init(_ fields: [RowShape.Field]) {
      for field in fields.prefix(8) {
        guard field.kind == .constant, field.absent.type < 0x80, bodyCount + field.absent.bytes.count <= 8 else {
          break
        }
        types |= field.absent.type << UInt64(fieldCount * 8)
        for byte in field.absent.bytes {
          body |= UInt64(byte) << UInt64(bodyCount * 8)
          bodyCount += 1
        }
        fieldCount += 1
      }
    }
  }

  /// The hot loop: records are written where they stay. A header of one-byte types is right at once; where a type takes
  /// more, the body moves up.
  private func encode(
    _ batch: RowBatch, _ selected: some RandomAccessCollection<Int>, _ operations: UnsafeBufferPointer<Operation>,
    constantBytes: Int, keys: UnsafePointer<Int64>?, into rows: EncodedRows
  ) throws {
    let fieldCount = operations.count
    let count = selected.count
    guard let first = operations.baseAddress else { return }
    let prefix = Prefix(shape.fields)
    // Header, numbers and constants of one row, and what eight-byte stores reach beyond.
    let rowBound = fieldCount * 18 + constantBytes + 32
    rows.begin(rows: count)
    var base = unsafe rows.base
    let ends = unsafe rows.ends
    var start = 0
    var done = 0
    for row in selected {
      if start + rowBound > rows.capacity {
        rows.grow(to: start + rowBound, used: start)
        unsafe base = unsafe rows.base
      }
      let header = start &+ 1
      unsafe (base + header).storeBytes(of: prefix.types.littleEndian, as: UInt64.self)
      var body = header &+ fieldCount
      unsafe (base + body).storeBytes(of: prefix.body.littleEndian, as: UInt64.self)
      body &+= prefix.bodyCount
      var isWide = false
      var index = prefix.fieldCount
      while index < fieldCount {
        let operation = unsafe first + index
        if unsafe operation.pointee.kind == .integer, let states = unsafe operation.pointee.states,
          unsafe states[row] == RowBatch.State.value.rawValue, let cells = unsafe operation.pointee.cells
        {
          let value = unsafe cells.assumingMemoryBound(to: Int64.self)[row]
          let (type, size) = unsafe RecordEncoding.write(value, to: base + body)
          unsafe (base + header + index).storeBytes(of: type, as: UInt8.self)
          body &+= size
        } else {
          let key = unsafe keys.map { unsafe $0[row] } ?? 0
          let type = unsafe try encode(
            operation.pointee, index, row: row, key: key, batch, into: rows, at: &body, bound: rowBound)
          unsafe base = unsafe rows.base
          if type < 0x80 {
            unsafe (base + header + index).storeBytes(of: UInt8(truncatingIfNeeded: type), as: UInt8.self)
          } else {
            isWide = true
            wideTypes[index] = type
            unsafe (base + header + index).storeBytes(of: 0xFF, as: UInt8.self)
          }
        }
        index &+= 1
      }
      if isWide || fieldCount >= 127 {
        widenHeader(rows, from: start, fieldCount: fieldCount, end: &body)
        unsafe base = unsafe rows.base
      } else {
        unsafe (base + start).storeBytes(of: UInt8(truncatingIfNeeded: fieldCount + 1), as: UInt8.self)
      }
      unsafe ends[done] = body
      done &+= 1
      start = body
    }
    rows.count = count
  }

  // MARK: - Values

  /// Appends the value of a field.
  /// - Parameter bound: bytes that stay free behind a value of any length, for the rest of the row.
  /// - Returns: its type.
  private func encode(
    _ operation: Operation, _ index: Int, row: Int, key: Int64, _ batch: RowBatch, into rows: EncodedRows,
    at body: inout Int, bound: Int
  ) throws -> UInt64 {
    let kind = unsafe operation.kind
    if kind == .constant { return unsafe append(operation, to: rows.base, at: &body) }
    let state = unsafe operation.states.map { unsafe $0[row] } ?? RowBatch.State.absent.rawValue
    if let keyStates = unsafe operation.keyStates {
      guard unsafe keyStates[row] == RowBatch.State.value.rawValue else { return 0 }
      guard state == RowBatch.State.value.rawValue, let cells = unsafe operation.cells else {
        if shape.fields[index].isDemanded { throw missingEntity(index) }
        return 0
      }
      var value = unsafe cells.assumingMemoryBound(to: Int64.self)[row]
      if kind == .entityNumber { value = try entityNumber(value) }
      let (type, size) = unsafe RecordEncoding.write(value, to: rows.base + body)
      body += size
      return UInt64(type)
    }
    if state == RowBatch.State.null.rawValue { return 0 }
    guard state == RowBatch.State.value.rawValue, let cells = unsafe operation.cells else {
      guard kind == .externalBlob, let value = shape.fields[index].externalDefault else {
        return unsafe append(operation, to: rows.base, at: &body)
      }
      let stored = unsafe try value.withUnsafeBytes { unsafe try converted(kind, $0, field: index, key: key) }
      unsafe stored.bytes.withUnsafeBytes { unsafe append($0, to: rows, at: &body, bound: bound) }
      return stored.type
    }
    if kind == .integer {
      let (type, size) = unsafe RecordEncoding.write(
        cells.assumingMemoryBound(to: Int64.self)[row], to: rows.base + body)
      body += size
      return UInt64(type)
    }
    if kind == .real || kind == .float {
      var value = unsafe cells.assumingMemoryBound(to: Double.self)[row]
      if value.isNaN { throw notANumber(index) }
      if kind == .float { value = Double(Float(value)) }
      let (type, size) = unsafe RecordEncoding.write(value, isReal: operation.isReal, to: rows.base + body)
      body += size
      return UInt64(type)
    }
    // Safety: the remaining kinds are fields of bytes, whose columns have slices; a slice of a value lies in the arena.
    let slice = unsafe cells.assumingMemoryBound(to: RowBatch.Slice.self)[row]
    let bytes = unsafe UnsafeRawBufferPointer(
      start: UnsafeRawPointer(batch.arena) + Int(slice.offset), count: Int(slice.length))
    switch kind {
    case .text:
      unsafe append(bytes, to: rows, at: &body, bound: bound)
      return RecordEncoding.textType(bytes.count)
    case .blob:
      unsafe append(bytes, to: rows, at: &body, bound: bound)
      return RecordEncoding.blobType(bytes.count)
    case .uuid:
      guard bytes.count == 16 else { throw unsafe malformed(index, bytes, "16 bytes of a UUID") }
      unsafe append(bytes, to: rows, at: &body, bound: bound)
      return RecordEncoding.blobType(16)
    default:
      let stored = unsafe try converted(kind, bytes, field: index, key: key)
      unsafe stored.bytes.withUnsafeBytes { unsafe append($0, to: rows, at: &body, bound: bound) }
      return stored.type
    }
  }

  /// Appends the stored form of an absent cell.
  @inline(__always)
  @unsafe private func append(_ operation: Operation, to base: UnsafeMutableRawPointer, at body: inout Int) -> UInt64 {
    if unsafe operation.absentCount > 0, let bytes = unsafe operation.absentBytes {
      unsafe (base + body).copyMemory(from: bytes, byteCount: operation.absentCount)
      unsafe body += operation.absentCount
    }
    return unsafe operation.absentType
  }

  @inline(__always)
  @unsafe private func append(_ bytes: UnsafeRawBufferPointer, to rows: EncodedRows, at body: inout Int, bound: Int) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    // The rest of the row still has room behind the value.
    let needed = body + bytes.count + bound
    if needed > rows.capacity { rows.grow(to: needed, used: body) }
    unsafe (rows.base + body).copyMemory(from: source, byteCount: bytes.count)
    body += bytes.count
  }

  /// Values that are stored in another form than the batch has them.
  private func converted(
    _ kind: RowShape.Kind, _ bytes: UnsafeRawBufferPointer, field: Int, key: Int64
  ) throws -> RowShape.Constant {
    switch kind {
    case .decimal:
      guard unsafe RowBinder.isDecimal(bytes) else { throw unsafe malformed(field, bytes, "a decimal number") }
      let converter = try numericText ?? NumericText()
      numericText = converter
      let (type, stored) = try converter.stored(unsafe Array(bytes))
      return RowShape.Constant(type: type, bytes: stored)
    case .externalBlob:
      guard let externalData else { throw StoreError.failure("\(shape.entityName): external data needs the store") }
      var stored: [UInt8] = []
      let seed = RowBinder.seed(shape.entityNumber, key, shape.fields[field].cell)
      unsafe try externalData.encode(bytes, seed: seed, into: &stored)
      return RowShape.Constant(type: RecordEncoding.blobType(stored.count), bytes: stored)
    default:
      throw StoreError.failure("\(shape.entityName): \(shape.names[field]) is no value of bytes")
    }
  }

  private func entityNumber(_ modelIndex: Int64) throws -> Int64 {
    guard modelIndex >= 0, modelIndex < shape.entityNumbers.count else {
      throw StoreError.failure("\(shape.entityName): \(modelIndex) is no entity index")
    }
    return shape.entityNumbers[Int(modelIndex)]
  }

  // MARK: - Wide headers

  /// Makes room for types of more than one byte: the body moves up behind the header.
  private func widenHeader(
    _ rows: EncodedRows, from start: Int, fieldCount: Int, end: inout Int
  ) {
    var base = unsafe rows.base
    var typeBytes = 0
    for index in 0..<fieldCount {
      let mark = unsafe (base + start + 1 + index).load(as: UInt8.self)
      if mark != 0xFF { wideTypes[index] = UInt64(mark) }
      typeBytes += Varint.size(wideTypes[index])
    }
    let headerSize = RecordEncoding.headerSize(typeBytes: typeBytes)
    let bodyStart = start + 1 + fieldCount
    let shift = headerSize - (1 + fieldCount)
    if end + shift > rows.capacity {
      rows.grow(to: end + shift, used: end)
      unsafe base = unsafe rows.base
    }
    // Safety: room for the shift was made above; `copyMemory` moves bytes that overlap as `memmove` does.
    unsafe (base + bodyStart + shift).copyMemory(from: base + bodyStart, byteCount: end - bodyStart)
    unsafe withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { scratch in
      guard let bytes = scratch.baseAddress else { return }
      // The last bytes of the header lie right before the body: no byte beyond it may be written.
      var header = unsafe base + start
      var count = unsafe Varint.write(UInt64(headerSize), to: bytes)
      unsafe header.copyMemory(from: bytes, byteCount: count)
      unsafe header += count
      for index in 0..<fieldCount {
        count = unsafe Varint.write(wideTypes[index], to: bytes)
        unsafe header.copyMemory(from: bytes, byteCount: count)
        unsafe header += count
      }
    }
    end += shift
  }

  // MARK: - Errors

  private func missingEntity(_ field: Int) -> StoreError {
    .failure("\(shape.entityName): a reference in a bulk load does not say its entity (\(shape.names[field]))")
  }

  /// SQLite would store a NaN as null.
  private func notANumber(_ field: Int) -> StoreError {
    .failure("\(shape.entityName): NaN cannot be stored in \(shape.names[field])")
  }

  private func malformed(_ field: Int, _ value: UnsafeRawBufferPointer, _ wanted: String) -> StoreError {
    let text = unsafe String(decoding: value.prefix(64), as: UTF8.self)
    return .failure("\(shape.entityName): \(shape.names[field]) needs \(wanted), not \"\(text)\"")
  }
}
