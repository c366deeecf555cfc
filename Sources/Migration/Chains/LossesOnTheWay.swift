import ObjectModel

extension MigrationChain {
  /// What steps through versions in between lose although the version that they lead to has it, such as an attribute that goes and
  /// comes back with another type. What that version does without is none of it, nor what came on the way only.
  ///
  /// Inferred steps in a row are looked at together. A mapping model says itself what goes.
  var lossesOnTheWay: [String] {
    let runs = steps.split { step in if case .mapped = step.way { true } else { false } }
    return runs.flatMap { run -> [String] in
      guard run.count > 1, let first = run.first?.source.model, let last = run.last?.destination.model else {
        return []
      }
      let all = Survivors(of: first)
      let left = run.reduce(all) { $0.after($1.source.model.successions(in: $1.destination.model)) }
      return all.after(first.successions(in: last)).names(missingIn: left)
    }
  }
}
