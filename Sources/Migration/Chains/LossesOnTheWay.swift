import ObjectModel

extension MigrationChain {
  /// What steps lose although the version that they lead to has it: an attribute that goes in a version in between and comes back with
  /// another type, or one that a mapping model leaves out. What that version does without is none of it, nor what came on the way only,
  /// nor what a mapping model gives something else on purpose.
  /// - Parameters:
  ///   - policies: those that the program has. What they bring along is not known, and counts as kept.
  ///   - allowsMappings: whether mapping models may lose what they leave out. The steps between them are looked at together then.
  func lossesOnTheWay(_ policies: MigrationPolicies, allowsMappings: Bool) -> [String] {
    let runs = steps.split { step in if case .mapped = step.way { allowsMappings } else { false } }
    return runs.flatMap { run -> [String] in
      guard let first = run.first?.source.model, let last = run.last?.destination.model else { return [] }
      let isOneInferred = run.count == 1 && MappedStep(run[run.startIndex], policies) == nil
      if isOneInferred { return [] }
      let all = RemainingSchema(of: first)
      let left = run.reduce(all) { $0.after($1.successions(policies)) }
      return all.after(first.successions(in: last)).names(missingIn: left)
    }
  }
}

extension MigrationChain.Step {
  /// What becomes of the entities and properties of the version before, by their names.
  fileprivate func successions(_ policies: MigrationPolicies) -> [String: EntitySuccession] {
    switch way {
    case .inferred: source.model.successions(in: destination.model)
    case .mapped(let mapping):
      MappingLosses(mapping.mappingModel, from: source.model, to: destination.model, policies).kept
    }
  }
}
