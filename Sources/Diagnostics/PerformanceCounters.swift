package import Metrics
import Synchronization

/// Counters of the requests of contexts to their stores, as Core Data's instruments count them. Programs that install a
/// backend of swift-metrics find the same there, as counters and timers with these names behind `coredata_`.
public struct PerformanceCounts: Sendable, Hashable, Codable {
  /// One kind of work.
  public struct Work: Sendable, Hashable, Codable {
    /// How often it was done.
    public internal(set) var count = 0
    /// How long it took, together.
    public internal(set) var seconds = 0.0
  }

  /// Requests that went to a store: objects, ids, counts and dictionaries.
  public internal(set) var fetches = Work()
  /// Objects whose values were asked for while they were faults, with those that were filled along with them.
  public internal(set) var faultsFired = Work()
  /// Lists of to-many relationships that were asked for while they were faults.
  public internal(set) var relationshipFaultsFired = Work()
  /// Fired faults whose rows were not in the row cache; the store was asked for them.
  public internal(set) var cacheMisses = Work()
  /// Saves that reached a store.
  public internal(set) var saves = Work()
  /// How often a store was asked for anything: each fetch, and each time that rows or members of faults were asked for,
  /// however many objects it was for.
  public internal(set) var requests = Work()

  /// Counts that are all zero.
  public init() {}

  /// The counts since `earlier`.
  public func since(_ earlier: PerformanceCounts) -> PerformanceCounts {
    func difference(_ path: KeyPath<PerformanceCounts, Work>) -> Work {
      let (now, before) = (self[keyPath: path], earlier[keyPath: path])
      return Work(count: now.count - before.count, seconds: now.seconds - before.seconds)
    }
    var result = PerformanceCounts()
    result.fetches = difference(\.fetches)
    result.faultsFired = difference(\.faultsFired)
    result.relationshipFaultsFired = difference(\.relationshipFaultsFired)
    result.cacheMisses = difference(\.cacheMisses)
    result.saves = difference(\.saves)
    result.requests = difference(\.requests)
    return result
  }
}

/// Counts what contexts ask of the stores of one coordinator. May be used from any thread.
public final class PerformanceCounters: Sendable {
  /// The counters of all coordinators of the program.
  public static let process = PerformanceCounters(tells: MetricsSystem.factory)

  private let counts = Mutex(PerformanceCounts())
  private let total: PerformanceCounters?
  private let meters: [Kind: WorkMetrics]

  /// Counters at zero, which add to those of the program.
  public init() {
    total = .process
    meters = [:]
  }

  /// Counters at zero, which report to a backend of swift-metrics.
  package init(tells factory: any MetricsFactory) {
    total = nil
    meters = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, WorkMetrics($0, factory)) })
  }

  /// The counts until now.
  public var current: PerformanceCounts { counts.withLock { $0 } }

  /// The kinds of work that are counted.
  package enum Kind: Sendable, CaseIterable {
    case fetches, faultsFired, relationshipFaultsFired, cacheMisses, saves, requests

    fileprivate var path: WritableKeyPath<PerformanceCounts, PerformanceCounts.Work> {
      switch self {
      case .fetches: \.fetches
      case .faultsFired: \.faultsFired
      case .relationshipFaultsFired: \.relationshipFaultsFired
      case .cacheMisses: \.cacheMisses
      case .saves: \.saves
      case .requests: \.requests
      }
    }
  }

  /// Counts work that took that long.
  package func add(_ kind: Kind, _ count: Int = 1, _ duration: Duration) {
    if count == 0 { return }
    let (seconds, attoseconds) = duration.components
    let time = Double(seconds) + Double(attoseconds) / 1e18
    counts.withLock {
      $0[keyPath: kind.path].count += count
      $0[keyPath: kind.path].seconds += time
    }
    total?.add(kind, count, duration)
    meters[kind]?.counter.increment(by: count)
    meters[kind]?.timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// Runs `body`, which asks a store once, and counts it as a request and as work of a kind, also when it throws.
  package func measureRequest<Result, Failure: Error>(
    _ kind: Kind, _ count: Int = 1, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = ContinuousClock.now
    defer {
      let duration = ContinuousClock.now - start
      add(kind, count, duration)
      add(.requests, 1, duration)
    }
    return try body()
  }

  /// Runs `body` and counts it, also when it throws.
  package func measure<Result, Failure: Error>(
    _ kind: Kind, _ count: Int = 1, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = ContinuousClock.now
    defer { add(kind, count, ContinuousClock.now - start) }
    return try body()
  }
}

/// The metrics of one kind of work for swift-metrics.
private struct WorkMetrics: Sendable {
  let counter: Counter
  let timer: Timer

  init(_ kind: PerformanceCounters.Kind, _ factory: any MetricsFactory) {
    let name =
      switch kind {
      case .fetches: "coredata_fetches"
      case .faultsFired: "coredata_faults_fired"
      case .relationshipFaultsFired: "coredata_relationship_faults_fired"
      case .cacheMisses: "coredata_cache_misses"
      case .saves: "coredata_saves"
      case .requests: "coredata_requests"
      }
    counter = Counter(label: name, dimensions: [], factory: factory)
    timer = Timer(label: name + "_seconds", dimensions: [], factory: factory)
  }
}
