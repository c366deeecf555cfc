import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Synchronization
import Testing

/// How far all threads are. Ends the process when nothing moves any more.
final class StressProgress: Sendable {
  private let count = Mutex(0)
  private let end = DispatchSemaphore(value: 0)

  func advance() { count.withLock { $0 += 1 } }

  /// Looks once a minute whether anything was saved.
  func watch() {
    Thread.detachNewThread { [self] in
      var last = -1
      while end.wait(timeout: .now() + 60) == .timedOut {
        let now = count.withLock(\.self)
        // A hang is not a failed expectation: nothing could go on to tell of it.
        if now == last { fatalError("no thread has saved for a minute, after \(now) saves") }
        last = now
      }
    }
  }

  func stop() { end.signal() }
}

/// `scripts/stress` runs it with the 2,000 saves that a thread is to do, or for as long as it is told.
@Suite("Eight threads save over one store", .serialized)
struct StressTests {
  private static let environment = ProcessInfo.processInfo.environment
  static let saves = environment["SEEDBED_STRESS_SAVES"].flatMap(Int.init) ?? 25
  static let seconds = environment["SEEDBED_STRESS_SECONDS"].flatMap(Double.init) ?? 0

  @Test("none hangs, no update is lost, nothing fails but for a conflict", arguments: StoreKind.allCases)
  func eightThreads(kind: StoreKind) throws {
    let start = ContinuousClock.now
    var rounds = 0
    repeat {
      try round(kind)
      rounds += 1
    } while ContinuousClock.now - start < .seconds(Self.seconds / Double(StoreKind.allCases.count))
    if Self.seconds > 0 { print("\(kind): \(rounds) rounds of 8 threads with \(Self.saves) saves each") }
  }

  private func round(_ kind: StoreKind) throws {
    let ledger = try Ledger(kind)
    let progress = StressProgress()
    progress.watch()
    defer { progress.stop() }
    let outcomes = Mutex<[StressWorker: Result<Int, any Error>]>([:])
    let group = DispatchGroup()
    for worker in StressWorker.allCases {
      group.enter()
      Thread.detachNewThread {
        let outcome = Result { try worker.work(ledger, saves: Self.saves, progress) }
        outcomes.withLock { $0[worker] = outcome }
        group.leave()
      }
    }
    group.wait()
    for (worker, outcome) in outcomes.withLock(\.self) {
      if case .failure(let error) = outcome { Issue.record("\(worker) failed: \(error)") }
    }
    try check(ledger)
  }

  private func check(_ ledger: Ledger) throws {
    let context = ledger.otherContainer.newBackgroundContext()
    try context.performAndWait {
      func total(_ name: String) throws -> Int64? { try ledger.account(name, in: context)["total"] }
      let saves = Int64(Self.saves)
      #expect(try total("shared") == 2 * saves)
      for worker in [StressWorker.owner, .child, .watcher] { #expect(try total(worker.accountName) == saves) }
      let entries = try context.fetch(FetchRequest<ManagedObject>(entityName: "Entry"))
      #expect(entries.map { $0["number"]?.integer ?? -1 }.sorted() == Array(0..<saves))
      #expect(try entries.allSatisfy { try $0.object(for: "account") === ledger.account("shared", in: context) })
      for (index, name) in StressWorker.upsertedNames.enumerated() {
        #expect(try total(name) == (0..<saves).last { $0 % 10 == Int64(index) })
      }
      let known = Set(StressWorker.allCases.map(\.accountName) + StressWorker.upsertedNames)
      let names = try context.fetch(FetchRequest<ManagedObject>(entityName: "Account")).map { $0["name"]?.string ?? "" }
      #expect(names.count == known.count && Set(names) == known)
    }
    if let path = ledger.path {
      #expect(try StoreChecker.check(path: path, model: ledger.container.managedObjectModel).problems.isEmpty)
    }
  }
}
