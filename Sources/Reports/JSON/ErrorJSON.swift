package import Pipelines

/// Why a run failed, as JSON.
package enum ErrorJSON {
  /// Null where nothing failed.
  package static func value(_ failure: RunError?) -> JSONValue {
    guard let failure else { return .null }
    return .object([
      ("code", .string(failure.code)), ("message", .string(failure.message)),
      ("hint", failure.hint.map { .string($0) } ?? .null), ("position", position(failure.position)),
      ("problems", .array(failure.problems.map(problem))),
    ])
  }

  /// Null where it is not known.
  package static func position(_ position: RunError.Position?) -> JSONValue {
    guard let position else { return .null }
    return .object([
      ("file", .string(position.file)), ("line", number(position.line)), ("column", number(position.column)),
      ("byteOffset", number(position.byteOffset)),
    ])
  }

  private static func problem(_ problem: PipelineProblem) -> JSONValue {
    .object([
      ("code", .string(problem.code)), ("message", .string(problem.message)),
      ("hint", problem.hint.map { .string($0) } ?? .null),
      (
        "position",
        .object([
          ("file", .string(problem.file)), ("line", number(problem.position?.line)),
          ("column", number(problem.position?.column)), ("byteOffset", .null),
        ])
      ),
    ])
  }

  private static func number(_ number: Int?) -> JSONValue { number.map { .integer($0) } ?? .null }
}
