import SQLite

/// Copies of the texts that a statement is given, all in one piece of memory that is used again for the next one:
/// SQLite's own copies would be an allocation each.
@safe final class BoundTexts {
  private static let capacity = 1 << 16
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
  private var count = 0

  deinit { unsafe bytes.deallocate() }

  /// To be called before parameters are bound anew. Statements that were given texts must not run without that.
  func removeAll() { count = 0 }

  /// Binds a text. What does not fit is copied by SQLite.
  func bind(_ text: String, to statement: Statement, at parameter: Int32) throws(SQLiteError) {
    var text = text
    let start = unsafe bytes + count
    let free = Self.capacity - count
    let length = text.withUTF8 { source in
      guard let first = source.baseAddress, source.count <= free else { return source.isEmpty ? 0 : -1 }
      unsafe start.copyMemory(from: first, byteCount: source.count)
      return source.count
    }
    if length < 0 { return try statement.bind(parameter, text) }
    count += length
    // Safety: the bytes stay until `removeAll`, after which every parameter is bound anew before the statement runs.
    try unsafe statement.bindText(parameter, start, count: length)
  }
}
