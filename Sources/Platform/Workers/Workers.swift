import Dispatch
import Foundation
import Synchronization

/// Work on several threads at once.
package enum Workers {
  /// Processors that this process may use. Asked of the system once: it reads files for it.
  package static let processorCount = ProcessInfo.processInfo.activeProcessorCount

  /// Runs a piece of work on every worker, and throws the error of the first that failed.
  package static func run<Failure: Error>(_ count: Int, _ body: @Sendable (_ worker: Int) throws(Failure) -> Void)
    throws(Failure)
  {
    if count <= 1 { return try body(0) }
    let errors = Mutex<[Int: Failure]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { worker in
      do throws(Failure) {
        try body(worker)
      } catch {
        errors.withLock { $0[worker] = error }
      }
    }
    let found = errors.withLock { $0 }
    if let first = found.min(by: { $0.key < $1.key }) { throw first.value }
  }

  /// Deals out the numbers from 0 to `pieces` to the workers, each number once.
  package static func share<Failure: Error>(
    _ pieces: Int, among count: Int, _ body: @Sendable (_ next: () -> Int?) throws(Failure) -> Void
  ) throws(Failure) {
    let next = Atomic(0)
    try run(min(count, max(pieces, 1))) { (_) throws(Failure) in
      try body {
        let piece = next.add(1, ordering: .relaxed).oldValue
        return piece < pieces ? piece : nil
      }
    }
  }

  /// The part of `count` things that one of several workers takes.
  package static func part(_ worker: Int, of workers: Int, _ count: Int) -> Range<Int> {
    (count * worker / workers)..<(count * (worker + 1) / workers)
  }
}
