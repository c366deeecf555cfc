package import Diagnostics
import Foundation
import Platform
import Synchronization

/// A serial queue that can tell whether the current thread is inside it.
///
/// The thread is remembered instead of a queue-specific value, so that work on one queue may wait for a second queue
/// whose work calls back into the first: the first is still held by the very thread.
final class QueueConfinement: Sendable {
  private let queue: DispatchQueue
  private let holder: QueueHolder

  /// A queue of its own.
  init(label: String) {
    queue = DispatchQueue(label: label)
    holder = QueueHolder()
  }

  private init(_ queue: DispatchQueue, _ holder: QueueHolder) {
    self.queue = queue
    self.holder = holder
  }

  /// The main queue, which its thread holds also outside the work of any context.
  static func mainQueue() -> QueueConfinement {
    MainQueueMark.set
    return QueueConfinement(.main, .ofMainQueue)
  }

  private var isMainQueue: Bool { holder === QueueHolder.ofMainQueue }

  /// The name of the queue in messages.
  var label: String { isMainQueue ? "the main queue" : "queue \(queue.label)" }

  /// Whether the current thread runs work of this queue.
  var isHeldByCurrentThread: Bool { holder.isCurrentThread || (isMainQueue && MainQueueMark.isOnMainQueue) }

  func async(_ work: @escaping @Sendable () -> Void) {
    queue.async { self.holder.hold(during: work) }
  }

  /// Runs the work on the queue and waits for it; at once when the current thread is inside already.
  func sync<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
    // Inside another queue's work, only the holder shows that the thread is the main queue's.
    if !QueueHolder.ofMainQueue.isCurrentThread && MainQueueMark.isOnMainQueue {
      return try QueueHolder.ofMainQueue.hold { () throws(Failure) -> Result in try enter(work) }
    }
    return try enter(work)
  }

  private func enter<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
    if isHeldByCurrentThread { return try work() }
    let outcome: Swift.Result<Result, Failure> = queue.sync { holder.hold { Swift.Result(catching: work) } }
    return try outcome.get()
  }
}

/// The thread that is inside a queue; all confinements of the main queue share one.
private final class QueueHolder: Sendable {
  static let ofMainQueue = QueueHolder()
  private let thread = Atomic<UInt>(0)

  var isCurrentThread: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

  /// To be called inside the queue only, which lets one thread in at a time.
  func hold<Result, Failure: Error>(during work: () throws(Failure) -> Result) throws(Failure) -> Result {
    let previous = thread.exchange(Self.currentThread, ordering: .relaxed)
    defer { thread.store(previous, ordering: .relaxed) }
    return try work()
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}

/// Recognises work of the main queue, which need not run on the process's first thread: where nothing else runs there,
/// Linux drains the main queue on any thread. Work of another queue that the main queue waits for is not recognised.
private enum MainQueueMark {
  private static let key = DispatchSpecificKey<Bool>()
  /// Marks the main queue when it is first read.
  static let set: Void = DispatchQueue.main.setSpecific(key: key, value: true)

  static var isOnMainQueue: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}

/// Whether touching a managed object or a context outside the context's queue is caught: in debug builds, unless the
/// debug settings say otherwise.
package enum ConcurrencyDebugging {
  static let isEnabled = isEnabled(isDebugBuild: isDebugBuild, .process)

  package static func isEnabled(isDebugBuild: Bool, _ settings: DebugSettings) -> Bool {
    settings.concurrencyLevel.map { $0 > 0 } ?? isDebugBuild
  }

  private static var isDebugBuild: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}
