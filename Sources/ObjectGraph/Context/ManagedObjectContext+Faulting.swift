public import ObjectModel
import Predicates
public import StoreInterface

extension [SnapshotBlock] {
  /// Whether the rows have these ids in this order; false too where finding out would take long.
  fileprivate func haveIDs(_ ids: [ObjectID]) -> Bool {
    unsafe ids.withUnsafeBufferPointer { ids in
      var start = 0
      for block in self {
        guard start + block.count <= ids.count, unsafe block.hasIDs(ids[start..<start + block.count]) else {
          return false
        }
        start += block.count
      }
      return start == ids.count
    }
  }
}

extension ManagedObjectContext {
  /// The object of that id with its values loaded.
  /// - Throws: `ContextError.objectGone` when there is none or it is deleted here; what the store throws.
  @discardableResult
  public func existingObject(with objectID: ObjectID) throws -> ManagedObject {
    guard let object = try presentObject(with: objectID) else { throw ContextError.objectGone(objectID) }
    return object
  }

  /// The object of that id with its values loaded; nil when there is none or it is deleted here.
  func presentObject(with objectID: ObjectID) throws -> ManagedObject? {
    checkConfinement()
    try throwDeferredError()
    adoptIDsOfParent()
    let objectID = permanentID(for: objectID)
    if let object = registeredObject(for: objectID) {
      object.fire()
      try throwDeferredError()
      return object.isDeletedHere ? nil : object
    }
    guard let snapshot = try snapshot(of: objectID) else { return nil }
    return materialise([SnapshotBlock([snapshot])]).first
  }

  /// The objects of these ids, in this order, those not loaded with one fetch for each hierarchy.
  /// - Throws: what the store throws.
  public func objects(with objectIDs: [ObjectID]) throws -> [ManagedObject] {
    checkConfinement()
    adoptIDsOfParent()
    let objects = objectIDs.map { object(with: $0) }
    let faults = objects.filter { $0.isUnloaded && !$0.hasStored }.map(\.objectID)
    if !faults.isEmpty { _ = materialise([SnapshotBlock(try snapshots(of: faults))]) }
    return objects
  }

  /// The objects of these ids of one hierarchy, in this order, with one fetch from the only store whatever is cached.
  func fetchObjects(_ objectIDs: [ObjectID], of entity: Entity) throws -> [ManagedObject] {
    checkConfinement()
    var request = FetchSpecification(entity)
    request.predicate = .selfIsIn(objectIDs)
    let blocks = try snapshotBlocks(request)
    let found = materialise(blocks)
    if blocks.haveIDs(objectIDs) || found.map(\.objectID) == objectIDs { return found }
    return withExtendedLifetime(found) { objectIDs.map { object(with: $0) } }
  }

  /// The objects of these ids, in this order, as faults where they are not loaded. The first of them that fires brings
  /// in those that follow, up to 256 with one fetch.
  public func faults(with objectIDs: [ObjectID]) -> [ManagedObject] {
    let objects = objectIDs.map { object(with: $0) }
    let empty = objects.filter { $0.isUnloaded && !$0.hasStored }
    if empty.count > 1 {
      let group = FaultGroup(empty.map(\.objectID))
      for fault in empty { fault.join(group) }
    }
    return objects
  }

  /// Fills a fault.
  func load(_ object: ManagedObject, _ snapshot: Snapshot) {
    object.load(snapshot)
    if object.runtime.hasSubclass { object.awake() }
  }

  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    forgetDeferredError()
    throw error
  }

  /// The objects of rows, one for each. Objects that are loaded keep their values.
  /// - Parameter asFaults: others get the row and are loaded when they are first used.
  func materialise(_ blocks: [SnapshotBlock], asFaults: Bool = false) -> [ManagedObject] {
    let count = blocks.reduce(0) { $0 + $1.count }
    expectObjects(count)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(count)
    let isTopmost = parent == nil
    for block in blocks {
      if isTopmost, let space = block.onlySpace {
        addObjects(of: block, in: space, to: &objects, asFaults: asFaults)
        continue
      }
      for row in 0..<block.count {
        let id = block.objectID(at: row)
        let object = isTopmost ? object(ofRowWith: id) : object(with: id)
        take(row, of: block, for: object, asFault: asFaults)
        objects.append(object)
      }
    }
    return objects
  }

  /// Gives a fault its row; of an object that is loaded, notes that the row has another version.
  func take(_ row: Int, of block: SnapshotBlock, for object: ManagedObject, asFault: Bool) {
    if object.status == .fault {
      object.adoptRow(row, of: block, asFault: asFault)
    } else if block.version(at: row) != object.storedVersion {
      noteStale(object.objectID, block, row)
    }
  }

  /// Has a new object saved to this store, where several hold its entity; without it the first of them that can be
  /// written is taken. The save throws when the store does not belong to the coordinator, does not hold the entity or
  /// is read-only. Does nothing for an object that has its permanent id.
  public func assign(_ object: ManagedObject, to store: any PersistentStore) {
    checkConfinement()
    if object.isInserted && object.reservedID == nil { object.assign(toStore: store.identifier) }
  }

  /// Permanent ids for new objects, in their stores.
  func reserveIDs(for objects: [ManagedObject]) throws -> [ObjectID] {
    let isAssigned = objects.contains { $0.assignedStore != nil }
    return try coordinator.permanentIDs(
      for: objects.map(\.entity), stores: isAssigned ? objects.map(\.assignedStore) : nil)
  }

  /// Gives new objects their permanent ids ahead of the save that inserts them; in a child context too, where that is
  /// the save of the topmost one. Ids of objects that are never saved are not used again.
  ///
  /// An object that comes from the parent and still has its temporary id gets its permanent one from there.
  /// - Throws: what the store throws.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
    checkConfinement()
    adoptIDsOfParent()
    let new = objects.filter { $0.isInserted && $0.objectID.isTemporary }
    let keyless = new.filter { $0.reservedID == nil }
    for (object, id) in zip(keyless, try reserveIDs(for: keyless)) {
      object.reserve(id)
    }
    var ids: [ObjectID: ObjectID] = [:]
    for object in new { ids[object.objectID] = object.reservedID }
    replaceIDs(ids)
    let inherited = objects.filter { $0.status == .loaded && $0.objectID.isTemporary }.map(\.objectID)
    if let parent, !inherited.isEmpty {
      try parent.performAndWait { try parent.obtainPermanentIDs(for: inherited.map { parent.object(with: $0) }) }
      adoptIDsOfParent()
    }
  }
}
