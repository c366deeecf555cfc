import Foundation
import Platform
import Synchronization

/// Feeds damaged inputs to the targets in turn and watches for hangs and for memory. Before each input it leaves the
/// input and its seed in a folder, so that they are there when the process is not.
struct FuzzRun {
  /// How long one input may take before it counts as a hang.
  static let maximumSeconds = 60.0
  /// How much the peak of the memory may grow beyond what it was at the start.
  static let maximumGrowthBytes = 1_500 << 20

  let corpus: Corpus
  let folder: URL
  /// Seed of the first input; the next one has the next number.
  let seed: UInt64

  init(seed: UInt64, folder: URL) throws {
    self.seed = seed
    self.folder = folder
    corpus = try Corpus()
  }

  /// Runs until `isDone` says so, which gets the number of inputs that were fed.
  /// - Returns: the number of inputs.
  func run(_ targets: [Target] = Target.allCases, until isDone: (Int) -> Bool) throws -> Int {
    let watch = Watch(folder: folder)
    defer { watch.stop() }
    let atStart = PeakMemory.bytes
    var count = 0
    while !isDone(count) {
      let target = targets[count % targets.count]
      try feed(target, seed: seed &+ UInt64(count), watch)
      let growth = PeakMemory.bytes - atStart
      guard growth < FuzzRun.maximumGrowthBytes else {
        throw Target.Broken("\(watch.description): the memory grew by \(growth) bytes")
      }
      count += 1
    }
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(FuzzRun.inputName))
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(FuzzRun.seedName))
    return count
  }

  static let inputName = "input"
  static let seedName = "seed.txt"

  /// One input of a target. The seed alone decides what it is.
  private func feed(_ target: Target, seed: UInt64, _ watch: Watch) throws {
    let inputs = corpus.inputs[target] ?? []
    var mutator = Mutator(seed: seed)
    guard let start = inputs.randomElement(using: &mutator.generator) else { return }
    let bytes = mutator.mutate(start.bytes, others: inputs.map(\.bytes))
    let what = "target \(target.rawValue), seed \(seed), from \(start.name)"
    try Data(bytes).write(to: folder.appendingPathComponent(FuzzRun.inputName))
    try Data((what + "\n").utf8).write(to: folder.appendingPathComponent(FuzzRun.seedName))
    let work = folder.appendingPathComponent("work")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: work) }
    watch.begin(what)
    defer { watch.end() }
    do { try target.run(bytes, in: work) } catch { throw Target.Broken("\(what): \(error)") }
  }
}

/// Ends the process when one input takes too long: there is no other way out of a loop in the same process.
private final class Watch: Sendable {
  private let state = Mutex<(what: String, start: Date)?>(nil)
  private let stopped = DispatchSemaphore(value: 0)
  private let folder: URL

  init(folder: URL) {
    self.folder = folder
    Thread.detachNewThread { [self] in
      while stopped.wait(timeout: .now() + 0.5) == .timedOut {
        guard let (what, start) = state.withLock({ $0 }),
          Date().timeIntervalSince(start) > FuzzRun.maximumSeconds
        else { continue }
        FileHandle.standardError.write(Data("fuzz: hang: \(what)\nfuzz: the input is in \(folder.path)\n".utf8))
        abort()
      }
    }
  }

  var description: String { state.withLock { $0?.what ?? "" } }
  func begin(_ what: String) { state.withLock { $0 = (what, Date()) } }
  func end() { state.withLock { $0 = nil } }
  func stop() { stopped.signal() }
}
