/// A remark about a file of a source, or about the whole source, that is no error.
public struct SourceNote: Sendable, Hashable {
  /// The kinds of remarks.
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
    /// Latin-1 makes control characters of bytes that are letters and quotation marks of Windows-1252.
    case controlCharacters = "control characters"
    /// References with `missing: null` whose keys match no object.
    case leftOut = "references left out"
  }
  /// The file as messages name it; the source as the pipeline writes it where the note is of all files.
  public var file: String
  /// The kind of the remark.
  public var kind: Kind
  /// Of references: the relationship, and how many keys match no object.
  private var property = ""
  private var count = 0

  package init(file: String, kind: Kind) {
    self.file = file
    self.kind = kind
  }

  /// References that were left out.
  package init(source: String, leftOut property: String, count: Int) {
    file = source
    kind = .leftOut
    self.property = property
    self.count = count
  }

  /// The note as a report has it.
  public var text: String {
    switch kind {
    case .unread: "\(file): not read: \(kind.rawValue)"
    case .controlCharacters:
      "\(file): it has bytes from 0x80 to 0x9F, which latin-1 makes control characters: is it encoding: windows-1252?"
    case .leftOut:
      "\(property): \(count) \(count == 1 ? "reference was" : "references were") left out, because no object has the "
        + "key (missing: null)"
    case .emptyFile, .headerOnly, .emptyArray, .blankLines: "\(file): no records: \(kind.rawValue)"
    }
  }
}
