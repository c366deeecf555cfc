import ObjectModel

extension MigrationChain {
  /// The properties that steps lose although the last version has them: an attribute that goes in a version in between
  /// and comes back with another type, or one that a mapping model leaves out. What the last version does not have does
  /// not count, and neither does what only versions in between have. What a mapping model fills with other values on
  /// purpose counts as kept.
  /// - Parameters:
  ///   - policies: those that the program has. The properties that they read are not known, and count as kept.
  ///   - allowsMappings: whether mapping models may lose what they leave out. The steps between them are looked at
  ///     together then.
  func lossesOnTheWay(_ policies: MigrationPolicies, allowsMappings: Bool) -> [String] {
    let runs = steps.split { step in if case .mapped = step.way { allowsMappings } else { false } }
    return runs.flatMap { run -> [String] in
      guard let first = run.first?.source.model, let last = run.last?.destination.model else { return [] }
      let isOneInferred = run.count == 1 && MappedMigrationStep(run[run.startIndex], policies) == nil
      if isOneInferred { return [] }
      let all = RemainingSchema(of: first)
      let left = run.reduce(all) { $0.after($1.successions(policies)) }
      return all.after(first.successions(in: last)).names(missingIn: left)
    }
  }
}

extension MigrationChain.Step {
  /// The successors of the entities and properties of the version before, by their names.
  fileprivate func successions(_ policies: MigrationPolicies) -> [String: EntitySuccession] {
    switch way {
    case .inferred: source.model.successions(in: destination.model)
    case .mapped(let mapping):
      MappingLosses(mapping.mappingModel, from: source.model, to: destination.model, policies).kept
    }
  }
}
