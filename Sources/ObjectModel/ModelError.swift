/// Every mistake that was found in a model.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One mistake: where, what, and what to do.
  public struct Problem: Sendable, Hashable {
    public var entity: String?
    public var property: String?
    /// Path of the file, when the model came from one.
    public var file: String?
    /// 1-based line in `file`.
    public var line: Int?
    public var message: String
    public var hint: String?
    public init(
      entity: String? = nil, property: String? = nil, file: String? = nil, line: Int? = nil, message: String,
      hint: String? = nil
    ) {
      self.entity = entity
      self.property = property
      self.file = file
      self.line = line
      self.message = message
      self.hint = hint
    }
  }

  public var problems: [Problem]

  public init(_ problems: [Problem]) {
    self.problems = problems
  }

  public var description: String {
    problems.map { problem in
      var text = ""
      if let file = problem.file { text += file + (problem.line.map { ":\($0)" } ?? "") + ": " }
      text += problem.message
      if let hint = problem.hint { text += "\n  hint: " + hint }
      return text
    }.joined(separator: "\n")
  }
}
