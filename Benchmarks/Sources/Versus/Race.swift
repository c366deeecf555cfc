import Foundation

/// What a side found or left: all sides of a race must have the same.
struct Answer: Equatable {
  var rows: Int64 = 0
  var first: Int64 = 0
  var second: Int64 = 0
}

/// One way to do a job.
struct Side {
  var name: String
  /// The most that the first side may take of this one's time; nil for the first side itself.
  var limit: Double?
  /// Makes a fresh file and whatever has to be open, and returns the job, which is what is timed, and what is asked
  /// after it.
  var prepare: (_ folder: String) throws -> (job: () throws -> Answer, check: () throws -> Answer)
}

/// The same job by several sides, which take turns; the first is this package's.
struct Race {
  struct Disagreement: Error {
    let race: String
    let side: String
    let expected: Answer
    let found: Answer
  }

  var name: String
  var sides: [Side]
  private(set) var seconds: [[Double]] = []

  init(_ name: String, _ sides: [Side]) {
    self.name = name
    self.sides = sides
  }

  /// Runs all sides in turns. Who begins changes with every round; the first round is not counted.
  /// - Throws: `Disagreement` when two sides do not find or leave the same.
  mutating func run(rounds: Int) throws {
    seconds = sides.map { _ in [] }
    for round in 0...rounds {
      var answers: [(Answer, Answer)?] = sides.map { _ in nil }
      for turn in sides.indices {
        let index = (turn + round) % sides.count
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (job, check) = try sides[index].prepare(folder)
        let start = ContinuousClock.now
        let found = try job()
        let elapsed = start.duration(to: .now).components
        answers[index] = (found, try check())
        if round > 0 {
          seconds[index].append(Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
        }
      }
      try compare(answers)
    }
  }

  private func compare(_ answers: [(Answer, Answer)?]) throws {
    guard let expected = answers.last ?? nil else { return }
    for (side, answer) in zip(sides, answers) {
      guard let answer else { continue }
      for (found, expected) in [(answer.0, expected.0), (answer.1, expected.1)] where found != expected {
        throw Disagreement(race: name, side: side.name, expected: expected, found: found)
      }
    }
  }

  /// A line of a table for each side but the first, and whether all limits hold.
  func report() -> (lines: [String], isWithinLimits: Bool) {
    var lines: [String] = []
    var isWithin = true
    for index in sides.indices.dropFirst() {
      let ratio = Self.median(zip(seconds[0], seconds[index]).map { $0 / $1 })
      let limit = sides[index].limit ?? .infinity
      if !(ratio <= limit) { isWithin = false }
      let times = [seconds[0], seconds[index]].map { String(format: "%.1f ms", Self.median($0) * 1_000) }
      lines.append(
        "| \(name) | \(times[0]) | \(sides[index].name) | \(times[1]) | \(String(format: "%.2f", ratio))"
          + "\(ratio <= limit ? "" : " (over)") | \(String(format: "%.2f", limit)) |")
    }
    return (lines, isWithin)
  }

  /// What the first side took in each round.
  var times: String {
    name + ": " + seconds[0].map { String(format: "%.1f ms", $0 * 1_000) }.joined(separator: ", ")
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    if sorted.isEmpty { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
