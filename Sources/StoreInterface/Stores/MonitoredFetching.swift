/// The capability of a store to be followed while it fetches: it reports how far it is, and ends a fetch that is
/// cancelled.
///
/// As every capability it is a protocol that some stores conform to: cast with `as?` once, when a store is added, and
/// keep the result.
public protocol MonitoredFetching: StoreReading {
  /// As `snapshots(_:)`, for a caller that does not block: where the store allows it, other calls can use it meanwhile.
  /// - Throws: `CancellationError` when the monitor was cancelled.
  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot]
}
