import ObjectModel

/// One mistake in a pipeline file, or something about it worth a look.
public struct PipelineProblem: Sendable, Hashable, CustomStringConvertible {
  /// Errors stop a run; warnings do not.
  public enum Severity: String, Sendable {
    case error, warning
  }
  /// Whether the pipeline is wrong or something it names is not there.
  public enum Kind: Sendable {
    /// A mistake in the file itself: exit code 78.
    case configuration
    /// The pipeline file or an input is missing or unreadable: exit code 66.
    case missing
    /// The system failed to read the pipeline file or an input: exit code 74.
    case inputOutput
    /// A source cannot be read as what it is said to be, or a store is not fit: exit code 65.
    case badData
    /// Another process uses a store: exit code 75.
    case locked
  }
  /// How much it matters.
  public var severity: Severity
  /// The kind of problem.
  public var kind: Kind
  /// Stable code, such as `pipeline.unknown-key`.
  public var code: String
  /// What is wrong, in one line.
  public var message: String
  /// What to do about it.
  public var hint: String?
  /// The path of the pipeline file.
  public var file: String
  /// Where in the file; nil when the file as a whole is meant.
  public var position: FilePosition?

  /// A problem with its code and place.
  public init(
    severity: Severity = .error, kind: Kind = .configuration, code: String, message: String, hint: String? = nil,
    file: String, position: FilePosition?
  ) {
    self.severity = severity
    self.kind = kind
    self.code = code
    self.message = message
    self.hint = hint
    self.file = file
    self.position = position
  }

  /// `file:line:column: message`, and the hint on a second line.
  public var description: String { messageInPlace + (hint.map { "\n  hint: \($0)" } ?? "") }

  /// The description without the hint.
  var messageInPlace: String { place + (severity == .warning ? "warning: " : "") + message }

  /// The text before the message.
  package var place: String { file + (position.map { ":\($0.line):\($0.column)" } ?? "") + ": " }
}

extension [PipelineProblem] {
  /// The problems in the order of the file: those of the whole file first, and those of one place as they stood.
  package func sortedByPosition() -> [PipelineProblem] {
    enumerated().sorted { left, right in
      let (first, second) = (left.element.position, right.element.position)
      return (first?.line ?? 0, first?.column ?? 0, left.offset) < (
        second?.line ?? 0, second?.column ?? 0, right.offset
      )
    }.map(\.element)
  }
}

/// Every mistake found in a pipeline file.
public struct PipelineError: Error, Sendable, CustomStringConvertible {
  /// The problems in the order of their positions; never empty.
  public var problems: [PipelineProblem]

  /// An error for some problems.
  public init(_ problems: [PipelineProblem]) {
    self.problems = problems
  }

  /// `.inputOutput` when the system failed; else `.configuration`, unless nothing is wrong but inputs: then `.missing`
  /// when one is not there.
  public var kind: PipelineProblem.Kind {
    let kinds = problems.map(\.kind)
    return [.inputOutput, .configuration, .missing, .badData, .locked].first(where: kinds.contains) ?? .missing
  }

  /// 65 for inputs that are not fit, 66 for missing ones, 74 for a failure of the system, 75 for a store in use, 78 for
  /// a bad pipeline.
  public var exitCode: Int32 { RunError.Kind(kind).exitCode }

  /// The problems, one after the other. Of more than ten the first ones, and how many there are.
  public var description: String { ProblemList.text(problems) }
}
