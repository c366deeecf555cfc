import ObjectModel

extension LintState {
  /// The predicate of an export.
  mutating func checkPredicate(of step: ExportStep, _ entity: Entity) {
    guard let predicate = step.predicate else { return }
    do {
      _ = try PredicateReading.read(predicate, of: entity, code: "export.predicate")
    } catch {
      add("predicate", error.message, at: step.fieldPositions["where"] ?? step.position, hint: error.hint)
    }
  }
}
