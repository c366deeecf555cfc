package import ObjectModel

/// A reader that leaves all reads to another one.
package protocol ReadForwarding: MonitoredFetching {
  /// The type of the other one.
  associatedtype Reader: MonitoredFetching
  /// The other one.
  var reader: Reader { get }
}

extension ReadForwarding {
  package func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try reader.snapshots(request) }

  package func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try reader.snapshots(request, monitor: monitor)
  }

  package func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    try reader.snapshotBlocks(request)
  }

  package func count(_ request: FetchSpecification) throws -> Int { try reader.count(request) }

  package func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] { try reader.objectIDs(request) }

  package func rows(_ request: FetchSpecification) throws -> FetchedRows { try reader.rows(request) }

  package func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try reader.members(of: owner, relationship: relationship)
  }

  package func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try reader.members(of: owners, relationship: relationship)
  }
}
