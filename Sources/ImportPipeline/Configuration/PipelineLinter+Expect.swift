import ObjectModel
import StoreInterface

extension Lint {
  /// The expectations of a step.
  mutating func check(_ expectation: StepExpectation, of step: ImportStep) {
    guard case .count(let count)? = expectation.rejects, let limit = file.rejects.limit, limit < count else { return }
    warn(
      "expect-rejects", "rejects.limit is \(limit), so that \(count) rejects fail the run in any case",
      at: expectation.fieldPositions["rejects"] ?? step.position, hint: "raise rejects.limit, or expect fewer")
  }

  /// An expectation of the store.
  mutating func check(_ expectation: StoreExpectation) {
    guard let entity = entity(expectation.entity, at: expectation.fieldPositions["entity"] ?? expectation.position)
    else { return }
    do {
      _ = try expectation.request(entity)
    } catch {
      add(
        "predicate", error.message, at: expectation.fieldPositions["predicate"] ?? expectation.position,
        hint: error.hint)
    }
  }
}

extension StoreExpectation {
  /// Counts what is expected.
  /// - Throws: `RunError` when the predicate cannot be read, or does not fit the entity.
  func request(_ entity: Entity) throws(RunError) -> FetchRequest {
    var request = FetchRequest(entity)
    guard let predicate else { return request }
    func refuse(_ message: String, _ hint: String?) -> RunError {
      RunError(
        .badPipeline, code: "expect.predicate", "\(message), in the predicate \(ExpressionFailure.quoted(predicate))",
        hint: hint)
    }
    do {
      request.predicate = try Predicate(format: predicate)
    } catch {
      throw refuse("\(error.message) (column \(error.column))", error.hint)
    }
    do {
      try request.checkKeyPaths()
      try request.predicate.generalized.checkKinds(in: ExpressionScope(entity))
    } catch {
      guard case .failure(let message) = error else { throw refuse("\(error)", nil) }
      throw refuse(message, nil)
    }
    return request
  }
}

extension Predicate {
  /// Refuses comparisons of values that are never equal, because one is text and the other none: such a predicate would
  /// count nothing, whatever the data.
  fileprivate func checkKinds(in scope: ExpressionScope) throws(StoreError) {
    switch self {
    case .and(let parts), .or(let parts): for part in parts { try part.checkKinds(in: scope) }
    case .not(let part): try part.checkKinds(in: scope)
    case .compare(let comparison):
      let left = try comparison.left.type(in: scope).element
      let right = try comparison.right.type(in: scope).element
      let isOfTexts: Bool
      switch comparison.comparisonOperator {
      case .beginsWith, .endsWith, .like, .matches: isOfTexts = true
      default: isOfTexts = false
      }
      for side in [left, right] where isOfTexts && side.isText == false {
        throw .failure("\(comparison.comparisonOperator.word) compares texts, and \(side.words) is none")
      }
      guard let first = left.isText, let second = right.isText, first != second else { return }
      throw .failure("\(left.words) is never equal to \(right.words)")
    default: break
    }
  }
}

extension ExpressionType.Element {
  /// Whether it is text; nil where that is not known.
  fileprivate var isText: Bool? {
    guard case .attribute(let type) = self else { return nil }
    switch type {
    case .string: return true
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date, .binary, .uuid: return false
    case .uri, .transformable, .undefined, .objectID, .composite: return nil
    }
  }

  fileprivate var words: String {
    guard case .attribute(let type) = self else { return "an object" }
    return type.title.article
  }
}
