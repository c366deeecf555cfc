/// The capability of a store to be read as it was at one moment, whatever is written to it meanwhile, by this process
/// or others.
public protocol QueryGenerations: PersistentStore {
  /// The store as it is now: everything that is committed, and nothing of a transaction that is still open.
  /// - Throws: `StoreError.unsupported` where reading a generation would keep others from writing.
  func openGeneration() throws -> any StoreGeneration
}

/// A store as it was at one moment. It answers as the store would have answered then, also when the objects are gone
/// from the store. It stays until it is closed, or the store is.
public protocol StoreGeneration: MonitoredFetching {
  /// Lets go of what it sees; every call after that fails. Closing twice does nothing.
  func close()
}
