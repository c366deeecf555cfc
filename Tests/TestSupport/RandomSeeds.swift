import Foundation

/// The seeds of a test that tries many, in parts that are few enough to be told of one by one. `SEEDBED_RANDOM_SEED`
/// says which one comes first.
public enum RandomSeeds {
  /// - Parameters:
  ///   - variable: the variable of the environment that says how many to try.
  ///   - count: how many without it.
  ///   - size: how many each part has, but for the last.
  public static func parts(_ variable: String, count: UInt64, size: UInt64) -> [ClosedRange<UInt64>] {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["SEEDBED_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
    let end = first + (environment[variable].flatMap { UInt64($0) } ?? count)
    return stride(from: first, to: end, by: Int(size)).map { $0...min($0 + size, end) - 1 }
  }

  /// How often each outcome came of seeds, up to the first one that ends the test.
  public static func tally<Outcome: Hashable>(
    _ seeds: ClosedRange<UInt64>, until last: Outcome, _ work: (UInt64) throws -> Outcome
  ) rethrows -> [Outcome: Int] {
    var outcomes: [Outcome: Int] = [:]
    for seed in seeds {
      let outcome = try work(seed)
      outcomes[outcome, default: 0] += 1
      if outcome == last { break }
    }
    return outcomes
  }
}
