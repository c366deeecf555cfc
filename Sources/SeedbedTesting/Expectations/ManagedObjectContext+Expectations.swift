public import Seedbed

extension ManagedObjectContext {
  /// Does work, and waits until this context has saved.
  ///
  ///     let saved = try await context.expectSave(of: "Entry") { try await journal.add("Noosa") }
  ///     #expect(saved.insertedObjectIDs.count == 1)
  ///
  /// Saves count from when the work begins, those during it too.
  /// - Parameters:
  ///   - entityName: a save without objects of this entity is not enough; nil for any save.
  ///   - limit: how long is waited when the work is done.
  /// - Returns: what was saved.
  /// - Throws: `ExpectationTimeout`, which tells what was saved and merged instead, and what the work throws.
  @discardableResult
  public func expectSave(
    of entityName: String? = nil, within limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    during work: () async throws -> Void
  ) async throws -> ContextChangeIDs {
    try await expect("a save", Self.didSaveObjectIDsNotification, of: entityName, within: limit, during: work)
  }

  /// Does work, and waits until this context has merged what another one saved: automatically
  /// (`automaticallyMergesChangesFromParent`), or because the program had it do so.
  /// - Parameters:
  ///   - entityName: a merge without objects of this entity is not enough; nil for any.
  ///   - limit: how long is waited when the work is done.
  /// - Returns: what was merged.
  /// - Throws: `ExpectationTimeout`, which tells what was saved and merged instead, and what the work throws.
  @discardableResult
  public func expectMerge(
    of entityName: String? = nil, within limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    during work: () async throws -> Void
  ) async throws -> ContextChangeIDs {
    try await expect(
      "a merge", Self.didMergeChangesObjectIDsNotification, of: entityName, within: limit, during: work)
  }

  private func expect(
    _ what: String, _ name: Notification.Name, of entityName: String?, within limit: Duration,
    isolation: isolated (any Actor)? = #isolation, during work: () async throws -> Void
  ) async throws -> ContextChangeIDs {
    let expected = what + (entityName.map { " of \($0)" } ?? "") + " in the context \"\(self.name ?? "")\""
    let own = ObjectIdentifier(self)
    let coordinator = ObjectIdentifier(coordinator)
    let wait = NotificationWait<ContextChangeIDs>(
      expected, [Self.didSaveObjectIDsNotification, Self.didMergeChangesObjectIDsNotification]
    ) { notification in
      guard let context = notification.object as? ManagedObjectContext, let changes = notification.contextChangeIDs,
        ObjectIdentifier(context.coordinator) == coordinator
      else { return .none }
      let isWanted = entityName.map { changes.concerns($0) } ?? true
      if ObjectIdentifier(context) == own, notification.name == name, isWanted { return .found(changes) }
      let kind = notification.name == Self.didSaveObjectIDsNotification ? "a save" : "a merge"
      return .other("\(kind) in the context \"\(context.name ?? "")\" of \(changes.summary)")
    }
    try await work()
    return try await wait.value(within: limit)
  }

  /// Does work, and gives what this context saved meanwhile: for tests that nothing is saved, or how often.
  public func saves(during work: () throws -> Void) rethrows -> [ContextChangeIDs] {
    let record = ChangeRecord()
    let observer = NotificationCenter.default.addObserver(
      forName: Self.didSaveObjectIDsNotification, object: self, queue: nil
    ) { notification in
      if let changes = notification.contextChangeIDs { record.add(changes) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try work()
    return record.changes
  }
}

extension ContextChangeIDs {
  private var kinds: [(name: String, ids: [ObjectID])] {
    [("inserted", insertedObjectIDs), ("updated", updatedObjectIDs), ("deleted", deletedObjectIDs)]
  }

  /// Whether objects of an entity, or of one that descends from it, are among the changes.
  fileprivate func concerns(_ entityName: String) -> Bool {
    kinds.contains { kind in
      kind.ids.contains { id in
        var entity: Entity? = id.entity.handle
        while let current = entity, current.name != entityName { entity = current.superentity }
        return entity != nil
      }
    }
  }

  /// What changed, in words.
  fileprivate var summary: String {
    let parts = kinds.flatMap { kind in
      Dictionary(grouping: kind.ids, by: \.entity.name).sorted { $0.key < $1.key }
        .map { "\($0.value.count) \($0.key) \(kind.name)" }
    }
    return parts.isEmpty ? "no objects" : parts.joined(separator: ", ")
  }
}
