/// Why a run ended without its result. Exit codes are the command's business; `kind` tells which applies.
public struct RunError: Error, Sendable, CustomStringConvertible {
  /// The family of an error; an exit code stands for each.
  public enum Kind: Sendable, Hashable {
    /// Bad data beyond the limit.
    case badData
    /// An input is missing or unreadable.
    case missingInput
    /// The result cannot be created.
    case cannotCreate
    /// Input or output failed: disk full, truncated gzip.
    case inputOutput
    /// Another run holds the store.
    case locked
    /// The pipeline or the model is wrong.
    case badPipeline
    case interrupted
    case `internal`
  }
  /// The family of the error, which decides the exit code.
  public var kind: Kind
  /// A stable code such as `source.missing`.
  public var code: String
  /// What went wrong, with file, line and column where there are any.
  public var message: String
  /// What to do about it; nil where that is unknown.
  public var hint: String?
  /// Where in a file it is, as far as that is known.
  public var position: Position?
  /// Every mistake in the pipeline file, or every expectation of it that is not met, where there are some.
  public var problems: [PipelineProblem] = []

  /// Of a mistake in a pipeline file: where it is, and the message without that.
  package var place: Place?

  package struct Place: Sendable {
    package var position: FilePosition
    package var message: String
  }

  /// An error of a kind.
  public init(_ kind: Kind, code: String, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message, and the hint on a line of its own.
  public var description: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}
