/// The capability of a store to be read as it was at one moment, whatever is written to it meanwhile, by this process
/// or others.
public protocol QueryGenerations: PersistentStore {
  /// The store as it is now: everything that is committed, and nothing of a transaction that is still open.
  /// - Throws: `StoreError.unsupported` where reading a generation would block writers.
  func openGeneration() throws -> any StoreGeneration
}

/// A store as it was at one moment. It answers as the store would have answered then, even when the objects were
/// deleted since. It stays until it is closed, or the store is.
public protocol StoreGeneration: MonitoredFetching {
  /// Closes the generation; every call after that fails. Closing twice does nothing.
  func close()
}
