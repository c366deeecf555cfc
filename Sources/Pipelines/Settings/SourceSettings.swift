/// `from:` of an import step.
public struct SourceSettings: Sendable {
  /// How records are written.
  public enum Format: String, Sendable, CaseIterable {
    case csv, tsv, json, ndjson, plist

    /// Whether its records are values as JSON has them.
    public var isJSON: Bool { self != .csv && self != .tsv }
    /// Whether it is one document, whose records have positions in an array.
    public var isDocument: Bool { self == .json || self == .plist }
  }
  /// How characters are written.
  public enum Encoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case latin1 = "latin-1"
    case windows1252 = "windows-1252"
  }
  /// Absolute paths in order (a glob is expanded and sorted); `-` is standard input.
  public var paths: [String]
  /// The path or pattern as written.
  public var written: String
  /// How records are written.
  public var format: Format
  /// How characters are written.
  public var encoding: Encoding
  /// CSV: the delimiter between fields, or its first character.
  public var delimiter: UInt8
  /// CSV: the other characters of a delimiter of several.
  public var delimiterRest: [UInt8] = []
  /// CSV: whether a first line `sep=;` states the delimiter.
  public var honorsSeparatorLine = false
  /// CSV: lines at the start that are passed over.
  public var skippedLines = 0
  /// JSON: whether comments and commas before closing brackets are passed over.
  public var isLenient = false
  /// The field that the keys of a JSON object become whose members are the records; nil: they are in an array.
  public var keyedBy: String?
  /// nil: no field is quoted.
  public var quote: UInt8?
  /// nil: a quote is escaped by doubling it.
  public var escape: UInt8?
  /// The character at the start of a line that is no record; nil: every line is one.
  public var comment: UInt8?
  /// Whether the first record names the columns.
  public var hasHeader: Bool
  /// Column names that replace the header, or name the columns where there is none.
  public var columns: [String]?
  /// CSV: names of columns that a file need not have.
  public var optionalColumns: [String] = []
  /// JSON Pointer to the array of records inside a JSON document; "" is the document itself.
  public var pointer: String
  /// Whether the pipeline file states the pointer: only then may a document that is an object be the only record,
  /// whatever else it holds.
  public var statesPointer = false
  /// Field texts that mean null; CSV default: the empty unquoted field.
  public var nulls: [String]
  /// Default date format of the step's Date attributes; nil: ISO 8601.
  public var dateFormat: String?
  /// The time zone of dates that carry none: an IANA name or an offset.
  public var timeZone: String
  /// Where it starts in the pipeline file.
  public var position: FilePosition
}
