import ObjectModel
import Predicates
package import StoreInterface

extension ManagedObjectContext {
  /// The objects that a request selects, in its order: those of the store with the pending changes of this context.
  ///
  /// The predicate runs on this context's values for inserted and updated objects, and for objects whose members
  /// changed when it follows their to-many relationship. Deleted objects are left out. Objects that the context already
  /// has keep their values. New objects come last among equals, in the order of insertion. Pending changes of objects
  /// at the far end of a key path do not count for unchanged objects. Without `includesPendingChanges` the store's rows
  /// alone decide, and are returned with their objects' current values.
  ///
  /// Objects come as faults that have their rows (`returnsObjectsAsFaults`, the default), so that `awakeFromFetch` is
  /// called when they are first used; without `includesPropertyValues` and pending changes, as faults that are filled
  /// many at a time (`faults(with:)`). The request's `resultType` does not count here.
  /// - Throws: what the store throws.
  package func fetch(_ request: FetchSpecification) throws -> [ManagedObject] {
    try fetch(request, reading: snapshotBlocks)
  }

  /// Whether unsaved changes of this context count in a request.
  func hasPendingChanges(for request: FetchSpecification) -> Bool {
    request.includesPendingChanges
      && (pending.inserted.contains { $0.isInserted && request.selects($0.entity) }
        || pending.maybeUpdated.contains { $0.hasOwnChanges && request.selects($0.entity) }
        || pending.deleted.contains { request.selects($0.entity) } || !ownersOfChangedMembers(request).isEmpty)
  }

  /// The objects without changes of their own whose members changed here, where a request may depend on members.
  func ownersOfChangedMembers(_ request: FetchSpecification) -> [ManagedObject] {
    if pending.editedLists.isEmpty && pending.memberChanges.isEmpty { return [] }
    if PredicateRelationships(request.predicate, of: request.entity).toMany.isEmpty { return [] }
    let unloaded = pending.memberChanges.owners.filter { request.selects($0.entity) }.compactMap { id in
      registeredObject(for: id)?.hasEditedLists == true ? nil : object(with: id)
    }
    return (pending.editedLists + unloaded).filter { object in
      request.selects(object.entity) && (object.isUnloaded || object.status == .loaded) && !object.hasOwnChanges
    }
  }

  /// Fetches as `fetch` does, with rows from somewhere else.
  /// - Parameter read: the rows of a request: the given one, or with pending changes that without limit and offset.
  func fetch(_ request: FetchSpecification, reading read: (FetchSpecification) throws -> [SnapshotBlock]) throws
    -> [ManagedObject]
  {
    checkConfinement()
    try throwDeferredError()
    if request.predicate.hasBlocks { return try fetch(evaluating: request, reading: read) }
    if !hasPendingChanges(for: request) {
      if !request.includesPropertyValues { return faults(with: try rowIDs(request)) }
      let found = materialise(try read(request), asFaults: request.returnsObjectsAsFaults)
      if !request.relationshipKeyPathsForPrefetching.isEmpty {
        try prefetch(request.relationshipKeyPathsForPrefetching, for: found)
      }
      return found
    }
    try request.checkKeyPaths()
    let owners = Set(ownersOfChangedMembers(request))
    var found = materialise(try read(request.withoutWindow), asFaults: request.returnsObjectsAsFaults).filter {
      !$0.isDeletedHere && !$0.hasOwnChanges && !owners.contains($0)
    }
    found += try pendingMatches(request)
    return try page(of: found.sorted(by: request.sortDescriptors), request)
  }

  /// The objects in the window of a request, with what it prefetches.
  func page(of found: [ManagedObject], _ request: FetchSpecification) throws -> [ManagedObject] {
    try throwDeferredError()
    let page = Array(found[request.window(ofCount: found.count)])
    try prefetch(request.relationshipKeyPathsForPrefetching, for: page)
    return page
  }

  /// New and changed objects that meet a request, in the order in which they became so, then those with other members.
  func pendingMatches(_ request: FetchSpecification) throws -> [ManagedObject] {
    let pending = (pending.inserted.filter(\.isInserted) + pending.maybeUpdated.filter(\.hasOwnChanges)).filter {
      request.selects($0.entity)
    }
    let matcher = PredicateMatcher(request.predicate)
    let owners = ownersOfChangedMembers(request)
    if !owners.isEmpty {
      _ = try objects(with: owners.map(\.objectID))
      for relationship in PredicateRelationships(request.predicate, of: request.entity).toMany {
        for (_, owners) in Dictionary(grouping: owners, by: \.entity) {
          if let index = owners[0].runtime.index(of: relationship) { try loadMembers(index, of: owners) }
        }
      }
    }
    return try (pending + owners).filter {
      try matcher.matches(ObjectSubject(object: $0)) && !$0.isDeletedHere
    }
  }
}

extension [ManagedObject] {
  /// The objects sorted by the values that they have here, which newer rows may not have.
  func sorted(by descriptors: [FetchSortDescriptor]) -> [ManagedObject] {
    map { ObjectSubject(object: $0) }.sorted(by: descriptors) { $0.object.objectID.primaryKey ?? .max }.map(\.object)
  }
}

extension FetchSpecification {
  /// The request without limit and offset.
  var withoutWindow: FetchSpecification {
    var whole = self
    whole.fetchLimit = 0
    whole.fetchOffset = 0
    return whole
  }

  /// The positions that limit and offset leave of a number of objects.
  func window(ofCount count: Int) -> Range<Int> {
    let start = min(max(fetchOffset, 0), count)
    return start..<(fetchLimit > 0 ? min(count - start, fetchLimit) + start : count)
  }

  func selects(_ candidate: Entity) -> Bool {
    includesSubentities ? candidate.isKind(of: entity) : candidate == entity
  }
}

/// A managed object, as a predicate sees it.
struct ObjectSubject: PropertySubject {
  let object: ManagedObject
  /// The context of ids that are not of the object's model; nil where there are none.
  var otherContext: ManagedObjectContext?
  var objectID: ObjectID { object.objectID }
  var evaluatedObject: Any { object }

  var layout: EntityLayout { object.runtime.layout }

  func attribute(_ index: Int) -> Value { object.value(at: index) }

  func destination(_ index: Int) -> ObjectID? { object.currentDestination(index) }

  func members(at index: Int) -> [ObjectID] {
    do {
      try object.loadMembers(index)
    } catch {
      if object.context?.deferredError == nil { object.context?.deferError(error) }
    }
    return object.loadedMembers(index) ?? []
  }

  func subject(for objectID: ObjectID) -> ObjectSubject? {
    let isElsewhere = otherContext != nil && objectID.entity.model !== object.entity.model
    let context = isElsewhere ? otherContext : object.context
    return (context?.object(with: objectID)).map {
      ObjectSubject(object: $0, otherContext: isElsewhere ? object.context : otherContext)
    }
  }
}
