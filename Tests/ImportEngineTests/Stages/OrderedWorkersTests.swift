import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ImportEngine
@testable import Reports

@Suite("Workers that read and process")
struct OrderedWorkersTests {
  private struct Failure: Error {}
  private typealias TestWorkers = OrderedWorkers<Int, Int, String>

  /// What some workers yield for the numbers from 0 on, and what threw.
  private func run(
    _ ordered: TestWorkers, workers: Int, process: @escaping @Sendable (Int) -> String,
    taking limit: Int = .max
  ) -> (products: [String], error: (any Error)?) {
    let group = DispatchGroup()
    for number in 0..<workers {
      DispatchQueue(label: "worker \(number)").async(group: group) { ordered.work(process) }
    }
    defer {
      ordered.cancel()
      group.wait()
    }
    var products: [String] = []
    do {
      while products.count < limit, let product = try ordered.next() {
        products.append(product)
        if let buffer = Int(product.split(separator: " ").last ?? "") { ordered.giveBack(buffer) }
      }
      return (products, nil)
    } catch {
      return (products, error)
    }
  }

  /// Workers that read numbers below a count; every seventh needs no processing.
  private func makeWorkers(count: Int, buffers: Int, fails: Bool = false) -> TestWorkers {
    var next = 0
    return TestWorkers(buffers: Array(0..<buffers), reader: StageMeter(.read), worker: StageMeter(.decode)) { buffer in
      if next == count {
        if fails { throw Failure() }
        return .end
      }
      defer { next += 1 }
      // The buffer goes with the piece, and comes back from the consumer.
      return next % 7 == 3 ? .product("header \(next) -") : .piece(next << 8 | buffer)
    }
  }

  private func expected(_ count: Int) -> [String] { (0..<count).map { $0 % 7 == 3 ? "header \($0)" : "piece \($0)" } }

  private func names(_ products: [String]) -> [String] {
    products.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
  }

  @Test(
    "products come in the order of the source, whichever worker is slow",
    arguments: [1, 2, 3, 8], [1, 2, 5])
  func order(workers: Int, buffers: Int) {
    let count = 300
    let done = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    let result = run(makeWorkers(count: count, buffers: buffers), workers: workers) { piece in
      let number = piece >> 8
      // Some pieces are slower than the next one, where two can be processed at a time.
      let next = number % 7 == 2 ? number + 2 : number + 1
      if number % 13 == 0, next < count, workers > 1, buffers > 1 { done[next].wait() }
      defer { done[number].signal() }
      return "piece \(number) \(piece & 255)"
    }
    #expect(names(result.products) == expected(count))
    #expect(result.error == nil)
  }

  @Test("no buffer is in two hands, and no more pieces are on their way than there are buffers", arguments: [1, 3])
  func buffers(count: Int) {
    let busy = Mutex<Set<Int>>([])
    let most = Mutex(0)
    let result = run(makeWorkers(count: 200, buffers: count), workers: 4) { piece in
      let isNew = busy.withLock { set in
        let isNew = set.insert(piece & 255).inserted
        most.withLock { $0 = max($0, set.count) }
        return isNew
      }
      #expect(isNew)
      busy.withLock { _ = $0.remove(piece & 255) }
      return "piece \(piece >> 8) \(piece & 255)"
    }
    #expect(names(result.products) == expected(200))
    #expect(most.withLock { $0 } <= count)
  }

  @Test("what reading throws comes after everything that was read before", arguments: [0, 1, 40])
  func failure(count: Int) {
    let result = run(makeWorkers(count: count, buffers: 3, fails: true), workers: 3) {
      "piece \($0 >> 8) \($0 & 255)"
    }
    #expect(names(result.products) == expected(count))
    #expect(result.error is Failure)
  }

  @Test("a consumer that goes away stops all workers", arguments: [0, 1, 50])
  func cancelled(taken: Int) {
    let result = run(
      makeWorkers(count: 1_000_000, buffers: 4), workers: 3, process: { "piece \($0 >> 8) \($0 & 255)" }, taking: taken)
    #expect(names(result.products) == expected(taken))
  }

  @Test("a waiting consumer stops when it is cancelled")
  func cancelledConsumer() {
    let ordered = makeWorkers(count: 3, buffers: 1)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "consumer").async {
      #expect((try? ordered.next()) == nil)
      done.signal()
    }
    ordered.cancel()
    done.wait()
  }

  @Test("reading counts for the reader, processing for the workers, and lack of memory as waiting for output")
  func meters() {
    let reader = StageMeter(.read)
    let worker = StageMeter(.decode)
    // Work, with the time that it took.
    let clock = ContinuousClock()
    @Sendable func work(_ spent: borrowing Mutex<Duration>) {
      let duration = clock.measure {
        var hash = Hasher()
        for number in 0..<20_000 { hash.combine(number) }
        #expect(hash.finalize() != 0)
      }
      spent.withLock { $0 += duration }
    }
    let reading = Mutex(Duration.zero)
    let processing = Mutex(Duration.zero)
    var next = 0
    let ordered = TestWorkers(buffers: [0], reader: reader, worker: worker) { buffer in
      if next == 3 { return .end }
      next += 1
      work(reading)
      return .piece(next << 8 | buffer)
    }
    let group = DispatchGroup()
    for number in 0..<2 {
      worker.work(on: DispatchQueue(label: "worker \(number)"), in: group) {
        ordered.work { piece in
          work(processing)
          return "piece \(piece >> 8) \(piece & 255)"
        }
      }
    }
    while let product = try? ordered.next() {
      #expect(product.hasPrefix("piece"))
      ordered.giveBack(0)
    }
    group.wait()
    #expect(reader.report.workers == 1)
    #expect(worker.report.workers == 2)
    #expect(reader.report.busySeconds >= reading.withLock { $0 } / .seconds(1))
    #expect(reader.report.outputWaitSeconds > 0)
    #expect(worker.report.busySeconds >= processing.withLock { $0 } / .seconds(1))
    #expect(worker.report.inputWaitSeconds > 0)
  }
}
