import Seedbed
import Synchronization

/// Waits for a notification that says what is expected. It listens as soon as it is made, so that it misses nothing
/// before the wait.
final class NotificationWait<Found: Sendable>: Sendable {
  /// The effect of a notification on the expectation.
  enum Answer: Sendable {
    case found(Found)
    /// Something else, in words.
    case other(String)
    /// Nothing that concerns it.
    case none
  }

  private struct State {
    var outcome: Result<Found, any Error>?
    var seen: [String] = []
    var waiting: CheckedContinuation<Found, any Error>?
  }

  private let expected: String
  private let state = Mutex(State())
  private let observers = ObserverList()

  /// Listens to notifications of any object.
  init(
    _ expected: String, _ names: [Notification.Name], _ look: @escaping @Sendable (Notification) -> Answer
  ) {
    self.expected = expected
    for name in names {
      let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
        [weak self] notification in
        switch look(notification) {
        case .found(let found): self?.end(.success(found))
        case .other(let text): self?.note(text)
        case .none: break
        }
      }
      observers.add(observer)
    }
  }

  private func note(_ text: String) { state.withLock { $0.seen.append(text) } }

  private func end(_ outcome: Result<Found, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Found, any Error>? in
      if state.outcome != nil { return nil }
      state.outcome = outcome
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(with: outcome)
  }

  /// The result; at once when it came already.
  /// - Throws: `ExpectationTimeout`, or `CancellationError` when the task is cancelled.
  func value(within limit: Duration) async throws -> Found {
    // Not on the pool of tasks, all of whose threads may be busy with other tests.
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "seedbed.testing.timeout"))
    let seconds = limit / .seconds(1)
    timer.setEventHandler { [self] in
      let seen = state.withLock { $0.seen }
      end(.failure(ExpectationTimeout(expected: expected, seconds: seconds, seen: seen)))
    }
    timer.schedule(deadline: .now() + seconds)
    timer.activate()
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiting = continuation }
          return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
    }
  }
}

/// The observers of notifications, until it is released. Only one thread uses it while it is filled.
private final class ObserverList: @unchecked Sendable {
  private var observers: [any NSObjectProtocol] = []

  func add(_ observer: any NSObjectProtocol) { observers.append(observer) }

  deinit {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }
}
