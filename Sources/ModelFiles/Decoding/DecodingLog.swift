import ObjectModel

/// Collects mistakes and warnings while a model is decoded, and keeps the line on which everything was declared, so
/// that mistakes found later in the definitions get their lines too.
struct DecodingLog {
  /// The subject of a line.
  private struct Key: Hashable {
    var entity: String?
    var property: String?
    var element: String?
  }

  let path: String
  private(set) var problems: [ModelError.Problem] = []
  private(set) var warnings: [ModelError.Problem] = []
  private var lines: [Key: [Int]] = [:]

  init(path: String) {
    self.path = path
  }

  mutating func declare(entity: String? = nil, property: String? = nil, element: String? = nil, line: Int) {
    lines[Key(entity: entity, property: property, element: element), default: []].append(line)
  }

  mutating func fail(
    _ code: ModelError.Code, entity: String? = nil, property: String? = nil, line: Int, _ message: String, hint: String
  ) {
    problems.append(
      ModelError.Problem(
        code, entity: entity, property: property, file: path, line: line, message: message, hint: hint))
  }

  mutating func warn(line: Int, _ message: String) {
    warnings.append(ModelError.Problem(.unknownContent, file: path, line: line, message: message))
  }

  mutating func warn(_ warning: ModelError.Problem) {
    warnings.append(warning)
  }

  /// Gives a problem of the model the file and the line of what it is about. For a duplicate that is the last of its
  /// declarations, else the first.
  func located(_ problem: ModelError.Problem) -> ModelError.Problem {
    let candidates = [
      Key(entity: problem.entity, property: problem.property, element: problem.element),
      Key(entity: problem.entity, element: problem.element),
      Key(entity: problem.entity, property: problem.property),
      Key(entity: problem.entity),
    ]
    let found = candidates.lazy.compactMap { lines[$0] }.first
    var problem = problem
    problem.file = path
    problem.line = problem.code == .duplicateName ? found?.last : found?.first
    return problem
  }
}
