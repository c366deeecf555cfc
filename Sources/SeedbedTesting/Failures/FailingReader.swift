import Seedbed

/// The read-only calls of a store, or of a generation of one: each call is counted, and may fail.
struct FailingReader: MonitoredFetching {
  let base: any StoreReading
  let failures: StoreFailures

  var identifier: String { base.identifier }
  var model: ManagedObjectModel { base.model }

  private func asked<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result {
    try failures.check(.fetch)
    return try body(base)
  }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try asked { try $0.snapshots(request) } }
  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    try asked { try $0.snapshotBlocks(request) }
  }
  func count(_ request: FetchSpecification) throws -> Int { try asked { try $0.count(request) } }
  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] { try asked { try $0.objectIDs(request) } }
  func rows(_ request: FetchSpecification) throws -> FetchedRows { try asked { try $0.rows(request) } }
  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try asked { try $0.members(of: owner, relationship: relationship) }
  }
  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try asked { try $0.members(of: owners, relationship: relationship) }
  }
  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try asked { try ($0 as? any MonitoredFetching)?.snapshots(request, monitor: monitor) ?? $0.snapshots(request) }
  }
}

/// A generation of a store that fails.
final class FailingGeneration: StoreGeneration {
  private let base: any StoreGeneration
  private let failures: StoreFailures

  init(_ base: any StoreGeneration, _ failures: StoreFailures) {
    self.base = base
    self.failures = failures
  }

  private var reader: FailingReader { FailingReader(base: base, failures: failures) }

  var identifier: String { base.identifier }
  var model: ManagedObjectModel { base.model }
  func close() { base.close() }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try reader.snapshots(request) }
  func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] { try reader.snapshotBlocks(request) }
  func count(_ request: FetchSpecification) throws -> Int { try reader.count(request) }
  func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] { try reader.objectIDs(request) }
  func rows(_ request: FetchSpecification) throws -> FetchedRows { try reader.rows(request) }
  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try reader.members(of: owner, relationship: relationship)
  }
  func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try reader.members(of: owners, relationship: relationship)
  }
  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try reader.snapshots(request, monitor: monitor)
  }
}
