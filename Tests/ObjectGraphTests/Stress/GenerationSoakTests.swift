import Foundation
import Testing

/// `scripts/stress --generations SECONDS` goes on for longer.
@Suite("Readers with query generations beside writers", .serialized)
struct GenerationSoakTests {
  private static let seconds =
    ProcessInfo.processInfo.environment["SEEDBED_GENERATIONS_SECONDS"].flatMap(Double.init)

  @Test("every generation is whole and stays as it is, whatever is written", arguments: StoreKind.allCases)
  func soak(kind: StoreKind) throws {
    let progress = StressProgress()
    progress.watch()
    defer { progress.stop() }
    let seconds = Self.seconds.map { kind == .sqlite ? $0 : min($0 / 4, 10) }
    let soak = try GenerationSoak(kind, seconds: seconds ?? 1.5, progress)
    let (counts, failures) = soak.run()
    #expect(failures.isEmpty, "\(failures)")
    #expect(try soak.problems().isEmpty)
    #expect(counts.isOfEveryKind, "\(counts)")
    if seconds != nil {
      print(
        "\(kind): \(counts.saves) saves, \(counts.batches) batch deletes and \(counts.checkpoints) checkpoints beside "
          + "\(counts.generations) generations looked at \(counts.views) times, \(counts.shared) of them shared; "
          + "\(counts.newest) looks at the newest")
    }
  }
}
