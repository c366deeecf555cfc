import SeedFormats

extension RunError {
  /// Where in a file a mistake is, as far as that is known.
  public struct Position: Sendable, Hashable {
    /// The file as messages name it.
    public var file: String
    /// The line, from 1; nil where it is unknown.
    public var line: Int?
    /// From 1, in characters.
    public var column: Int?
    /// From the start of the file, after decompression.
    public var byteOffset: Int?

    package init(file: String, line: Int? = nil, column: Int? = nil, byteOffset: Int? = nil) {
      self.file = file
      self.line = line
      self.column = column
      self.byteOffset = byteOffset
    }

    init?(_ error: SeedFormatError) {
      guard let file = error.file else { return nil }
      self.init(
        file: file, line: error.line.flatMap { Int(exactly: $0) }, column: error.column.flatMap { Int(exactly: $0) },
        byteOffset: error.byteOffset.flatMap { Int(exactly: $0) })
    }

    init(_ problem: PipelineProblem) {
      self.init(file: problem.file, line: problem.position?.line, column: problem.position?.column)
    }
  }
}
