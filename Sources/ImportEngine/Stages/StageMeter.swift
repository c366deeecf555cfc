import Dispatch
import Foundation
import Platform
import Reports
import SeedFormats
import Synchronization

/// The time, rows and bytes of a stage so far. All of its workers add to it, without locks.
///
/// A worker is busy whenever it does not wait for another stage, so it takes two readings of the clock for the whole of
/// its life and two for each time that it has to wait, none per batch or row.
final class StageMeter: Sendable {
  let stage: Stage
  private let working = Atomic<Int64>(0)
  private let awaitingInput = Atomic<Int64>(0)
  private let awaitingOutput = Atomic<Int64>(0)
  private let rowCount = Atomic<Int>(0)
  private let byteCount = Atomic<Int>(0)
  private let workerCount = Atomic<Int>(0)
  private let allocationCount = Atomic<Int>(0)

  init(_ stage: Stage) { self.stage = stage }

  /// Starts a worker and measures its life: everything but its waits is work.
  func work(on queue: DispatchQueue, in group: DispatchGroup? = nil, _ body: @escaping @Sendable () -> Void) {
    queue.async(group: group) { self.work(body) }
  }

  /// Measures a worker on the caller's thread.
  func work<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let start = begin()
    defer { end(start) }
    return try body()
  }

  /// Begins to measure a worker on the caller's thread, until `end` is called there with the result.
  func begin() -> Start {
    workerCount.wrappingAdd(1, ordering: .relaxed)
    return Start(time: ContinuousClock.now, allocations: AllocationCount.ofThread ?? 0)
  }

  /// Ends what `begin` began.
  func end(_ start: Start) {
    working.wrappingAdd(StageMeter.nanoseconds(since: start.time), ordering: .relaxed)
    guard let allocations = AllocationCount.ofThread else { return }
    allocationCount.wrappingAdd(allocations - start.allocations, ordering: .relaxed)
  }

  /// Measures what a worker of this stage, which is measured already, does for another: it counts there.
  func work<Result, Failure: Error>(
    for other: StageMeter, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = Start(time: ContinuousClock.now, allocations: AllocationCount.ofThread ?? 0)
    defer {
      let time = StageMeter.nanoseconds(since: start.time)
      other.working.wrappingAdd(time, ordering: .relaxed)
      working.wrappingSubtract(time, ordering: .relaxed)
      if let allocations = AllocationCount.ofThread {
        other.allocationCount.wrappingAdd(allocations - start.allocations, ordering: .relaxed)
        allocationCount.wrappingSubtract(allocations - start.allocations, ordering: .relaxed)
      }
    }
    return try body()
  }

  /// Counts one more worker, whose time is added separately.
  func addWorker() { workerCount.wrappingAdd(1, ordering: .relaxed) }

  /// Adds a time in which there was no worker because the stage had to wait.
  func add(waitSince start: ContinuousClock.Instant, isForInput: Bool) {
    let time = StageMeter.nanoseconds(since: start)
    // A report takes waits off the time at work.
    working.wrappingAdd(time, ordering: .relaxed)
    add(wait: time, isForInput: isForInput)
  }

  /// The readings of the clock and of the thread's counter when a worker began.
  struct Start {
    var time: ContinuousClock.Instant
    var allocations: Int
  }

  func add(rows: Int) { rowCount.wrappingAdd(rows, ordering: .relaxed) }
  func add(bytes: Int) { byteCount.wrappingAdd(bytes, ordering: .relaxed) }

  /// Counts as waiting for the stage before.
  var waitForInput: StageWait { StageWait(meter: self, isForInput: true) }

  /// Counts as waiting for the stage after.
  var waitForOutput: StageWait { StageWait(meter: self, isForInput: false) }

  fileprivate func add(wait nanoseconds: Int64, isForInput: Bool) {
    if isForInput {
      awaitingInput.wrappingAdd(nanoseconds, ordering: .relaxed)
    } else {
      awaitingOutput.wrappingAdd(nanoseconds, ordering: .relaxed)
    }
  }

  /// The measurements. Waits of workers that are still at work count already, their work does not.
  var report: StageReport {
    let input = awaitingInput.load(ordering: .relaxed)
    let output = awaitingOutput.load(ordering: .relaxed)
    return StageReport(
      stage: stage, workers: workerCount.load(ordering: .relaxed),
      busySeconds: max(0, Double(working.load(ordering: .relaxed) - input - output)) / 1e9,
      inputWaitSeconds: Double(input) / 1e9, outputWaitSeconds: Double(output) / 1e9,
      rows: rowCount.load(ordering: .relaxed), bytes: byteCount.load(ordering: .relaxed),
      allocations: AllocationCount.isOn ? allocationCount.load(ordering: .relaxed) : nil)
  }

  fileprivate static func nanoseconds(since start: ContinuousClock.Instant) -> Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

/// The counter of the waits at one end of a stage.
struct StageWait: WaitMeter {
  let meter: StageMeter
  let isForInput: Bool

  func add(waitSince start: ContinuousClock.Instant) {
    meter.add(wait: StageMeter.nanoseconds(since: start), isForInput: isForInput)
  }
}

/// The meters of one import step, whose source may be read more than once.
final class StepMeters: Sendable {
  let index = StageMeter(.index)
  /// Notes about the decoding of texts.
  let textNotices = TextNotices()
  private let readings = Mutex<[ReadingMeters]>([])
  private let records = Mutex<[Int]>([])

  /// Records and faults of each file of the source, once it was read to its end.
  var recordsPerFile: [Int] { records.withLock { $0 } }

  func note(recordsPerFile counts: [Int]) { records.withLock { $0 = counts } }

  /// Meters for a reading that is about to begin.
  func beginReading() -> ReadingMeters {
    let reading = ReadingMeters()
    readings.withLock { $0.append(reading) }
    return reading
  }

  var readingCount: Int { readings.withLock { $0.count } }

  /// Of the stages that had a worker, in the order that data goes through them. Time is that of all readings together;
  /// rows and bytes are those of the last one, which is the only one that is certain to have gone to the end.
  var reports: [StageReport] {
    var sums: [StageReport] = []
    for reports in readings.withLock({ $0.map(\.reports) }) {
      for report in reports {
        guard let place = sums.firstIndex(where: { $0.stage == report.stage }) else {
          sums.append(report)
          continue
        }
        sums[place] = report.following(sums[place])
      }
    }
    return (sums + [index.report]).filter { $0.workers > 0 }
  }
}

/// The meters of one reading of a step's source.
struct ReadingMeters: Sendable {
  let read = StageMeter(.read)
  let scan = StageMeter(.scan)
  let decode = StageMeter(.decode)
  let write = StageMeter(.write)

  var reports: [StageReport] { [read, scan, decode, write].map(\.report) }
}
