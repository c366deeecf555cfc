import ArgumentParser
import ImportEngine
import Pipelines

/// A strategy as an argument: one of those that a step can be asked to take.
enum StrategyOption: String, ExpressibleByArgument, CaseIterable {
  case findOrCreate = "find-or-create"
  case upsert, bulk

  /// The word of pipeline files.
  var step: ImportStep.Strategy {
    switch self {
    case .findOrCreate: .findOrCreate
    case .upsert: .upsert
    case .bulk: .bulk
    }
  }
}
