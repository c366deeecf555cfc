import Diagnostics
import Metrics
import Synchronization
import Testing

/// A backend of swift-metrics that keeps what it is told.
private final class Recorder: MetricsFactory, Sendable {
  let counts = Mutex<[String: Int64]>([:])
  let times = Mutex<[String: Int]>([:])

  private final class Handler: CounterHandler, TimerHandler, Sendable {
    let label: String
    let recorder: Recorder

    init(_ label: String, _ recorder: Recorder) {
      self.label = label
      self.recorder = recorder
    }

    func increment(by amount: Int64) { recorder.counts.withLock { $0[label, default: 0] += amount } }
    func reset() {}
    func recordNanoseconds(_ duration: Int64) { recorder.times.withLock { $0[label, default: 0] += 1 } }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Handler(label, self) }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Handler(label, self) }
  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    NOOPMetricsHandler.instance
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

/// Counting, and telling it to swift-metrics.
@Suite("performance counters")
struct PerformanceCounterTests {
  @Test("work is counted with its time, and swift-metrics is told")
  func counted() {
    let recorder = Recorder()
    let counters = PerformanceCounters(tells: recorder)
    let before = counters.current
    counters.add(.fetches, 1, .milliseconds(1_500))
    counters.add(.faultsFired, 3, .milliseconds(20))
    counters.add(.saves, 0, .milliseconds(5))
    #expect(counters.measure(.fetches) { 7 } == 7)
    let counts = counters.current.since(before)
    #expect(counts.fetches.count == 2)
    #expect(counts.fetches.seconds >= 1.5)
    #expect(counts.faultsFired.count == 3)
    #expect(counts.saves == PerformanceCounts().saves)
    #expect(recorder.counts.withLock { $0 } == ["coredata_fetches": 2, "coredata_faults_fired": 3])
    #expect(recorder.times.withLock { $0 } == ["coredata_fetches_seconds": 2, "coredata_faults_fired_seconds": 1])
  }

  @Test("a request is counted once, whatever it is for, also when it fails")
  func requests() {
    struct Broken: Error {}
    let counters = PerformanceCounters()
    #expect(counters.measureRequest(.cacheMisses, 3) { 7 } == 7)
    #expect(throws: Broken.self) { try counters.measureRequest(.fetches) { throw Broken() } }
    #expect(counters.current.cacheMisses.count == 3 && counters.current.fetches.count == 1)
    #expect(counters.current.requests.count == 2)
  }

  @Test("work of stores is added up and taken apart, number by number")
  func storeWork() {
    var first = StoreCounts()
    (first.statements, first.rows, first.pages, first.pageRows) = (1, 20, 300, 4_000)
    let both = first + first
    #expect([both.statements, both.rows, both.pages, both.pageRows] == [2, 40, 600, 8_000])
    #expect(both.since(first) == first)
  }

  @Test("every coordinator's counts add to those of the process")
  func total() {
    let before = PerformanceCounters.process.current
    PerformanceCounters().add(.cacheMisses, 2, .seconds(1))
    // Other tests count at the same time.
    #expect(PerformanceCounters.process.current.since(before).cacheMisses.count >= 2)
  }
}
