import ObjectModel
import StoreInterface

/// The contents of an in-memory store at one moment. They share their storage with the store's until one of these
/// changes.
struct InMemoryReader: MonitoredFetching {
  let model: ManagedObjectModel
  let contents: InMemoryContents
  var identifier: String { contents.storeIdentifier }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    try requireOwn(request.entity)
    try request.checkKeyPaths()
    return try contents.snapshots(request)
  }

  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try requireOwn(request.entity)
    try request.checkKeyPaths()
    try monitor.check()
    return try contents.snapshots(request, monitor: monitor)
  }

  func count(_ request: FetchSpecification) throws -> Int { try snapshots(request).count }

  func rows(_ request: FetchSpecification) throws -> FetchedRows {
    try requireOwn(request.entity)
    try request.checkRows()
    return try contents.resultRows(request, storeIdentifier: identifier, model: model)
  }

  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try requireOwn(owner.entity)
    let layout = contents.layout[owner.entity]
    guard let index = layout.relationshipIndexes[relationship.name], relationship.isToMany else {
      throw StoreError.failure("\(owner.entity.name) has no to-many relationship \"\(relationship.name)\"")
    }
    return contents.members(of: owner, relationship: layout.relationships[index])
  }
}
