public import StoreInterface

extension SQLiteStore: QueryGenerations {
  /// The store as it is now, through a connection of its own, which waits for no writer. What is not committed is not
  /// in it.
  ///
  /// As long as one is open, the write-ahead log keeps what was written since and cannot be made smaller, files of
  /// external data stay that only its rows name, and the store cannot be sealed.
  /// - Throws: `StoreError.unsupported` without a write-ahead log, `.failure` when another file has taken the place of
  ///   the store.
  public func openGeneration() throws -> any StoreGeneration { try pool.openGeneration() }
}
