public import Seedbed
import Synchronization

/// The failures of a store: a test sets them, and the store of type `.failing(_:_:)` that was made with them fails so.
/// Requests are counted on the way. May be used from any thread.
///
/// The changes of a failed save stay pending in its context, and none of them is in the store.
public final class StoreFailures: Sendable {
  /// The kinds of requests.
  public enum Request: Sendable, Hashable, CaseIterable {
    /// Objects, ids, counts or dictionaries are read, and what faults stand for.
    case fetch
    /// A save or a batch request, before anything is written or keys for new objects are given out.
    case save
    /// The end of a save or of a batch request, when everything has been written and checked: the store takes it all
    /// back. A store that cannot (`TwoPhaseSaving`) has not begun.
    case commit
  }

  /// The requests that fail, counted from the time of setting.
  public enum Occurrence: Sendable, Hashable {
    /// All of them.
    case always
    /// The first one alone.
    case next
    /// One alone, from 1.
    case number(Int)
    /// That one, from 1, and all that follow.
    case from(Int)

    fileprivate func includes(_ number: Int) -> Bool {
      switch self {
      case .always: true
      case .next: number == 1
      case .number(let wanted): number == wanted
      case .from(let first): number >= first
      }
    }
  }

  private struct Rule {
    var occurrence: Occurrence
    /// How many requests there were before.
    var earlier: Int
    var error: any Error
  }

  private struct State {
    var counts: [Request: Int] = [:]
    var rules: [Request: [Rule]] = [:]
  }

  private let state = Mutex(State())

  /// Failures that are still to be set: until then nothing fails.
  public init() {}

  /// The default error: that of a broken disk, with Core Data's code for it.
  public static var standardError: StoreError {
    .inputOutput(path: "the store of a test", message: "it fails because the test says so")
  }

  /// Says what is to fail, beside what was said before.
  /// - Parameters:
  ///   - request: the kind of request that fails.
  ///   - occurrence: which of them.
  ///   - error: the error; nil for `standardError`.
  public func fail(_ request: Request, _ occurrence: Occurrence = .always, with error: (any Error)? = nil) {
    state.withLock { state in
      let rule = Rule(
        occurrence: occurrence, earlier: state.counts[request, default: 0], error: error ?? Self.standardError)
      state.rules[request, default: []].append(rule)
    }
  }

  /// Nothing fails any more.
  public func stop() { state.withLock { $0.rules = [:] } }

  /// How many requests there were, those that failed included.
  public func count(of request: Request) -> Int { state.withLock { $0.counts[request, default: 0] } }

  /// Counts a request.
  /// - Returns: the error that it fails with.
  func failure(of request: Request) -> (any Error)? {
    state.withLock { state in
      let count = state.counts[request, default: 0] + 1
      state.counts[request] = count
      return state.rules[request]?.first { $0.occurrence.includes(count - $0.earlier) }?.error
    }
  }

  /// Throws where the next request is to fail, which then counts as made.
  func checkNext(_ request: Request) throws {
    let error = state.withLock { state -> (any Error)? in
      let count = state.counts[request, default: 0] + 1
      let rule = state.rules[request]?.first { $0.occurrence.includes(count - $0.earlier) }
      if rule != nil { state.counts[request] = count }
      return rule?.error
    }
    if let error { throw error }
  }

  /// Counts a request, and throws where it is to fail.
  func check(_ request: Request) throws {
    if let error = failure(of: request) { throw error }
  }
}
