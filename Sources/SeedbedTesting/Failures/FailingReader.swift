import Seedbed

/// The read-only calls of a store, or of a generation of one: each call is counted, and may fail.
struct FailingReader: MonitoredFetching {
  let base: any StoreReading
  let failures: StoreFailures

  var identifier: String { base.identifier }
  var model: ManagedObjectModel { base.model }

  private func reading<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result {
    try failures.check(.fetch)
    return try body(base)
  }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try reading { try $0.snapshots(request) } }
  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    try reading { try $0.snapshotBlocks(request) }
  }
  func count(_ request: FetchSpecification) throws -> Int { try reading { try $0.count(request) } }
  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] { try reading { try $0.objectIDs(request) } }
  func rows(_ request: FetchSpecification) throws -> FetchedRows { try reading { try $0.rows(request) } }
  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try reading { try $0.members(of: owner, relationship: relationship) }
  }
  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try reading { try $0.members(of: owners, relationship: relationship) }
  }
  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try reading { try ($0 as? any MonitoredFetching)?.snapshots(request, monitor: monitor) ?? $0.snapshots(request) }
  }
}

/// A generation of a store that fails.
final class FailingGeneration: StoreGeneration, ReadForwarding {
  private let base: any StoreGeneration
  private let failures: StoreFailures

  init(_ base: any StoreGeneration, _ failures: StoreFailures) {
    self.base = base
    self.failures = failures
  }

  var reader: FailingReader { FailingReader(base: base, failures: failures) }

  var identifier: String { base.identifier }
  var model: ManagedObjectModel { base.model }
  func close() { base.close() }
}
