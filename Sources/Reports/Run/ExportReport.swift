/// The result of one export step.
public struct ExportReport: Sendable {
  /// The name of the exported entity.
  public var entity: String
  /// Where it was written; `-` for standard output.
  public var path: String
  /// The number of rows that were written.
  public var rows: Int
  /// The time that the export took, by the wall clock.
  public var durationSeconds: Double

  /// A report of an export that was written.
  package init(
    entity: String, path: String, rows: Int, durationSeconds: Double
  ) {
    self.entity = entity
    self.path = path
    self.rows = rows
    self.durationSeconds = durationSeconds
  }
}
