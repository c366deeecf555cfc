import Foundation

extension ManagedObjectContext {
  /// Processes the changes since the last time: applies delete rules (unless only saves do), tells the undo manager of
  /// the changes as one group, and posts `didChangeObjectsNotification` when there were any.
  ///
  /// Every `perform`, every outermost `performAndWait` and every save does it, and the main queue after changes that
  /// were made on it outside of these. What observers of the notification change is processed next. When the store
  /// fails while destinations of deleted objects are loaded, the next fetch or save throws its error, and processing
  /// goes on there.
  public func processPendingChanges() {
    let greatestRounds = 1000
    for _ in 0..<greatestRounds {
      processEvent()
      // Observers may have changed something.
      if event.isEmpty || isProcessing { break }
    }
    undoManager?.endEventGroup()
  }

  /// Processes changes, but leaves the group of the undo manager open.
  func processEvent() {
    checkConfinement()
    finishEvent(propagating: propagatesDeletesNow)
  }

  /// Whether the end of this event applies delete rules, for which the parent may have to be asked.
  var propagatesDeletesNow: Bool {
    settings.propagatesDeletesAtEndOfEvent && (!isMergeEvent || isParentAtHand)
  }

  /// Has changes that are made on the main queue outside of `perform` processed once the code that makes them is done.
  /// That includes changes that observers make during a save or during processing; when these process the changes
  /// themselves, the turn finds none.
  func processInNextTurn() {
    if isNextTurnExpected || eventDepth > 0 || event.isEmpty { return }
    isNextTurnExpected = true
    DispatchQueue.main.async { [weak self] in
      guard let self else { return }
      isNextTurnExpected = false
      // In a nested run loop, the work around it processes them.
      if eventDepth > 0 || saves.isUnderWay || isProcessing { return }
      // The changes of all contexts that share the undo manager, in one turn, make one group.
      undoManager?.processContexts()
      processPendingChanges()
    }
  }

  /// Ends the event, but leaves the group of the undo manager open.
  func finishEvent(propagating: Bool) {
    if isProcessing { return }
    isProcessing = true
    defer { isProcessing = false }
    if propagating { propagateDeletes() }
    pending.checkInvariants()
    if event.isEmpty { return }
    noteOwnersOfEvent()
    let finished = event
    event = ContextEvent()
    eventCount += 1
    finished.releaseObjects()
    if let undoManager, undoManager.isUndoRegistrationEnabled, !finished.entries.isEmpty {
      registerUndo(finished.entries, with: undoManager)
    }
    postedEvent = PostedEvent(finished)
    defer { postedEvent = nil }
    post(Self.didChangeObjectsNotification, ContextChanges(finished, in: self))
  }

  /// Called before the first change of an object in an event.
  func noteFirstChange(of object: ManagedObject) {
    if object.isInert || object.marks.hook == .awakeFromFetch { return }
    event.note(object, before: object.state)
  }

  /// Adds a relationship that was loaded since the object's first change in an event, so that undo can restore it.
  func noteLoadedMembers(of object: ManagedObject, at index: Int) {
    if undoManager != nil { event.addMissingMembers(object.memberLists[index], of: object, at: index) }
  }

  /// Adds a relationship that is being loaded and that the event has changed already, as it was before, so that undo can
  /// restore it.
  func noteFormerMembers(_ list: MemberList, of object: ManagedObject, at index: Int) {
    if undoManager == nil { return }
    object.willChange()
    event.addMissingMembers(list, of: object, at: index)
  }

  /// Adds the relationships that were loaded since then, so that undo can restore them.
  func noteLoadedMembers(of object: ManagedObject) {
    if undoManager != nil { event.addMissingMembers(of: object) }
  }

  /// Relationships of these objects changed in the event, at the other side.
  func noteOwners(_ owners: [ManagedObject]) { event.noteOwners(owners) }

  func noteInsertion(of object: ManagedObject) { event.note(object, before: nil) }

  /// Values were replaced by those of the store.
  func noteRefresh(of object: ManagedObject) { event.noteRefresh(of: object) }
  func noteRefresh(of objects: [ManagedObject]) { event.noteRefresh(of: objects) }

  /// A merge brought faults for rows that another context inserted.
  func noteArrival(of faults: [ManagedObject]) { event.noteArrival(of: faults) }

  /// A merge found these to be deleted.
  func noteLoss(of objects: [ManagedObject]) { event.noteLoss(of: objects) }

  /// Forgets the event without a notification, because its changes are gone.
  func abandonEvent() {
    event.releaseObjects()
    event = ContextEvent()
  }
}
