package import Pipelines

/// Why a run failed, as JSON.
package enum ErrorJSON {
  /// Null where nothing failed.
  package static func value(_ failure: RunError?) -> JSONValue {
    guard let failure else { return .null }
    return .object([
      ("code", .string(failure.code)), ("message", .string(failure.message)),
      ("hint", .orNull(failure.hint)), ("position", position(failure.position)),
      ("problems", .array(failure.problems.map(problem))),
    ])
  }

  /// Null where it is not known.
  package static func position(_ position: RunError.Position?) -> JSONValue {
    guard let position else { return .null }
    return .object([
      ("file", .string(position.file)), ("line", .orNull(position.line)), ("column", .orNull(position.column)),
      ("byteOffset", .orNull(position.byteOffset)),
    ])
  }

  private static func problem(_ problem: PipelineProblem) -> JSONValue {
    .object([
      ("code", .string(problem.code)), ("message", .string(problem.message)),
      ("hint", .orNull(problem.hint)),
      (
        "position",
        .object([
          ("file", .string(problem.file)), ("line", .orNull(problem.position?.line)),
          ("column", .orNull(problem.position?.column)), ("byteOffset", .null),
        ])
      ),
    ])
  }

}
