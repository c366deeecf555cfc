public import ObjectModel
import StoreInterface

extension ManagedObject {
  // MARK: - To-one

  /// The destination of a to-one relationship, a fault when it is not loaded yet.
  public func object(for name: String) -> ManagedObject? {
    objectID(for: name).flatMap { id in context?.object(with: id) }
  }

  /// The id of the destination of a to-one relationship.
  public func objectID(for name: String) -> ObjectID? {
    checkConfinement()
    fire()
    return loadedDestination(relationshipIndex(name, isToMany: false))
  }

  /// Sets a to-one relationship; its inverse follows. With an object whose row is gone, or that the context has
  /// forgotten, the save reports `ValidationError.Code.deletedDestination`.
  public func setObject(_ object: ManagedObject?, for name: String) {
    checkConfinement()
    let index = relationshipIndex(name, isToMany: false)
    fire()
    if let object {
      requireSameContext(object)
      if object.isInert { context?.pending.noteLostDestination(object.objectID) }
    }
    if status != .fault, loadedDestination(index) != object?.objectID {
      if let object { keepAlive(object) }
      if let former = loadedDestination(index), let object = context?.registeredObject(for: former) {
        keepAlive(object)
      }
    }
    setDestination(object?.objectID, at: index)
  }

  /// Has the context keep an object that a changed relationship leads to, or led to. What `awakeFromFetch()` sets is no
  /// change.
  private func keepAlive(_ object: ManagedObject) {
    if !isInert, marks.hook != .awakeFromFetch { context?.keep(object) }
  }

  /// Sets a to-one relationship by id, without loading the destination unless a to-one inverse has to follow. Where a
  /// save of this context, or one that it merged, deleted that object, the next save reports
  /// `ValidationError.Code.deletedDestination`; deletions elsewhere are not looked for.
  public func setObjectID(_ destination: ObjectID?, for name: String) {
    checkConfinement()
    setDestination(destination, at: relationshipIndex(name, isToMany: false))
  }

  /// As `setObjectID(_:for:)`, by the position in `Entity.relationships`, which must be that of a to-one relationship:
  /// for loops over many objects.
  public func setObjectID(_ destination: ObjectID?, at index: Int) {
    checkConfinement()
    // A position of another kind is a mistake of the program.
    precondition(!runtime.links[index].isToMany, "a to-many relationship has no single destination")
    setDestination(destination, at: index)
  }

  func setDestination(_ destination: ObjectID?, at index: Int) {
    fire()
    if status == .fault { return }
    let previous = loadedDestination(index)
    if previous == destination { return }
    // The weak reference is costly to read.
    let context = self.context
    if let destination, let context, context.deletedIDs.contains(destination) {
      context.pending.noteLostDestination(destination)
    }
    replaceDestination(destination, at: index)
    // Nothing of such an object is saved, so other objects must not lead to it.
    if isInert { return }
    let link = runtime.links[index]
    guard let context, let inverse = runtime.layout.inverses[index] else { return }
    if link.isInverseToMany {
      let known = (entityIndex: link.destinationIndex, index: link.inverseIndex)
      if let previous { context.applyMembershipChange(objectID, isAddition: false, in: previous, inverse, known) }
      if let destination { context.applyMembershipChange(objectID, isAddition: true, in: destination, inverse, known) }
      return
    }
    if let partner = previous.map({ context.object(with: $0) }), let back = partner.runtime.index(of: inverse) {
      partner.fire()
      if partner.status != .fault, partner.destinations[back] == objectID {
        partner.replaceDestination(nil, at: back)
      }
    }
    if let partner = destination.map({ context.object(with: $0) }), let back = partner.runtime.index(of: inverse) {
      partner.setDestination(objectID, at: back)
    }
  }

  /// Sets one side of a to-one relationship and leaves the other to the caller.
  func replaceDestination(_ destination: ObjectID?, at index: Int) {
    willChange()
    putDestination(destination, at: index)
    noteUpdate()
  }

  /// The ids of the objects that a relationship leads to, to-one or to-many, without making objects for them.
  /// Where the store fails, there are none, and the next fetch or save throws it.
  public func objectIDs(forRelationshipNamed name: String) -> [ObjectID] {
    let isToMany = runtime.layout.relationshipIndexes[name].map { runtime.layout.relationships[$0].isToMany }
    if isToMany == false { return objectID(for: name).map { [$0] } ?? [] }
    do {
      return try objectIDs(for: name)
    } catch {
      context?.deferError(error)
      return []
    }
  }

