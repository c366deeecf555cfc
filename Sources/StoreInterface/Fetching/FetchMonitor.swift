import Synchronization

/// Follows one fetch from outside, and can end it. May be used from any thread.
public final class FetchMonitor: Sendable {
  /// A fetch reports its progress after every this many rows.
  public static let interval = 64

  private let wasCancelled = Atomic<Bool>(false)
  private let whole: FetchMonitor?
  private let advance: @Sendable (Int) -> Void

  /// A monitor for one fetch.
  /// - Parameter advance: called by the store while it fetches, with the number of rows that it has so far.
  public init(advance: @escaping @Sendable (Int) -> Void = { _ in }) {
    whole = nil
    self.advance = advance
  }

  private init(_ whole: FetchMonitor, count: Int) {
    self.whole = whole
    advance = { whole.advance(count + $0) }
  }

  /// A monitor for the rest of a fetch after a number of rows; it is cancelled with this one.
  public func rest(after count: Int) -> FetchMonitor { FetchMonitor(self, count: count) }

  /// Whether the fetch is to end.
  public var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) || whole?.isCancelled == true }

  /// Has the fetch end soon. Does nothing once it has ended.
  public func cancel() { wasCancelled.store(true, ordering: .relaxed) }

  /// For stores: whether to go on.
  /// - Throws: `CancellationError`.
  public func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// For stores: notes the number of rows so far. Costs nothing for most counts.
  /// - Throws: `CancellationError`.
  @inlinable
  public func found(_ count: Int) throws {
    if count % Self.interval == 0 { try report(count) }
  }

  @usableFromInline func report(_ count: Int) throws {
    try check()
    if count > 0 { advance(count) }
  }
}
