/// The capability of a store to be followed while it fetches: it tells how far it is, and ends a fetch that is
/// cancelled.
///
/// As every capability it is a protocol that some stores conform to: ask with `as?` once, when a store is added, and
/// keep what comes of it.
public protocol MonitoredFetching: StoreReading {
  /// As `snapshots(_:)`, for a caller that waits elsewhere: others may use the store meanwhile, where it can do so.
  /// - Throws: `CancellationError` when the monitor was cancelled.
  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot]
}
