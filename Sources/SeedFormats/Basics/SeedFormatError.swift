/// What went wrong while bytes became records or records became bytes, and where.
public struct SeedFormatError: Error, Sendable, Equatable {
  /// The kind of error, which decides the exit code.
  public enum Kind: Sendable {
    /// The input does not exist.
    case missing
    /// The input exists but cannot be opened.
    case unreadable
    /// The bytes are not what was written: truncated or corrupt gzip.
    case damaged
    /// The output cannot be created.
    case cannotCreate
    /// Reading or writing failed: disk full, closed pipe.
    case io
    /// The text is not CSV or JSON of the stated form, or lacks what was asked of it.
    case malformed

    /// 66 no input, 73 no output, 74 input/output error, 65 bad data.
    public var exitCode: Int32 {
      switch self {
      case .missing, .unreadable: 66
      case .cannotCreate: 73
      case .damaged, .io: 74
      case .malformed: 65
      }
    }
  }

  /// Stable code, such as `csv.unterminated-quote`.
  public var code: String
  /// The kind of error, which decides the exit code.
  public var kind: Kind
  /// What is wrong, for people.
  public var message: String
  /// What to do about it.
  public var hint: String?
  /// The path as it was given.
  public var file: String?
  /// 1-based line of the decompressed text.
  public var line: UInt64?
  /// 1-based column in Unicode scalars.
  public var column: UInt64?
  /// Offset in the text after transcoding to UTF-8; for gzip errors in the compressed file, for encoding errors in
  /// the text before transcoding.
  public var byteOffset: UInt64?
  /// Columns that were asked for and are not there, each with what to do about it.
  public var missingColumns: [MissingName] = []

  /// A name that is not there.
  public struct MissingName: Sendable, Equatable {
    /// The name as it was asked for.
    public var name: String
    /// The names that are there instead, and the one that is probably meant.
    public var hint: String
  }

  /// An error; positions that are not known stay nil.
  public init(
    code: String, kind: Kind, message: String, hint: String? = nil, file: String? = nil, line: UInt64? = nil,
    column: UInt64? = nil, byteOffset: UInt64? = nil
  ) {
    self.code = code
    self.kind = kind
    self.message = message
    self.hint = hint
    self.file = file
    self.line = line
    self.column = column
    self.byteOffset = byteOffset
  }
}

extension SeedFormatError: CustomStringConvertible {
  /// `file:line:column: message (code)` and the hint on a line of its own.
  public var description: String {
    var text = file ?? ""
    if let line {
      text += "\(text.isEmpty ? "" : ":")\(line)"
      if let column { text += ":\(column)" }
    } else if let byteOffset {
      text += "\(text.isEmpty ? "" : ":")byte \(byteOffset)"
    }
    if !text.isEmpty { text += ": " }
    text += "\(message) (\(code))"
    if let hint { text += "\n  hint: \(hint)" }
    return text
  }
}
