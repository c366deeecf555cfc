/// Why pages could not be written.
public struct PageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What a caller decides by.
  public enum Kind: Sendable {
    /// The file is no database in a state that pages can be added to.
    case unsuitable
    /// Reading or writing failed: disk full, no permission.
    case inputOutput
    /// Keys or rows came in the wrong order, or a page has not the form that SQLite gives it.
    case malformed
    /// Two rows have the same key in a unique index.
    case duplicateKey
  }
  /// What a caller decides by.
  public var kind: Kind
  /// What is wrong, in words.
  public var message: String
  /// The rows of a duplicate key.
  public var rows: [Int64] = []

  /// The same text as `message`.
  public var description: String { message }
}
