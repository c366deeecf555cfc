/// The result of one export step.
public struct ExportReport: Sendable {
  /// The entity.
  public var entity: String
  /// Where it was written; `-` for standard output.
  public var path: String
  /// Rows written.
  public var rows: Int
  /// Wall-clock time.
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
