/// How a table's rows become rows with other columns or values: for each kind of row, the fields of the new record. A
/// number in the old record says of what kind a row is.
public struct RowTranslation: Sendable {
  /// A field of a new record.
  public enum Cell: Sendable, Hashable {
    /// The old record's field at a position, as it is.
    case field(Int)
    /// The same for all rows.
    case constant(RecordValue)
    /// The old record's field at a position, or where that is null the same for all rows.
    case fieldOr(Int, RecordValue)
    /// The whole number at a position with a number added; null stays null.
    case raised(Int, by: Int64)
  }

  /// Position of the field that says of what kind a row is.
  public let kindPosition: Int
  /// The fields of new records, by kind.
  public let cells: [Int64: [Cell]]
  /// Kinds whose rows go.
  public let dropped: Set<Int64>
  /// What is added to row ids.
  public let rowIDOffset: Int64

  /// - Parameters:
  ///   - cells: by kind, for all kinds equally many. Kinds are numbers from 0 to 65,536.
  public init(kindPosition: Int, cells: [Int64: [Cell]], dropped: Set<Int64> = [], rowIDOffset: Int64 = 0) {
    self.kindPosition = kindPosition
    self.cells = cells
    self.dropped = dropped
    self.rowIDOffset = rowIDOffset
  }

  /// How many rows there were of each kind, those that went included.
  public typealias Counts = [Int64: Int]
}
