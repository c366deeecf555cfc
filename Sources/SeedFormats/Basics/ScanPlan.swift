/// How the records of one source are scanned: all that must be known of it besides the bytes. Shared by the workers
/// that scan a source's batches.
final class ScanPlan: Sendable {
  let options: FormatOptions
  let file: String?
  /// JSON: the projected paths. CSV: unused.
  let projection: [String]
  /// CSV: column of each projected field, or one of the two below.
  let slotColumns: [Int]
  /// CSV: fields of each record as written, annotation included.
  let columnCount: Int
  /// CSV: columns before the record's own.
  let annotationCount: Int

  /// Stands for the whole record.
  static let wholeRecord = -1
  /// Stands for a column that the file does not have.
  static let noColumn = -2

  init(
    options: FormatOptions, file: String?, projection: [String], slotColumns: [Int] = [], columnCount: Int = 0,
    annotationCount: Int = 0
  ) {
    self.options = options
    self.file = file
    self.projection = projection
    self.slotColumns = slotColumns
    self.columnCount = columnCount
    self.annotationCount = annotationCount
  }
}
