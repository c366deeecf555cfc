import Foundation
import TestSupport
import Testing

/// Readers of hostile bytes, fed with damaged ones. The suite does a short, fixed part; `scripts/fuzz` goes on for as
/// long as it is told to, from a seed that it prints.
@Suite("Fuzzing of readers", .serialized)
struct FuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  static let seconds = environment["SEEDBED_FUZZ_SECONDS"].flatMap(Double.init)
  static let seed = environment["SEEDBED_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
  static let target = environment["SEEDBED_FUZZ_TARGET"].flatMap(Target.init(rawValue:))

  @Test("damaged inputs give a result or an error, a fixed number of them", arguments: Target.allCases)
  func fixedPart(target: Target) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let count = [Target.store: 12, .pages: 30, .pageLoad: 20, .rewrite: 30][target] ?? 150
    #expect(try FuzzRun(seed: 1, folder: folder.url).run([target]) { $0 == count } == count)
  }

  @Test("the same seed gives the same input")
  func determinism() {
    let input = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    for seed in 0..<50 as Range<UInt64> {
      var first = Mutator(seed: seed)
      var second = Mutator(seed: seed)
      #expect(first.mutate(input, others: [input]) == second.mutate(input, others: [input]))
    }
  }

  @Test(
    "as many damaged inputs as there is time for", .enabled(if: seconds != nil, "scripts/fuzz runs it for a given time")
  )
  func timedPart() throws {
    let path = try #require(Self.environment["SEEDBED_FUZZ_FOLDER"])
    let end = Date(timeIntervalSinceNow: Self.seconds ?? 0)
    let targets = Self.target.map { [$0] } ?? Target.allCases
    let count = try FuzzRun(seed: Self.seed, folder: URL(fileURLWithPath: path)).run(targets) { fed in
      fed > 0 && Date() >= end
    }
    print("fuzz: \(count) inputs from seed \(Self.seed), none crashed, hung or took too much memory")
  }
}