  /// Whether the members of a to-many relationship, or the destination of a to-one relationship, are still to be
  /// loaded. Asking does not load anything.
  public func hasFault(forRelationshipNamed name: String) -> Bool {
    checkConfinement()
    if status == .fault { return true }
    guard let index = runtime.layout.relationshipIndexes[name], runtime.layout.relationships[index].isToMany else {
      return destinations[relationshipIndex(name, isToMany: false)].map {
        context?.registeredObject(for: $0)?.isUnloaded ?? true
      } ?? false
    }
    return !isLoaded(index)
  }

  // MARK: - To-many

  /// The members of a to-many relationship: in order when it is ordered, otherwise those of the store by primary key
  /// and then those added since. Loads all of them with one fetch.
  /// - Throws: what the store throws.
  public func objects(for name: String) throws -> [ManagedObject] {
    try loadedContext().objects(with: objectIDs(for: name))
  }

  /// The members of a to-many relationship as `objects(for:)` gives them, without an error to handle: generated
  /// properties are made of this. After an error of the store, which the context's next fetch or save throws, there are
  /// none, and the next access tries again.
  public func members(of name: String) -> [ManagedObject] {
    do {
      return try objects(for: name)
    } catch {
      context?.deferError(error)
      return []
    }
  }

  /// The ids of the members of a to-many relationship, in the order of `objects(for:)`.
  /// - Throws: what the store throws.
  public func objectIDs(for name: String) throws -> [ObjectID] {
    checkConfinement()
    let index = relationshipIndex(name, isToMany: true)
    try loadMembers(index)
    return loadedMembers(index) ?? []
  }

  /// Adds a member at the end; its inverse follows. A member that is there already stays where it is.
  /// - Returns: whether it was not there before.
  /// - Throws: `ContextError.objectGone` for an object whose row is gone or that the context has forgotten; what the
  ///   store throws.
  @discardableResult
  public func add(_ member: ManagedObject, to name: String) throws -> Bool {
    checkConfinement()
    requireSameContext(member)
    let index = relationshipIndex(name, isToMany: true)
    try loadMembers(index)
    if memberLists[index]?.contains(member.objectID) != false { return false }
    if member.isInert { throw ContextError.objectGone(member.objectID) }
    link(member, index)
    return true
  }

  /// Removes a member; its inverse follows.
  /// - Throws: what the store throws.
  public func remove(_ member: ManagedObject, from name: String) throws {
    checkConfinement()
    let index = relationshipIndex(name, isToMany: true)
    try loadMembers(index)
    if memberLists[index]?.contains(member.objectID) != true { return }
    unlink(member, index)
  }

  /// Makes these the members of a to-many relationship, in this order when it is ordered; inverses follow.
  /// - Throws: `ContextError.objectGone` for a new member whose row is gone or that the context has forgotten; what the
  ///   store throws. Nothing is changed then.
  public func setObjects(_ members: [ManagedObject], for name: String) throws {
    checkConfinement()
    members.forEach { requireSameContext($0) }
    let index = relationshipIndex(name, isToMany: true)
    try loadMembers(index)
    for member in members where member.isInert && memberLists[index]?.contains(member.objectID) == false {
      throw ContextError.objectGone(member.objectID)
    }
    let wanted = Set(members.map(\.objectID))
    let leaving = (loadedMembers(index) ?? []).filter { !wanted.contains($0) }
    for member in try loadedContext().objects(with: leaving) { unlink(member, index) }
    for member in members where memberLists[index]?.contains(member.objectID) == false { link(member, index) }
    if runtime.layout.relationships[index].isOrdered {
      var seen: Set<ObjectID> = []
      let order = members.map(\.objectID).filter { seen.insert($0).inserted }
      if loadedMembers(index) != order {
        willChange()
        arrangeMembers(order, at: index)
        noteListEdit(index, isSetHere: true)
      } else if memberLists[index]?.isSetHere == false, hasChangedMembers(index) == true {
        // The order came about at the other side; now it is stated.
        willChange()
        noteListEdit(index, isSetHere: true)
      }
    }
  }

