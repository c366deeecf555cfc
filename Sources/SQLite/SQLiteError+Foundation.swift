public import Foundation

extension SQLiteError: LocalizedError, CustomNSError {
  /// What is wrong and where, as `description` has it.
  public var errorDescription: String? { description }
  /// The domain of SQLite's errors, as Core Data names it.
  public static var errorDomain: String { "NSSQLiteErrorDomain" }
  /// SQLite's extended result code.
  public var errorCode: Int { Int(extendedCode) }
  /// The description, under Foundation's keys.
  public var errorUserInfo: [String: Any] {
    [NSLocalizedDescriptionKey: description]
  }
}
