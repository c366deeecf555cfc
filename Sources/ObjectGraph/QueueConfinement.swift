import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A serial queue that knows whether the current thread is inside it.
///
/// The thread is remembered instead of a queue-specific value, so that work on one queue may wait for a second queue
/// whose work calls back into the first: the first is still held by the very thread.
final class QueueConfinement: Sendable {
  private let queue: DispatchQueue
  private let isMainQueue: Bool
  private let holder = Atomic<UInt>(0)

  /// A queue of its own.
  init(label: String) {
    queue = DispatchQueue(label: label)
    isMainQueue = false
  }

  private init(_ queue: DispatchQueue) {
    self.queue = queue
    isMainQueue = true
  }

  /// The main queue, which the main thread holds also outside the work of any context.
  static func mainQueue() -> QueueConfinement {
    MainQueueMark.set
    return QueueConfinement(.main)
  }

  /// For messages.
  var label: String { isMainQueue ? "the main queue" : "queue \(queue.label)" }

  /// Whether the current thread runs work of this queue.
  var isHeldByCurrentThread: Bool {
    holder.load(ordering: .relaxed) == Self.currentThread || (isMainQueue && MainQueueMark.isOnMainQueue)
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    queue.async { self.holding(work) }
  }

  /// Runs the work on the queue and waits for it; at once when the current thread is inside already.
  func sync<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
    if isHeldByCurrentThread { return try work() }
    let outcome: Swift.Result<Result, Failure> = queue.sync { holding { Swift.Result(catching: work) } }
    return try outcome.get()
  }

  private func holding<Result>(_ work: () -> Result) -> Result {
    holder.store(Self.currentThread, ordering: .relaxed)
    defer { holder.store(0, ordering: .relaxed) }
    return work()
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}

/// Tells work of the main queue, which need not run on the process's first thread: where nothing else runs there, Linux
/// drains the main queue on any thread.
private enum MainQueueMark {
  private static let key = DispatchSpecificKey<Bool>()
  /// Marks the main queue when it is first read.
  static let set: Void = DispatchQueue.main.setSpecific(key: key, value: true)

  static var isOnMainQueue: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}

/// Whether touching a managed object outside its context's queue is caught: always in debug builds, otherwise when
/// `SEEDBED_CONCURRENCY_DEBUG=1` is in the environment.
enum ConcurrencyDebugging {
  static let isEnabled: Bool = {
    #if DEBUG
      return true
    #else
      return ProcessInfo.processInfo.environment["SEEDBED_CONCURRENCY_DEBUG"] == "1"
    #endif
  }()
}
