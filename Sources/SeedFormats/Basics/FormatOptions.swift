/// How a source is written: all settings of a reader that the bytes do not show.
public struct FormatOptions: Sendable, Equatable {
  /// The text formats that can be read.
  public enum Format: Sendable, Equatable {
    /// RFC 4180 with the stated delimiter; TSV is CSV with a tab.
    case csv
    /// One document: an array, an object that holds the array at `pointer`, or a single value.
    case json
    /// One JSON value per line.
    case ndjson
  }
  /// The compression of the file.
  public enum Compression: Sendable, Equatable {
    /// gzip when the file starts with gzip's magic bytes.
    case automatic
    case gzip
    case none
  }
  /// The encoding of the text.
  public enum Encoding: Sendable, Equatable {
    /// UTF-16 when the text starts with a UTF-16 byte order mark, otherwise UTF-8.
    case automatic
    case utf8
    /// UTF-16 by its byte order mark, big-endian without one.
    case utf16
    case utf16LittleEndian
    case utf16BigEndian
    /// ISO 8859-1: every byte is the scalar of the same number.
    case latin1
    /// Latin-1 with characters in place of its control characters from 0x80 to 0x9F.
    case windows1252
  }
  /// The limits for the memory that bad input may take.
  public struct Limits: Sendable, Equatable {
    /// Longest record in bytes, 1 to 1,073,741,824.
    public var recordBytes: Int
    /// Deepest nesting of JSON arrays and objects in a document, 1 to 65,536.
    public var nestingDepth: Int
    /// The limit for inflated bytes.
    public var inflation = InflationLimit.standard
    /// 64 MiB and 512 levels unless stated.
    public init(recordBytes: Int = 64 << 20, nestingDepth: Int = 512) {
      self.recordBytes = recordBytes
      self.nestingDepth = nestingDepth
    }
  }

  /// The text format of the file.
  public var format: Format
  /// The compression of the file.
  public var compression: Compression = .automatic
  /// The encoding of the text.
  public var encoding: Encoding = .automatic
  /// CSV: one ASCII byte, the first of what stands between fields.
  public var delimiter: UInt8 = 0x2C
  /// CSV: the other bytes of a delimiter of several characters, ASCII too. The leftmost place where all of them stand
  /// ends a field; a first byte without the others is data.
  public var delimiterRest: [UInt8] = []
  /// CSV: a first line `sep=;`, as spreadsheets write it, is no record and states the delimiter.
  public var honorsSeparatorLine = false
  /// CSV: so many lines at the start are passed over unread, whatever is in them.
  public var skippedLines = 0
  /// CSV: one ASCII byte; nil: quotes are data.
  public var quote: UInt8? = 0x22
  /// CSV: nil: a quote inside quotes is written twice. Otherwise this byte stands before it, and before itself; before
  /// any other byte, and outside quotes, it is data. Doubling means nothing then.
  public var escape: UInt8?
  /// CSV: a record that starts with this byte is skipped up to its line end.
  public var comment: UInt8?
  /// CSV: the first record holds the column names.
  public var hasHeader = true
  /// CSV: column names to use in place of the header's, or when there is none.
  public var columns: [String]?
  /// CSV: names that the first columns of a file may have before the record's own, such as those of a file of rejects.
  /// A file whose first record begins with all of them has a header, whatever `hasHeader` says, and these columns are
  /// no part of its records.
  public var annotationColumns: [String] = []
  /// CSV: projected fields that a file need not have a column for. Where it has none, they are absent from its records.
  public var optionalFields: Set<String> = []
  /// JSON document: JSON Pointer (RFC 6901) to the array of records; empty: the root.
  public var pointer = ""
  /// JSON: a record that is no object is a fault, `json.not-an-object`. Arrays are accepted where a projected path
  /// begins with a position in an array.
  public var requiresObjects = false
  /// JSON document without a pointer: an object is one record only where it has a projected field, and no array of
  /// objects besides what is projected. Otherwise it is refused, and the error names its arrays.
  public var expectsArray = false
  /// JSON document: the bytes are a property list, in XML or binary, whose values are taken as JSON has them.
  public var isPropertyList = false
  /// JSON document: the records are the members of an object, to which the pointer leads; their keys become the field
  /// of this name, and a value that is no object becomes the field `value`. nil: they are the elements of an array.
  public var keyedBy: String?
  /// JSON: comments (`// …` and `/* … */`) and commas before a closing bracket or brace are passed over.
  public var isLenient = false
  /// The limits for the memory that bad input may take.
  public var limits = Limits()

  /// The defaults of RFC 4180 and RFC 8259.
  public init(format: Format) {
    self.format = format
  }

  /// CSV with commas, double quotes and a header.
  public static var csv: FormatOptions { FormatOptions(format: .csv) }
  /// CSV with tabs in place of commas.
  public static var tsv: FormatOptions {
    var options = FormatOptions(format: .csv)
    options.delimiter = 0x09
    return options
  }
  /// A JSON document whose root is the array of records, or the only record.
  public static var json: FormatOptions { FormatOptions(format: .json) }
  /// One JSON value per line.
  public static var ndjson: FormatOptions { FormatOptions(format: .ndjson) }
}

extension FormatOptions {
  /// Refuses options that contradict each other, with code `format.options`.
  func validate(file: String?) throws(SeedFormatError) {
    func refuse(_ message: String) -> SeedFormatError {
      SeedFormatError(code: "format.options", kind: .malformed, message: message, file: file)
    }
    guard (1...(1 << 30)).contains(limits.recordBytes) else {
      throw refuse("the record limit must be 1 to 1,073,741,824 bytes, it is \(limits.recordBytes)")
    }
    guard (1...65_536).contains(limits.nestingDepth) else {
      throw refuse("the nesting limit must be 1 to 65,536, it is \(limits.nestingDepth)")
    }
    guard format == .csv else { return }
    var roles: [UInt8: String] = [:]
    for (role, byte) in [("delimiter", delimiter), ("quote", quote), ("escape", escape), ("comment", comment)] {
      guard let byte else { continue }
      guard byte > 0, byte < 0x80, byte != 0x0A, byte != 0x0D else {
        throw refuse("the \(role) must be one ASCII character other than NUL and line ends")
      }
      if let other = roles[byte] { throw refuse("\(other) and \(role) are the same character") }
      roles[byte] = role
    }
    for byte in delimiterRest {
      guard byte > 0, byte < 0x80, byte != 0x0A, byte != 0x0D, byte != quote else {
        throw refuse("a delimiter is made of ASCII characters other than NUL, line ends and the quote")
      }
    }
  }
}
