/// Where a source's field paths lie in each record, and what was found there.
///
/// A reader is given the field paths that the pipeline needs (its projection) and delivers, per record, one
/// `FieldSlice` per path. CSV paths are column names or positions; JSON paths are JSON Pointers.
public struct FieldSlice: Sendable {
  /// What the bytes are.
  public enum Kind: UInt8, Sendable {
    /// The record has no such field (JSON key missing). An absent field changes nothing.
    case absent = 0
    /// JSON null.
    case null = 1
    /// Text: the unescaped bytes, UTF-8. Every present CSV field is text.
    case string = 2
    /// JSON number: its bytes as written.
    case number = 3
    case `true` = 4
    case `false` = 5
    /// JSON object or array: its raw JSON text.
    case object = 6
    case array = 7
  }
  /// Offset of the first byte in `RecordBatch.bytes`.
  public var offset: UInt32
  public var length: UInt32
  public var kind: Kind
  /// CSV: the field was quoted. JSON: the string had escapes.
  public var isQuoted: Bool
  /// Offset of the field as written (with quotes or escapes) from the start of its record as written: what
  /// positions are computed from.
  public var rawOffset: UInt32

  public init(offset: UInt32, length: UInt32, kind: Kind, isQuoted: Bool, rawOffset: UInt32) {
    self.offset = offset
    self.length = length
    self.kind = kind
    self.isQuoted = isQuoted
    self.rawOffset = rawOffset
  }
}

/// One record's place in its source.
public struct RecordPlace: Sendable {
  /// 1-based line of the record's first byte.
  public var line: UInt64
  /// Offset of the record's first byte in the decompressed source, after transcoding to UTF-8.
  public var byteOffset: UInt64
  /// The record as written: its slice of `RecordBatch.bytes`, without the line end.
  public var rawOffset: UInt32
  public var rawLength: UInt32

  public init(line: UInt64, byteOffset: UInt64, rawOffset: UInt32, rawLength: UInt32) {
    self.line = line
    self.byteOffset = byteOffset
    self.rawOffset = rawOffset
    self.rawLength = rawLength
  }
}

/// A record that the scanner could not read as a record (ragged, invalid UTF-8, NUL): it has a place but no fields.
public struct RecordFault: Sendable {
  /// Position of the record among the batch's records: it stands before the good record with this index.
  public var beforeRecord: Int
  public var place: RecordPlace
  /// Offset of the mistake from the start of the record as written.
  public var rawOffset: UInt32
  /// Stable code, such as `csv.ragged`, `text.invalid-utf8`, `text.nul`.
  public var code: String
  public var message: String
  public var hint: String?
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

/// Some consecutive records of one source, as offsets into one byte buffer. One owner at a time; reused.
public final class RecordBatch: @unchecked Sendable {
  /// Slices per record.
  public let fieldCount: Int
  /// Raw input followed by unescaped copies of fields that needed it.
  public internal(set) var bytes: [UInt8] = []
  /// `fieldCount` slices per record, record after record, in projection order.
  public internal(set) var fields: [FieldSlice] = []
  public internal(set) var places: [RecordPlace] = []
  public internal(set) var faults: [RecordFault] = []
  /// Ordinal (from 0) of the first record or fault of this batch in its source.
  public internal(set) var firstOrdinal: UInt64 = 0
  public var count: Int { places.count }

  public init(fieldCount: Int) {
    self.fieldCount = fieldCount
  }
}
