/// A 1-based position in the pipeline file.
public struct FilePosition: Sendable, Hashable {
  /// The line, from 1.
  public var line: Int
  /// From 1, counted in Unicode scalars.
  public var column: Int

  /// A position from its line and column.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
