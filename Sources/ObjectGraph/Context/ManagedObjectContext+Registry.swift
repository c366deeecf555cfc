public import ObjectModel
import StoreInterface

// The objects that a context has, one for each id.
extension ManagedObjectContext {
  /// Every object that the context has, faults included.
  public var registeredObjects: Set<ManagedObject> {
    checkConfinement()
    return Set(registry.all)
  }

  /// The object of that id, if the context has it.
  @discardableResult
  public func registeredObject(for objectID: ObjectID) -> ManagedObject? {
    checkConfinement()
    return registry.find(objectID)
  }

  /// The object of that id, a fault if the context does not have it; whether it exists shows when it is used.
  @discardableResult
  public func object(with objectID: ObjectID) -> ManagedObject {
    if let object = registeredObject(for: objectID) { return object }
    let objectID = permanentID(for: objectID)
    return self.object(withPermanentID: objectID)
  }

  /// The object of an id that is known to be current. It saves a look-up of `object(with:)`.
  func object(withPermanentID objectID: ObjectID) -> ManagedObject {
    if let object = registry.find(objectID) { return object }
    return newObject(objectID, isStrong: false)
  }

  /// The object of a fetched row, whose id is permanent.
  func object(ofRowWith objectID: ObjectID) -> ManagedObject {
    registry.find(objectID) ?? newObject(objectID, isStrong: eventDepth > 0)
  }

  /// Adds the objects of rows of one entity to a list, as `materialise` does, but looks up only once what they have in
  /// common.
  func addObjects(
    of block: SnapshotBlock, in space: ObjectID.Space, to objects: inout [ManagedObject], asFaults: Bool
  ) {
    let entityContext = entityContext(space.entityIndex)
    let objectClass = entityContext.runtime.classOfNewObject()
    let isStrong = eventDepth > 0
    let registry = registry
    for row in 0..<block.count {
      let key = block.primaryKey(at: row)
      let ordinal = UInt64(bitPattern: key)
      if isStrong && registry.isBeyondAll(ordinal, of: space) {
        // Most rows of large fetches come here.
        let object = objectClass.init(
          ManagedObject.Registration(
            entityContext: entityContext, objectID: ObjectID(space: space, primaryKey: key), isInserted: false))
        registry.append(object, ordinal, of: space)
        object.adoptRow(row, of: block, asFault: asFaults)
        objects.append(object)
        continue
      }
      let id = ObjectID(space: space, primaryKey: key)
      if let object = registry.find(id) {
        take(row, of: block, for: object, asFault: asFaults)
        objects.append(object)
      } else {
        let object = objectClass.init(
          ManagedObject.Registration(entityContext: entityContext, objectID: id, isInserted: false))
        registry.insertNew(object, id, isStrong: isStrong)
        object.adoptRow(row, of: block, asFault: asFaults)
        objects.append(object)
      }
    }
  }

  private func newObject(_ objectID: ObjectID, isStrong: Bool) -> ManagedObject {
    let entityContext = entityContext(objectID.space.entityIndex)
    let object = entityContext.runtime.classOfNewObject().init(
      ManagedObject.Registration(entityContext: entityContext, objectID: objectID, isInserted: false))
    if !retainedParents.isEmpty, let parent = retainedParents.removeValue(forKey: objectID) { object.retain(parent) }
    registry.insertNew(object, objectID, isStrong: isStrong)
    return object
  }

  /// Whether some object is loaded.
  var hasLoadedObjects: Bool { registry.all.contains { !$0.isUnloaded } }

  /// Makes room for objects that are about to come.
  func expectObjects(_ count: Int) {
    checkConfinement()
    registry.releaseUnusedOfMany()
    registry.expect(count)
  }

  func register(_ object: ManagedObject) { registry.insert(object) }

  /// Gives new objects their permanent ids.
  func replaceIDs(of objects: [ManagedObject], with ids: [ObjectID]) { registry.move(objects, to: ids) }

  func unregister(_ objectID: ObjectID) { registry.remove(objectID) }
}
