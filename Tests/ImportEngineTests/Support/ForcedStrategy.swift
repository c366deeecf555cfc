import Foundation

@testable import ImportEngine
@testable import Pipelines

/// `SEEDBED_TEST_STRATEGY` makes every run of the tests take one strategy, where the test states none and the step can
/// be done so (`scripts/check-strategies`).
enum ForcedStrategy {
  static let current: ImportStep.Strategy? = {
    guard let word = ProcessInfo.processInfo.environment["SEEDBED_TEST_STRATEGY"] else { return nil }
    guard let strategy = ImportStep.Strategy(rawValue: word), strategy != .restore else {
      preconditionFailure("SEEDBED_TEST_STRATEGY is not find-or-create, upsert or bulk: \(word)")
    }
    return strategy
  }()
}

extension PipelineRun.Options {
  /// Options with the strategy that the test run asks for.
  static var ofTests: PipelineRun.Options {
    var options = PipelineRun.Options()
    options.strategy = ForcedStrategy.current
    return options
  }
}
