/// Why pages could not be read or written.
public struct PageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of errors that callers treat in different ways.
  public enum Kind: Sendable {
    /// The file or the request does not suit work on pages; SQLite may still do it.
    case unsuitable
    /// Reading or writing failed: disk full, no permission.
    case inputOutput
    /// Keys or rows came in the wrong order, or a page has not the form that SQLite gives it.
    case malformed
    /// Two rows have the same key in a unique index.
    case duplicateKey
  }
  /// How a caller may treat it.
  public var kind: Kind
  /// What is wrong, in words.
  public var message: String
  /// The rows of a duplicate key.
  public var rows: [Int64] = []

  /// The same text as `message`.
  public var description: String { message }
}
