package import ObjectModel
public import Predicates

/// The rows that a request for dictionaries selects: flat storage, with a dictionary for each row on demand.
///
/// Rows and columns are numbered from 0. Reading a cell makes a value of it; nothing is made before.
public struct FetchedRows: Sendable, RandomAccessCollection {
  /// The names of the columns, in the order of `FetchSpecification.propertiesToFetch`.
  public let columns: [String]
  let storage: Storage
  private let columnIndexes: [String: Int]

  init(columns: [String], storage: Storage) {
    self.columns = columns
    self.storage = storage
    columnIndexes = Dictionary(columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { columns.isEmpty ? 0 : storage.cellCount / columns.count }
  /// The row at a position.
  public subscript(position: Int) -> Row {
    precondition(indices.contains(position), "row \(position) of \(count)")
    return Row(rows: self, index: position)
  }

  /// The value in a row and a column. O(length) for text and bytes, O(1) for the rest.
  public subscript(row: Int, column: Int) -> ExpressionValue {
    precondition(indices.contains(row) && columns.indices.contains(column), "cell \(row), \(column)")
    return storage.value(at: row * columns.count + column)
  }

  /// The object in a row and a column; nil where there is none.
  package func objectID(_ row: Int, _ column: Int) -> ObjectID? {
    precondition(row >= 0 && row < endIndex && columns.indices.contains(column), "cell \(row), \(column)")
    return storage.objectID(at: row * columns.count + column)
  }

  /// The objects in a column of rows that follow each other.
  /// - Precondition: the column has nothing but objects.
  package func objectIDs(_ rows: Range<Int>, _ column: Int) -> [ObjectID] {
    precondition(
      rows.lowerBound >= 0 && rows.upperBound <= endIndex && columns.indices.contains(column), "rows \(rows)")
    return storage.objectIDs(from: rows.lowerBound * columns.count + column, count: rows.count, step: columns.count)
  }

  /// The position of the column of that name.
  public func column(_ name: String) -> Int? { columnIndexes[name] }

  /// Every row as a dictionary; see `Row.dictionary`.
  public var dictionaries: [[String: ExpressionValue]] { map(\.dictionary) }

  /// One row, with a value for each column.
  public struct Row: Sendable {
    let rows: FetchedRows
    /// Its position among the rows.
    public let index: Int

    /// The value in the column of that name; missing when there is no such column.
    public subscript(name: String) -> ExpressionValue {
      rows.column(name).map { rows[index, $0] } ?? .missing
    }

    /// The values by the names of their columns. Missing values are left out.
    public var dictionary: [String: ExpressionValue] {
      var result = [String: ExpressionValue](minimumCapacity: rows.columns.count)
      for (column, name) in rows.columns.enumerated() {
        let value = rows[index, column]
        if !value.isMissing { result[name] = value }
      }
      return result
    }
  }
}
