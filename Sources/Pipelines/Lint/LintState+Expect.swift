package import ObjectModel
package import StoreInterface

extension LintState {
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
  package func request(_ entity: Entity) throws(RunError) -> FetchSpecification {
    var request = FetchSpecification(entity)
    if let predicate {
      request.predicate = try PredicateReading.read(predicate, of: entity, code: "expect.predicate")
    }
    return request
  }
}
