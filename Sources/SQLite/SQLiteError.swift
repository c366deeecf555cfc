import CSQLite

/// What went wrong in a call to SQLite.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A primary result code. Only the ones that callers decide by have names.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public var rawValue: Int32
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }
    public static let error = Code(rawValue: SQLITE_ERROR)
    public static let permission = Code(rawValue: SQLITE_PERM)
    public static let busy = Code(rawValue: SQLITE_BUSY)
    public static let locked = Code(rawValue: SQLITE_LOCKED)
    public static let outOfMemory = Code(rawValue: SQLITE_NOMEM)
    public static let readOnly = Code(rawValue: SQLITE_READONLY)
    public static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
    public static let inputOutput = Code(rawValue: SQLITE_IOERR)
    public static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    public static let full = Code(rawValue: SQLITE_FULL)
    public static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    public static let tooBig = Code(rawValue: SQLITE_TOOBIG)
    public static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    public static let misuse = Code(rawValue: SQLITE_MISUSE)
    public static let authorization = Code(rawValue: SQLITE_AUTH)
    public static let notADatabase = Code(rawValue: SQLITE_NOTADB)
  }

  public var code: Code
  /// The extended result code, such as 2067 for a broken unique index.
  public var extendedCode: Int32
  public var message: String
  /// The statement that failed, when there was one.
  public var sql: String?
  /// Path of the database file, empty for a private one.
  public var path: String

  public init(extendedCode: Int32, message: String, sql: String? = nil, path: String = "") {
    self.code = Code(rawValue: extendedCode & 0xFF)
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.path = path
  }

  /// Whether a UNIQUE index or a PRIMARY KEY was broken.
  public var isUniqueViolation: Bool {
    extendedCode == Int32(CSQLITE_CONSTRAINT_UNIQUE)
      || extendedCode == Int32(CSQLITE_CONSTRAINT_PRIMARY_KEY)
      || extendedCode == Int32(CSQLITE_CONSTRAINT_ROWID)
  }

  public var description: String {
    var text = path.isEmpty ? "" : path + ": "
    text += "\(message) (SQLite \(extendedCode))"
    if let sql { text += " in: " + sql }
    return text
  }
}