  func link(_ member: ManagedObject, _ index: Int) {
    willChange()
    keepAlive(member)
    appendMember(member.objectID, at: index)
    noteListEdit(index, isSetHere: true)
    if isInert { return }
    if member.objectID.space.entityIndex != runtime.links[index].destinationIndex,
      !member.entity.isKind(of: runtime.layout.relationships[index].destination)
    {
      context?.pending.noteForeignMember()
    }
    if let inverse = runtime.layout.inverses[index] {
      if inverse.isToMany {
        context?.applyMembershipChange(objectID, isAddition: true, in: member.objectID, inverse)
      } else if let back = member.runtime.index(of: inverse) {
        member.setDestination(objectID, at: back)
      }
    } else {
      context?.leaveOtherOwners(member, joining: self, index)
    }
  }

  func unlink(_ member: ManagedObject, _ index: Int) {
    willChange()
    keepAlive(member)
    removeMember(member.objectID, at: index)
    noteListEdit(index, isSetHere: true)
    guard let inverse = runtime.layout.inverses[index], !isInert else { return }
    if inverse.isToMany {
      context?.applyMembershipChange(objectID, isAddition: false, in: member.objectID, inverse)
    } else if let back = member.runtime.index(of: inverse), member.currentDestination(back) == objectID {
      member.setDestination(nil, at: back)
    }
  }

  func currentDestination(_ index: Int) -> ObjectID? {
    fire()
    return loadedDestination(index)
  }

  // MARK: - Loading

  /// Loads the members of a to-many relationship from the store, with the changes of the context since.
  func loadMembers(_ index: Int) throws {
    fire()
    if isLoaded(index) { return }
    if let error = context?.deferredError, status == .fault { throw error }
    guard status == .loaded || status == .deleted, let context else {
      return putMembers(MemberList(stored: []), at: index)
    }
    setStoredMembers(try context.storedMembers(of: self, index), index, context)
  }

  /// Takes the members that the store has, with the changes of the context since.
  func setStoredMembers(_ stored: [ObjectID], _ index: Int, _ context: ManagedObjectContext) {
    var list = MemberList(stored: stored, version: context.versionOfLastAnswer)
    if runtime.layout.inverses[index] == nil {
      let remaining = context.remainingMembers(stored, of: self, index)
      if remaining.count < stored.count {
        let known = Set(remaining)
        for member in stored where !known.contains(member) { list.remove(member) }
        putMembers(list, at: index)
        noteListEdit(index, isSetHere: false)
        return
      }
    }
    if let delta = context.pending.removeMemberDelta(MemberKey(owner: objectID, relationship: index)) {
      if context.undoManager != nil, let before = delta.before(event: context.eventCount) {
        // Undo restores the members without what this event has changed already.
        var former = list
        before.apply(to: &former)
        context.noteFormerMembers(former, of: self, at: index)
      }
      delta.apply(to: &list)
      putMembers(list, at: index)
      noteListEdit(index, isSetHere: false)
    } else {
      putMembers(list, at: index)
      // The event may have noted the object before its members were here.
      if marks.eventIndex >= 0 { context.noteLoadedMembers(of: self, at: index) }
    }
  }

  /// Remembers that a loaded list was edited. One that was set here may have to be written, and makes the object
  /// updated; so may one whose order was changed at the other side.
  func noteListEdit(_ index: Int, isSetHere: Bool) {
    if isSetHere { noteMembersSetHere(at: index) }
    if isSetHere || runtime.layout.relationships[index].isOrdered { noteUpdate() }
    if !hasEditedLists && !isInert { context?.pending.noteEditedLists(of: self) }
  }

  func relationshipIndex(_ name: String, isToMany: Bool) -> Int {
    guard let index = runtime.layout.relationshipIndexes[name],
      runtime.layout.relationships[index].isToMany == isToMany
    else {
      // A name that is not in the model is a mistake of the program, as it is in Core Data.
      preconditionFailure("entity \(entity.name) has no \(isToMany ? "to-many" : "to-one") relationship \"\(name)\"")
    }
    return index
  }

  private func requireSameContext(_ other: ManagedObject) {
    // Linking objects of two contexts would tie two queues together; Core Data raises an exception here too.
    precondition(other.context === context, "\(entity.name) and \(other.entity.name) belong to different contexts")
  }

  private func loadedContext() throws -> ManagedObjectContext {
    guard let context else { throw ContextError.contextGone }
    return context
  }
}
