/// One field of a record: its slice of `RecordBatch.bytes`, its kind, and where it stood as written. A batch has one
/// for each field path that was asked for.
///
/// CSV paths are column names or positions; JSON paths are JSON Pointers or dotted paths.
public struct FieldSlice: Sendable, Equatable {
  /// The meaning of the bytes.
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
  /// Bytes in the slice.
  public var length: UInt32
  /// Offset of the field as written (with quotes or escapes) from the start of its record as written: what
  /// positions are computed from.
  public var rawOffset: UInt32
  /// The meaning of the bytes.
  public var kind: Kind
  /// CSV: the field was quoted. JSON: the string had escapes.
  public var isQuoted: Bool

  /// A slice of a batch's bytes.
  public init(offset: UInt32, length: UInt32, kind: Kind, isQuoted: Bool, rawOffset: UInt32) {
    self.offset = offset
    self.length = length
    self.kind = kind
    self.isQuoted = isQuoted
    self.rawOffset = rawOffset
  }

  /// A field that the record does not have.
  public static var absent: FieldSlice {
    FieldSlice(offset: 0, length: 0, kind: .absent, isQuoted: false, rawOffset: 0)
  }
}
