/// One record's place in its source.
public struct RecordPlace: Sendable, Equatable {
  /// 1-based line of the record's first byte.
  public var line: UInt64
  /// Offset of the record's first byte in the decompressed source, after transcoding to UTF-8.
  public var byteOffset: UInt64
  /// The record as written: its slice of `RecordBatch.bytes`, without the line end.
  public var rawOffset: UInt32
  /// Bytes in the record as written.
  public var rawLength: UInt32
  /// 1-based column of the record's first byte in Unicode scalars; above 1 only in a JSON document and
  /// after an annotation.
  public var column: UInt32

  /// A place; `column` is 1 for records that start a line.
  public init(line: UInt64, byteOffset: UInt64, rawOffset: UInt32, rawLength: UInt32, column: UInt32 = 1) {
    self.line = line
    self.byteOffset = byteOffset
    self.rawOffset = rawOffset
    self.rawLength = rawLength
    self.column = column
  }
}

/// A record that the scanner could not read as a record (ragged, invalid UTF-8, NUL): it has a place but no fields.
public struct UnreadableRecord: Sendable, Equatable {
  /// Position of the record among the batch's records: it stands before the good record with this index.
  public var beforeRecord: Int
  /// Where the record is.
  public var place: RecordPlace
  /// Offset of the mistake from the start of the record as written.
  public var rawOffset: UInt32
  /// Stable code, such as `csv.ragged`, `text.invalid-utf8`, `text.nul`.
  public var code: String
  /// What is wrong, for people.
  public var message: String
  /// What to do about it.
  public var hint: String?
  /// A fault of one record.
  public init(
    beforeRecord: Int, place: RecordPlace, rawOffset: UInt32, code: String, message: String, hint: String? = nil
  ) {
    self.beforeRecord = beforeRecord
    self.place = place
    self.rawOffset = rawOffset
    self.code = code
    self.message = message
    self.hint = hint
  }
}
