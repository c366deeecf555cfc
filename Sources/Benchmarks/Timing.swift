import Foundation

/// Seconds of wall time of several repetitions of two ways to do the same, taken in turns.
struct Pair {
  var name: String
  /// The greatest share of the bare loop's time that the engine may take.
  var limit: Double
  var ours: [Double] = []
  var bare: [Double] = []

  /// The median of the rounds' own shares.
  var share: Double { Pair.median(zip(ours, bare).map { $0 / $1 }) }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    if sorted.isEmpty { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Runs both in turns.
  /// - Parameter rounds: each runs both once; the first is not counted.
  /// - Returns: what both gave in each round must be equal: the sum of everything that they read.
  mutating func measure(
    rounds: Int, bare: () throws -> Answer, ours: () throws -> Answer
  ) throws {
    for round in 0...rounds {
      let (bareTime, expected) = try Pair.time(bare)
      let (ownTime, found) = try Pair.time(ours)
      guard found == expected else { throw WrongAnswer(name: name, expected: expected, found: found) }
      if round == 0 { continue }
      self.bare.append(bareTime)
      self.ours.append(ownTime)
    }
  }

  static func time(_ work: () throws -> Answer) rethrows -> (seconds: Double, answer: Answer) {
    let start = ContinuousClock.now
    let answer = try work()
    let elapsed = start.duration(to: .now).components
    return (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18, answer)
  }
}

/// What a workload found: how many rows, and the sum of their primary keys and of the bytes of a text.
struct Answer: Equatable {
  var rows = 0
  var keys: Int64 = 0
  var bytes = 0
}

/// A workload did not find what the bare loop found.
struct WrongAnswer: Error, CustomStringConvertible {
  var name: String
  var expected: Answer
  var found: Answer

  var description: String { "\(name): expected \(expected), found \(found)" }
}
