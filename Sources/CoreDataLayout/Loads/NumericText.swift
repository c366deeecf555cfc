import SQLite
import SQLitePages
import StoreInterface

/// The number that SQLite stores for a text in a column of numeric affinity. SQLite itself is asked, because its
/// conversion is not the correctly rounded one in every last bit.
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
