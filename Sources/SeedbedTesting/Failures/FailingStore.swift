import Seedbed

/// Hands everything on to another store, except what is to fail. A capability that the other store does not have is an
/// error when it is asked for.
class FailingStore: ReadForwarding, BatchWriting, QueryGenerations, PersistentHistoryTracking,
  RemoteChangeObserving, FetchExplaining, StoreCounting, MetadataKeeping, @unchecked Sendable
{
  // Both are let and Sendable; unchecked as the class is not final.
  private let base: any PersistentStore
  private let failures: StoreFailures

  init(_ base: any PersistentStore, _ failures: StoreFailures) {
    self.base = base
    self.failures = failures
  }

  var identifier: String { base.identifier }
  var type: any PersistentStoreType { base.type }
  var model: ManagedObjectModel { base.model }
  var url: URL? { base.url }
  var isReadOnly: Bool { base.isReadOnly }
  var work: StoreCounts { (base as? any StoreCounting)?.work ?? StoreCounts() }
  var metadataValues: [String: any Sendable] { (base as? any MetadataKeeping)?.metadataValues ?? [:] }
  func replaceMetadata(with values: [String: Any]) throws {
    guard let base = base as? any MetadataKeeping else { throw unsupported("metadata") }
    try base.replaceMetadata(with: values)
  }
  func close() throws { try base.close() }

  private func unsupported(_ what: String) -> StoreError {
    .unsupported("stores of the type that this test uses have no \(what)")
  }

  // MARK: - Reading

  func reading<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result {
    try failures.check(.fetch)
    return try body(base)
  }

  func openGeneration() throws -> any StoreGeneration {
    guard let base = base as? any QueryGenerations else { throw unsupported("query generations") }
    return FailingGeneration(try base.openGeneration(), failures)
  }

  func explanation(of request: FetchSpecification) throws -> FetchExplanation {
    guard let base = base as? any FetchExplaining else { throw unsupported("explanations of fetches") }
    return try base.explanation(of: request)
  }

  // MARK: - Writing

  func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    // A save asks for keys first, and a store may write which are taken.
    try failures.checkNext(.save)
    return try base.reservePrimaryKeys(count, for: entity)
  }

  func save(_ request: SaveRequest) throws {
    try failures.check(.save)
    let failure = failures.failure(of: .commit)
    guard let twoPhase = base as? any TwoPhaseSaving else {
      if let failure { throw failure }
      return try base.save(request)
    }
    // Without a failure, the other store is asked as usual.
    if failure == nil { return try base.save(request) }
    try twoPhase.save(request) { if let failure { throw failure } }
  }

  func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    try failures.check(.save)
    guard let twoPhase = base as? any TwoPhaseSaving else {
      // The other stores are done first, because this store cannot undo anything.
      try body()
      try failures.check(.commit)
      return try base.save(request)
    }
    try twoPhase.save(request) {
      try failures.check(.commit)
      try body()
    }
  }

  var writesAfterBody: Bool { (base as? any TwoPhaseSaving)?.writesAfterBody ?? true }

  func perform(_ batch: StoreBatch, beforeCommit body: (BatchOutcome) throws -> Void) throws -> BatchOutcome {
    try failures.check(.save)
    guard let base = base as? any BatchWriting else { throw unsupported("batch requests") }
    return try base.perform(batch) { outcome in
      try failures.check(.commit)
      try body(outcome)
    }
  }

  // MARK: - History

  private func tracking() throws -> any PersistentHistoryTracking {
    guard let base = base as? any PersistentHistoryTracking else { throw unsupported("persistent history") }
    return base
  }

  var tracksHistory: Bool { get throws { try (base as? any PersistentHistoryTracking)?.tracksHistory ?? false } }
  func lastTransactionNumber() throws -> Int64 { try tracking().lastTransactionNumber() }
  func history(_ query: PersistentHistoryQuery) throws -> [PersistentHistoryTransaction] {
    try tracking().history(query)
  }
  func deleteHistory(before bound: PersistentHistoryQuery.Bound) throws -> Int {
    try tracking().deleteHistory(before: bound)
  }

  func observeRemoteChanges(
    _ changed: @escaping @Sendable (RemoteStoreChange) -> Void
  ) throws -> any RemoteChangeObservation {
    guard let base = base as? any RemoteChangeObserving else { throw unsupported("remote changes") }
    return try base.observeRemoteChanges(changed)
  }
}

/// A failing store over one that has all its objects in memory, so that it takes predicates in Swift.
final class FailingMemoryStore: FailingStore, InMemoryFetching, @unchecked Sendable {}
