public import Seedbed

extension PersistentStoreCoordinator {
  /// Does work, and waits until a store of this coordinator tells that it was written to, by whatever has it open. The
  /// store must have been added with `postsRemoteChanges`.
  /// - Parameters:
  ///   - store: the store; nil for any.
  ///   - limit: how long is waited when the work is done.
  /// - Returns: the write.
  /// - Throws: `ExpectationTimeout`, and what the work throws.
  @discardableResult
  public func expectRemoteChange(
    of store: (any PersistentStore)? = nil, within limit: Duration = .seconds(60),
    isolation: isolated (any Actor)? = #isolation, during work: () async throws -> Void
  ) async throws -> RemoteStoreChange {
    let own = ObjectIdentifier(self)
    let identifier = store?.identifier
    let wait = NotificationWait<RemoteStoreChange>(
      "a remote change" + (identifier.map { " of the store \($0)" } ?? ""), [Self.remoteChangeNotification]
    ) { notification in
      guard let coordinator = notification.object as? PersistentStoreCoordinator,
        ObjectIdentifier(coordinator) == own, let change = notification.remoteStoreChange
      else { return .none }
      if let identifier, change.storeUUID != identifier {
        return .other("a remote change of the store \(change.storeUUID)")
      }
      return .found(change)
    }
    try await work()
    return try await wait.value(within: limit)
  }
}
