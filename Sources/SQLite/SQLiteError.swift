import CSQLite

/// The error of a call to SQLite.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A primary result code. Only codes that callers check have names.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The number that SQLite gives the code.
    public var rawValue: Int32
    /// The code with SQLite's number.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }
    /// Wrong SQL, or no more precise code.
    public static let error = Code(rawValue: SQLITE_ERROR)
    /// The process lacks the permission for this access.
    public static let permission = Code(rawValue: SQLITE_PERM)
    /// Another connection holds a lock.
    public static let busy = Code(rawValue: SQLITE_BUSY)
    /// A statement of this connection holds a lock that conflicts.
    public static let locked = Code(rawValue: SQLITE_LOCKED)
    /// An allocation failed.
    public static let outOfMemory = Code(rawValue: SQLITE_NOMEM)
    /// A write on a read-only database.
    public static let readOnly = Code(rawValue: SQLITE_READONLY)
    /// The file system failed.
    public static let inputOutput = Code(rawValue: SQLITE_IOERR)
    /// The file is damaged.
    public static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    /// The disk is full.
    public static let full = Code(rawValue: SQLITE_FULL)
    /// The file cannot be opened.
    public static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    /// Other connections take and release the locks of a log so often that this connection gets none.
    public static let lockingProtocol = Code(rawValue: SQLITE_PROTOCOL)
    /// A text or blob is over SQLite's limit.
    public static let tooBig = Code(rawValue: SQLITE_TOOBIG)
    /// A constraint was broken.
    public static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    /// The program misused the API.
    public static let misuse = Code(rawValue: SQLITE_MISUSE)
    /// An operation was denied.
    public static let authorization = Code(rawValue: SQLITE_AUTH)
    /// The file is no database.
    public static let notADatabase = Code(rawValue: SQLITE_NOTADB)
  }

  /// The primary result code.
  public var code: Code
  /// The extended result code, such as 2067 for a broken unique index.
  public var extendedCode: Int32
  /// The message in SQLite's words.
  public var message: String
  /// The statement that failed, when there was one.
  public var sql: String?
  /// Path of the database file, empty for a private one.
  public var path: String

  /// Makes an error from an extended code; the primary code is its low byte.
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

  /// Whether the file has the journal of a write that did not end, which a read-only connection may not undo.
  public var isUnfinishedWrite: Bool { extendedCode == Int32(CSQLITE_READONLY_ROLLBACK) }

  /// The most characters of a statement that are shown.
  private static let shownLength = 300

  /// Path, message, code and the beginning of the statement in one line.
  public var description: String {
    var text = path.isEmpty ? "" : path + ": "
    text += "\(message) (SQLite \(extendedCode))"
    if let sql {
      text += " in: " + sql.prefix(Self.shownLength) + (sql.count > Self.shownLength ? "…" : "")
    }
    return text
  }
}
