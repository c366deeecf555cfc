/// An index over a table that has rows already.
public struct IndexShape: Sendable, Hashable {
  /// One column of the key.
  public struct Column: Sendable, Hashable {
    /// Position of the field in the table's records, from 0; nil for the row id itself.
    public var field: Int?
    /// Whether greater values come first.
    public var isDescending: Bool

    /// A column of the key.
    public init(field: Int?, isDescending: Bool = false) {
      self.field = field
      self.isDescending = isDescending
    }
  }

  /// The name of the index in messages.
  public var name: String
  /// Root page of the empty index, as `sqlite_schema` names it.
  public var root: UInt32
  /// The columns in the order of the key. Texts compare by their bytes (`BINARY`).
  public var columns: [Column]
  /// Whether two rows with the same key, none of whose columns is null, are an error.
  public var isUnique: Bool

  /// An index over these columns.
  public init(name: String, root: UInt32, columns: [Column], isUnique: Bool = false) {
    self.name = name
    self.root = root
    self.columns = columns
    self.isUnique = isUnique
  }
}
