import StoreInterface
import Synchronization

/// Contexts that read their stores as these were at one moment.
///
/// While a context has a generation, fetches and faults see that and nothing newer, whatever other contexts and
/// programs save, delete in batches or move out of the write-ahead log. Registered objects stay as they are when the
/// generation changes: `refreshAllObjects` brings them up to date.
///
/// Generations are for reading: a save compares with the newest rows, and conflicts are found and resolved with these.
/// History and batch requests are about the newest, too.
extension ManagedObjectContext {
  /// The generation that the context reads; nil, at first and in a child context, where it reads what is newest.
  public var queryGenerationToken: QueryGenerationToken? {
    checkSettingUp()
    return generationToken
  }

  /// Has the context read one generation from now on: with `.current` the one that is newest when it next loads
  /// something, with another context's token that context's, so that both share it; with nil always what is newest. May
  /// be called again to advance.
  ///
  /// A save, `mergeChanges` in all its forms and `reset` advance a context that has a generation: the save to one that
  /// has what it wrote, the others to what is newest when the context next loads something.
  /// - Throws: `StoreError.unsupported` for a child context, which reads from its parent, and where a store cannot keep
  ///   generations, as an SQLite store without a write-ahead log; `StoreError.failure` for a token of another
  ///   coordinator. The context goes on with what it had.
  public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
    checkSettingUp()
    if parent != nil {
      throw StoreError.unsupported(
        "the child context \"\(name ?? "")\" reads from its parent: set the query generation of the topmost context")
    }
    if let generation = token?.generation, generation.coordinator != ObjectIdentifier(coordinator) {
      throw StoreError.failure("the query generation is of another coordinator's stores")
    }
    // If the generation cannot be opened, this call throws the error, not the first fault that fires.
    if token == .current { _ = try coordinator.openGeneration() }
    generationToken = token
  }

  /// Where rows come from that this context, which has no parent, loads now. The first load after `.current` fixes the
  /// generation.
  func snapshotSource() throws -> SnapshotSource {
    readsNewest ? SnapshotSource(coordinator) : try pinnedSource()
  }

  /// Where rows come from that no context has changed: what the topmost context reads. May be asked from anywhere.
  func storedSource() throws -> SnapshotSource {
    var context = self
    while let parent = context.parent { context = parent }
    return try context.pinnedSource()
  }

  private func pinnedSource() throws -> SnapshotSource {
    try pinned.withLock { token in
      guard let known = token else { return SnapshotSource(coordinator) }
      if let generation = known.generation { return SnapshotSource(coordinator, generation) }
      let generation = try coordinator.openGeneration()
      token = QueryGenerationToken(generation)
      return SnapshotSource(coordinator, generation)
    }
  }

  /// The token, without the check of the queue.
  var generationToken: QueryGenerationToken? {
    get { pinned.withLock { $0 } }
    set { pinned.withLock { $0 = newValue } }
  }

  /// Runs work that reads the newest rows whatever the generation, such as the resolution of conflicts.
  func readingNewest<Result>(_ work: () throws -> Result) rethrows -> Result {
    let before = readsNewest
    readsNewest = true
    defer { readsNewest = before }
    return try work()
  }

  /// Leaves the generation: the next load opens the newest one.
  func leaveGeneration() {
    if generationToken != nil { generationToken = .current }
  }

  /// Takes the generation after a save of this context. It may also have what was saved elsewhere at the same moment.
  func advanceGeneration() {
    if generationToken == nil { return }
    // If the generation cannot be opened, the next load throws the error.
    generationToken = (try? coordinator.openGeneration()).map { QueryGenerationToken($0) } ?? .current
  }
}
