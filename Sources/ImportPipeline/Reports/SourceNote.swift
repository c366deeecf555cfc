/// What is worth telling of a file of a source although nothing is wrong with it.
public struct SourceNote: Sendable, Hashable {
  /// What it is about a file.
  public enum Kind: String, Sendable {
    /// There is nothing in it.
    case emptyFile = "empty file"
    /// CSV: the names of the columns and no record.
    case headerOnly = "header only"
    /// JSON: the array of records has no element.
    case emptyArray = "empty array"
    /// Nothing but blank lines or comments.
    case blankLines = "blank lines only"
    /// A dry run leaves a FIFO to the run.
    case unread = "a dry run does not read from a FIFO"
  }
  /// The file as messages name it.
  public var file: String
  /// What it is.
  public var kind: Kind

  /// The note as a report has it.
  public var text: String {
    kind == .unread ? "\(file): not read: \(kind.rawValue)" : "\(file): no records: \(kind.rawValue)"
  }
}
