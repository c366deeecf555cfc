/// One step of `export:`.
public struct ExportStep: Sendable {
  /// How objects are written.
  public enum Format: String, Sendable, CaseIterable {
    case csv, tsv, ndjson
  }
  /// One column, or JSON key.
  public struct Column: Sendable {
    /// Column title or JSON key.
    public var name: String
    /// Property names from the entity on.
    public var keyPath: [String]
    /// Where the path is in the pipeline file.
    public var position = FilePosition(line: 1, column: 1)

    /// A column by its title and path.
    public init(name: String, keyPath: [String], position: FilePosition = FilePosition(line: 1, column: 1)) {
      self.name = name
      self.keyPath = keyPath
      self.position = position
    }
  }
  /// One attribute to sort by.
  public struct Order: Sendable {
    /// Property names from the entity on.
    public var keyPath: [String]
    /// Whether small values come first.
    public var isAscending: Bool
    /// Where the path is in the pipeline file.
    public var position = FilePosition(line: 1, column: 1)

    /// An order by path and direction.
    public init(keyPath: [String], isAscending: Bool, position: FilePosition = FilePosition(line: 1, column: 1)) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.position = position
    }
  }
  /// Name of the entity whose objects are written.
  public var entity: String
  /// Absolute path, `-` for standard output; `.gz` compresses.
  public var to: String
  /// How objects are written.
  public var format: Format
  /// Empty: every stored attribute.
  public var columns: [Column]
  /// Empty: by primary key.
  public var order: [Order]
  /// Guards text cells that a spreadsheet would run as a formula.
  public var safeForSpreadsheets: Bool
  /// Where it starts in the pipeline file.
  public var position: FilePosition
  /// Where each field's value is in the pipeline file, by the field's name.
  public var fieldPositions: [String: FilePosition] = [:]
  /// Which objects are written, in the format language; nil: all.
  public var predicate: String?
  /// The most objects that are written, at least 1; nil: all.
  public var limit: Int?
  /// CSV: what stands between the fields, an ASCII character; nil: what the format says.
  public var delimiter: UInt8?
  /// CSV: whether the file begins with a byte order mark, by which some spreadsheets tell UTF-8.
  public var hasByteOrderMark = false

  package init(
    entity: String, to: String, format: Format, columns: [Column], order: [Order], safeForSpreadsheets: Bool,
    position: FilePosition, fieldPositions: [String: FilePosition] = [:], predicate: String? = nil, limit: Int? = nil,
    delimiter: UInt8? = nil, hasByteOrderMark: Bool = false
  ) {
    self.entity = entity
    self.to = to
    self.format = format
    self.columns = columns
    self.order = order
    self.safeForSpreadsheets = safeForSpreadsheets
    self.position = position
    self.fieldPositions = fieldPositions
    self.predicate = predicate
    self.limit = limit
    self.delimiter = delimiter
    self.hasByteOrderMark = hasByteOrderMark
  }
}
