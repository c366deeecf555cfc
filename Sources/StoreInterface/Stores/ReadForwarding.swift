package import ObjectModel

/// A reader that leaves all reads to another one.
package protocol ReadForwarding: MonitoredFetching {
  /// Calls the other one, for each read.
  func reading<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result
}

extension ReadForwarding {
  package func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    try reading { try $0.snapshots(request) }
  }

  package func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try reading { reader in
      guard let monitored = reader as? any MonitoredFetching else { return try reader.snapshots(request) }
      return try monitored.snapshots(request, monitor: monitor)
    }
  }

  package func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    try reading { try $0.snapshotBlocks(request) }
  }

  package func count(_ request: FetchSpecification) throws -> Int { try reading { try $0.count(request) } }

  package func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    try reading { try $0.objectIDs(request) }
  }

  package func rows(_ request: FetchSpecification) throws -> FetchedRows { try reading { try $0.rows(request) } }

  package func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try reading { try $0.members(of: owner, relationship: relationship) }
  }

  package func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try reading { try $0.members(of: owners, relationship: relationship) }
  }
}
