import Dispatch
import Foundation
import Platform
import Testing

@testable import ImportEngine
@testable import Reports

@Suite("Measuring stages")
struct StageMeterTests {
  @Test("waits count for the side that waited, and not as work")
  func waits() {
    let condition = NSCondition()
    for isInput in [true, false] {
      let meter = StageMeter(.decode)
      let wait = isInput ? meter.waitForInput : meter.waitForOutput
      meter.work {
        condition.lock()
        defer { condition.unlock() }
        var isFirst = true
        condition.wait(as: wait) {
          guard isFirst else { return false }
          isFirst = false
          // The lock is held until the wait begins, so the signal cannot come before it.
          DispatchQueue.global().async {
            condition.lock()
            condition.broadcast()
            condition.unlock()
          }
          return true
        }
      }
      let report = meter.report
      #expect(report.workers == 1)
      #expect((report.inputWaitSeconds > 0) == isInput)
      #expect((report.outputWaitSeconds > 0) == !isInput)
      #expect(report.busySeconds >= 0)
    }
  }

  @Test("a worker that need not wait is not measured as waiting")
  func noWait() throws {
    let meter = StageMeter(.read)
    let channel = Channel<Int>(capacity: 2, sending: meter.waitForOutput, receiving: meter.waitForInput)
    #expect(channel.send(1))
    #expect(channel.send(2))
    #expect(try channel.receive() == 1)
    #expect(try channel.receive() == 2)
    #expect(meter.report.inputWaitSeconds == 0)
    #expect(meter.report.outputWaitSeconds == 0)
  }

  @Test("rows and bytes of all workers add up")
  func sums() {
    let meter = StageMeter(.write)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      meter.work {
        meter.add(rows: 3)
        meter.add(bytes: 5)
      }
    }
    #expect(meter.report.workers == 8)
    #expect(meter.report.rows == 24)
    #expect(meter.report.bytes == 40)
  }

  @Test("rows and bytes of a step are those of its last reading, and workers those of all")
  func readings() {
    let meters = StepMeters()
    for (rows, bytes) in [(7, 70), (10, 100)] {
      let reading = meters.beginReading()
      for meter in [reading.read, reading.decode] {
        meter.work {
          meter.add(rows: rows)
          meter.add(bytes: bytes)
        }
      }
    }
    meters.index.work {}
    let reports = meters.reports
    #expect(reports.map(\.stage) == [.read, .decode, .index])
    #expect(reports.map(\.workers) == [2, 2, 1])
    #expect(reports.map(\.rows) == [10, 10, 0])
    #expect(reports.map(\.bytes) == [100, 100, 0])
    #expect(meters.readingCount == 2)
  }
}
