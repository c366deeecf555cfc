import SQLite
import SQLitePages

/// A value in a record of a table, or none where a change says nothing of a field.
enum RecordValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  case absent

  func bind(to statement: Statement, _ place: Int32) throws {
    switch self {
    case .null, .absent: try statement.bindNull(place)
    case .integer(let value): try statement.bind(place, value)
    case .real(let value): try statement.bind(place, value)
    case .text(let value): try statement.bind(place, value)
    case .blob(let value): try statement.bind(place, blob: value)
    }
  }

  var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// The values as SQLite stores them in a row.
  static func record(_ values: [RecordValue]) -> [UInt8] {
    var types: [UInt64] = []
    var body: [UInt8] = []
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
    defer { unsafe scratch.deallocate() }
    for value in values {
      switch value {
      case .null: types.append(0)
      case .absent: types.append(RowChanges.absentType)
      case .integer(let value):
        let (type, count) = unsafe RecordEncoding.write(value, to: scratch)
        types.append(UInt64(type))
        unsafe body += UnsafeRawBufferPointer(start: scratch, count: count)
      case .real(let value):
        types.append(7)
        body += (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (56 - 8 * UInt64($0))) }
      case .text(let value):
        types.append(RecordEncoding.textType(value.utf8.count))
        body += Array(value.utf8)
      case .blob(let value):
        types.append(RecordEncoding.blobType(value.count))
        body += value
      }
    }
    var header: [UInt8] = []
    let size = RecordEncoding.headerSize(typeBytes: types.reduce(0) { $0 + Varint.size($1) })
    for number in [UInt64(size)] + types {
      let count = unsafe Varint.write(number, to: scratch)
      unsafe header += UnsafeRawBufferPointer(start: scratch, count: count)
    }
    return header + body
  }
}
