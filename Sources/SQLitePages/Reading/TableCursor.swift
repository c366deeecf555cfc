/// Reads fields of a mapped table's rows into columns, in the order of row ids, without a call per row. Used by one
/// thread at a time.
///
/// `fields` belongs to the cursor and has a place for the greatest position of the columns. A record is good until the
/// next one is asked for: its fields are copied to the caller's memory before that. `StoredRecord.locate` refuses a
/// record with a field that does not lie within it.
@safe public final class TableCursor {
  /// A field that is read.
  public struct Column: Sendable, Hashable {
    /// The kind of the caller's cells.
    public enum Kind: Sendable, Hashable {
      /// 64-bit integers.
      case integer
      /// Doubles; stored integers are converted, as SQLite stores whole reals.
      case real
      /// Texts and blobs: offset and length, 32 bits each.
      case bytes
    }

    /// Position of the column in the table's records.
    public var position: Int
    /// The kind of the caller's cells.
    public var kind: Kind

    /// A field at a position of the records.
    public init(position: Int, kind: Kind) {
      self.position = position
      self.kind = kind
    }
  }

  /// Where the cells of a column go.
  @unsafe public struct Target {
    /// One byte per row: 1 it is null, 2 it has a value.
    public var states: UnsafeMutablePointer<UInt8>
    /// Eight bytes per row.
    public var cells: UnsafeMutableRawPointer

    /// A target in memory that the caller keeps.
    public init(states: UnsafeMutablePointer<UInt8>, cells: UnsafeMutableRawPointer) {
      unsafe self.states = unsafe states
      unsafe self.cells = unsafe cells
    }
  }

  /// Why no more rows were read.
  public enum Stop: Sendable, Hashable {
    /// There is no place for more rows.
    case full
    /// There are no more rows.
    case end
    /// The bytes of the next row's texts and blobs need so much room.
    case room(Int)
    /// The next row holds a value of another kind in one of the columns, which SQLite would convert. `skip` passes it.
    case irregular(rowID: Int64)
  }

  private let table: MappedTable
  private let columns: [Column]
  private let fields: UnsafeMutableBufferPointer<StoredRecord.Field>
  private let overflow = RecordScratch()
  private var leaf = 0
  private var index = 0

  /// A cursor that stands before the first row.
  public init(_ table: MappedTable, columns: [Column]) {
    self.table = table
    self.columns = columns
    unsafe fields = .allocate(capacity: (columns.map(\.position).max() ?? -1) + 1)
  }

  deinit { unsafe fields.deallocate() }

  /// Passes over the next row.
  public func skip() { index += 1 }

  /// Bytes of the texts and blobs of the row that was located last.
  private var roomOfRow: Int {
    columns.reduce(0) { sum, column in
      let field = unsafe fields[column.position]
      return sum + (column.kind == .bytes && field.type >= 12 ? field.count : 0)
    }
  }

  /// Reads rows until something stops it.
  /// - Parameters:
  ///   - targets: one per column, with places for `rows.upperBound` rows.
  ///   - rows: the places to fill.
  ///   - bytes: where bytes of texts and blobs go.
  ///   - offset: the offset of `bytes` in the offsets that the cells get.
  /// - Returns: the number of rows read, and of bytes used.
  @unsafe public func read(
    into targets: [Target], rows: Range<Int>, bytes: UnsafeMutableRawBufferPointer, offset: Int
  ) throws(PageError) -> (rows: Int, bytes: Int, stop: Stop) {
    var row = rows.lowerBound
    var used = 0
    while leaf < table.leaves.count {
      let count = try table.cellCount(leaf)
      while index < count {
        if row == rows.upperBound { return (row - rows.lowerBound, used, .full) }
        let cell = unsafe try table.cell(leaf, index)
        let record = unsafe try table.record(cell, overflow: overflow)
        guard unsafe StoredRecord.locate(record, count: cell.size, fields: fields) else {
          throw table.malformed(table.leaves[leaf])
        }
        let before = used
        for column in 0..<columns.count {
          let field = unsafe fields[columns[column].position]
          if field.type == 0 {
            unsafe targets[column].states[row] = 1
            continue
          }
          unsafe targets[column].states[row] = 2
          // Safety: `fields` has a place for the greatest position, and `locate` has found the field within the record.
          // The targets have places for all of `rows`, as the caller says.
          let source = unsafe record + field.offset
          let place = unsafe targets[column].cells + row * 8
          switch columns[column].kind {
          case .integer:
            guard field.type < 10, field.type != 7 else {
              return unsafe (row - rows.lowerBound, before, .irregular(rowID: cell.rowID))
            }
            unsafe place.storeBytes(of: StoredRecord.integer(source, type: field.type), as: Int64.self)
          case .real:
            guard field.type < 10 else {
              return unsafe (row - rows.lowerBound, before, .irregular(rowID: cell.rowID))
            }
            let value =
              unsafe field.type == 7
              ? Double(bitPattern: UInt64(bigEndian: source.loadUnaligned(as: UInt64.self)))
              : Double(StoredRecord.integer(source, type: field.type))
            unsafe place.storeBytes(of: value, as: Double.self)
          case .bytes:
            guard field.type >= 12 else {
              return unsafe (row - rows.lowerBound, before, .irregular(rowID: cell.rowID))
            }
            let length = field.count
            guard used + length <= bytes.count, let base = bytes.baseAddress else {
              return (row - rows.lowerBound, before, .room(roomOfRow))
            }
            unsafe (base + used).copyMemory(from: source, byteCount: length)
            unsafe place.storeBytes(of: UInt32(truncatingIfNeeded: offset + used), as: UInt32.self)
            unsafe place.storeBytes(of: UInt32(truncatingIfNeeded: length), toByteOffset: 4, as: UInt32.self)
            used += length
          }
        }
        row += 1
        index += 1
      }
      leaf += 1
      index = 0
    }
    return (row - rows.lowerBound, used, .end)
  }
}
