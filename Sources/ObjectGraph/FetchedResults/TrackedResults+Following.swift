import Foundation
import ObjectModel
import StoreInterface

extension TrackedResults {
  /// Follows the context from the first fetch on.
  func observeContext() {
    if content == nil || !observers.isEmpty { return }
    let link = ResultsLink(self)
    func observe(_ name: Notification.Name, _ body: @escaping @Sendable (Notification) -> Void) {
      observers.append(
        NotificationCenter.default.addObserver(forName: name, object: managedObjectContext, queue: nil, using: body))
    }
    observe(ManagedObjectContext.didChangeObjectsNotification) { notification in
      if let changes = notification.contextChanges { link.results?.contextDidChange(changes) }
    }
    // After a merge the store is asked, because changed rows may have no object here and may lie at the end of
    // relationships.
    observe(ManagedObjectContext.didMergeChangesObjectIDsNotification) { notification in
      if let ids = notification.contextChangeIDs, let results = link.results, results.concerns(ids) {
        results.isFetchDue = true
        results.dueIDs.formUnion(ids.insertedObjectIDs + ids.updatedObjectIDs + ids.deletedObjectIDs)
        results.dueIDs.formUnion(ids.relationshipOwnerIDs ?? [])
      }
    }
    observe(ManagedObjectContext.mergeEndedNotification) { _ in
      if let results = link.results, results.isFetchDue { results.update(changed: [], touching: []) }
    }
    observe(ManagedObjectContext.didSaveObjectsNotification) { notification in
      if let ids = notification.contextChangeIDs, let results = link.results, results.followsRelationships,
        results.concerns(ids), !results.isSure(ofSaved: ids)
      {
        results.fetchAgain(changed: [])
      }
    }
    observe(ManagedObjectContext.objectIDsChangedNotification) { _ in link.results?.idsDidChange() }
  }

  /// Temporary ids that the delegate was told have become permanent: it is told the new ones in their places.
  private func idsDidChange() {
    guard delegateSnapshot.hasTemporaryIDs, let snapshot else { return }
    let (ids, knownIDs) = (snapshot.objectIDs, delegateSnapshot.objectIDs)
    if ids.count == knownIDs.count && ids != knownIDs { notifyDelegateOfIDs() }
  }

  private func notifyDelegateOfIDs() {
    guard let delegate, let controller, let snapshot else { return isDelegateSnapshotCurrent = false }
    notifyDelegate(
      snapshot, snapshot.objectIDs.difference(from: delegateSnapshot.objectIDs).inferringMoves(), delegate, controller)
  }

  /// As `notifyDelegateOfIDs()`, from the touched objects alone.
  private func notifyDelegateOfIDs(touched: [ResultsChanges<ManagedObject>.Touched]) {
    guard isDelegateSnapshotCurrent, let delegate, let controller, let content else { return notifyDelegateOfIDs() }
    let snapshot = delegateSnapshot.following(to: content, touched)
    guard let difference: CollectionDifference<ObjectID> = delegateSnapshot.difference(to: snapshot, touched) else {
      return notifyDelegateOfIDs()
    }
    notifyDelegate(snapshot, difference, delegate, controller)
  }

  private func notifyDelegate(
    _ snapshot: FetchedResultsSnapshot, _ difference: CollectionDifference<ObjectID>,
    _ delegate: any FetchedResultsControllerDelegate, _ controller: FetchedResultsController<any FetchRequestResult>
  ) {
    let updates = delegateUpdateCount
    let replaced = replacementCount
    // What the delegate does in the callback may be told before this returns: from the ids that it was told last.
    isDelegateSnapshotCurrent = false
    delegate.controller(controller, didChangeContentWith: snapshot)
    if delegateUpdateCount != updates { return }
    if replacementCount != replaced || (snapshot.hasTemporaryIDs && snapshot != self.snapshot) {
      return notifyDelegateOfIDs()
    }
    noteDelegateUpdate(snapshot)
    delegate.controller(controller, didChangeContentWith: difference)
  }

  /// Derives the new results from a change of the context and tells the delegate. When the store fails, the old results
  /// stay.
  private func contextDidChange(_ changes: ContextChanges) {
    let changed = changes.updatedObjects.union(changes.refreshedObjects)
    let all = changed.union(changes.insertedObjects).union(changes.deletedObjects)
    let entities = Set(all.map(\.entity))
    guard isFetchDue || changes.invalidatedCount > 0 || entities.contains(where: { touchesResults($0) }) else { return }
    // A refresh may change any value, but a merge says which objects it concerns.
    let isKnown = changes.invalidatedCount == 0 && (isFetchDue || changes.refreshedObjects.isEmpty)
    update(changed: changed, touching: isKnown ? all : nil)
  }

  /// Takes changes into the results and tells the delegate. It fetches only where the results cannot be derived from
  /// the changes.
  /// - Parameter objects: nil when more may have changed than is known.
  private func update(changed: Set<ManagedObject>, touching objects: Set<ManagedObject>?) {
    guard let objects, let edit = followed(objects, changed) else { return fetchAgain(changed: changed) }
    isFetchDue = false
    (dueIDs, dueChanges) = ([], [])
    error = nil
    let touched = Set(edit.touched.map(\.item))
    let new = edit.touched.filter { $0.to != nil && $0.item.objectID.isTemporary }.map(\.item)
    let remaining = newResults.filter { $0.objectID.isTemporary && !touched.contains($0) }
    apply(edit, new: remaining + new)
    let difference = ResultsChanges(from: edit.oldNames, to: content ?? [], touched: edit.touched) {
      edit.emptied[$0] != nil
    }
    if !difference.isEmpty {
      notifyDelegate(difference, deletedSection: { edit.emptied[$0] }) { notifyDelegateOfIDs(touched: edit.touched) }
    } else if edit.touched.contains(where: { $0.from != $0.to }) {
      isDelegateSnapshotCurrent = false
    }
  }

  /// The edit of the results that follows from changes; nil where only a fetch tells.
  private func followed(_ objects: Set<ManagedObject>, _ changed: Set<ManagedObject>) -> ResultsEdit? {
    let context = managedObjectContext
    // Changes that observers have made already are not part of this notification.
    guard let content, let follower, isFollowable, context.event.isEmpty, context.deferredError == nil,
      !context.deferredRequests.isDeferring
    else {
      return nil
    }
    let edit = try? follower.follow(
      .init(objects: objects, ids: dueIDs, changed: dueChanges.union(changed), formerlyNew: newResults), in: content)
    if context.deferredError == nil { return edit }
    // The fetch that follows meets the error again.
    context.forgetDeferredError()
    return nil
  }

  /// Fetches anew, and tells what is different: some time later where a merge would have to wait for the parent's
  /// queue.
  private func fetchAgain(changed: Set<ManagedObject>) {
    guard content != nil else { return isFetchDue = false }
    dueChanges.formUnion(changed)
    let context = managedObjectContext
    if (context.isMergeEvent || context.merge.isUnderWay) && !context.isParentAtHand { return fetchLater() }
    isFetchDue = false
    let deferred = context.deferredError
    let staleSnapshotCount = context.staleSnapshotCount
    let result = Result { try sectionMaker.makeSections(of: fetch()) }
    finishFetch(result, deferred: deferred, isFollowable: context.staleSnapshotCount == staleSnapshotCount)
  }

  /// Fetches the rows from the parent later, so that no context waits for another one.
  private func fetchLater() {
    isFetchDue = true
    if isFetchUnderWay { return isFetchOutdated = true }
    isFetchUnderWay = true
    isFetchOutdated = false
    let link = ResultsLink(self)
    managedObjectContext.fetchWithoutWaiting(specification) { read in
      guard let results = link.results else { return FetchedContent(sections: []) }
      return FetchedContent(sections: try results.sectionMaker.makeSections(of: results.fetch(reading: read)))
    } _: { result in
      guard let results = link.results else { return }
      results.isFetchUnderWay = false
      // An event of the context's own may have fetched meanwhile.
      guard results.isFetchDue else { return }
      let isOutdated = results.isFetchOutdated
      // Rows that are still missing are fetched in the next event that may ask the parent.
      if case .failure(let error) = result, error is WouldWaitForParent {
        return isOutdated ? results.fetchLater() : ()
      }
      results.finishFetch(
        result.map(\.sections), deferred: results.managedObjectContext.deferredError, isFollowable: false)
      if isOutdated { results.fetchLater() }
    }
  }

  /// Takes new results, and tells what is different.
  private func finishFetch(_ result: Result<Content, any Error>, deferred: (any Error)?, isFollowable: Bool) {
    isFetchDue = false
    guard let old = content else { return }
    let changed = dueChanges
    (dueIDs, dueChanges) = ([], [])
    self.isFollowable = false
    follower?.forgetOrder()
    switch result {
    case .failure(let error):
      self.error = error
      // The program's next fetch or save still throws the deferred error.
      if managedObjectContext.deferredError == nil, let deferred { managedObjectContext.deferError(deferred) }
      if let controller { delegate?.controller(controller, didFailWith: error) }
    case .success(let new):
      error = nil
      show(new)
      self.isFollowable = isFollowable
      let difference = ResultsChanges(from: old, to: new, changed: changed)
      if difference.isEmpty {
        // Ids may be others.
        isDelegateSnapshotCurrent = false
      } else {
        notifyDelegate(difference, deletedSection: { old[$0] }) { notifyDelegateOfIDs() }
      }
    }
  }

  /// Whether the request depends on more than the attributes of the results.
  private var followsRelationships: Bool {
    specification.sortDescriptors.contains { $0.keyPath.count > 1 } || sectionNameKeyPath?.contains(".") == true
      || !PredicateRelationships(specification.predicate, of: specification.entity).destinations.isEmpty
  }

  /// Whether the results are already as they are after a save of the context.
  private func isSure(ofSaved ids: ContextChangeIDs) -> Bool {
    isFollowable && follower?.isSure(ofSaved: ids) == true
  }

  /// Whether the saved objects can change the results.
  private func concerns(_ ids: ContextChangeIDs) -> Bool {
    let owners = ids.relationshipOwnerIDs
    if owners == nil && followsRelationships { return true }
    let changed = ids.insertedObjectIDs + ids.updatedObjectIDs + ids.deletedObjectIDs + (owners ?? [])
    return Set(changed.map(\.entity)).contains { touchesResults($0) }
  }

  /// Whether objects of an entity can be results, or decide what the results, their order or their sections are.
  private func touchesResults(_ entity: Entity) -> Bool {
    let own = specification.entity
    if specification.includesSubentities ? entity.isKind(of: own) : entity == own { return true }
    let sectionPath = sectionNameKeyPath.map { [$0.keyPathComponents] } ?? []
    let asked = PredicateRelationships(specification.predicate, of: own).destinations
    if asked.contains(where: { entity.isKind(of: $0) }) { return true }
    return (specification.sortDescriptors.map(\.keyPath) + sectionPath).contains { path in
      var here = own
      for name in path.dropLast() {
        guard let relationship = here.relationship(name) else { return false }
        here = relationship.destination
        if entity.isKind(of: here) { return true }
      }
      return false
    }
  }

  /// - Parameter deletedSection: a section that is gone, by its old place.
  private func notifyDelegate(
    _ changes: ResultsChanges<ManagedObject>, deletedSection: (Int) -> ResultsChanges<ManagedObject>.Section?,
    ids: () -> Void
  ) {
    guard let delegate, let controller, let content else { return isDelegateSnapshotCurrent = false }
    func path(_ position: ResultsChanges<ManagedObject>.Position) -> IndexPath { [position.section, position.item] }
    // Callbacks may change or fetch the results, and what that tells starts from the ids that the delegate was told.
    let (updates, replaced, wasCurrent) = (delegateUpdateCount, replacementCount, isDelegateSnapshotCurrent)
    isDelegateSnapshotCurrent = false
    delegate.controllerWillChangeContent(controller)
    for index in changes.deletedSections {
      guard let section = deletedSection(index) else { continue }
      delegate.controller(controller, didChange: info(of: section), atSectionIndex: index, for: .delete)
    }
    for index in changes.insertedSections {
      delegate.controller(controller, didChange: info(of: content[index]), atSectionIndex: index, for: .insert)
    }
    for change in changes.deleted {
      delegate.controller(controller, didChange: change.item, at: path(change.from), for: .delete, newIndexPath: nil)
    }
    for change in changes.inserted {
      delegate.controller(controller, didChange: change.item, at: nil, for: .insert, newIndexPath: path(change.to))
    }
    for (list, type) in [(changes.moved, FetchedResultsChangeType.move), (changes.updated, .update)] {
      for change in list {
        delegate.controller(
          controller, didChange: change.item, at: path(change.from), for: type, newIndexPath: path(change.to))
      }
    }
    delegate.controllerDidChangeContent(controller)
    if delegateUpdateCount != updates { return }
    if replacementCount != replaced { return notifyDelegateOfIDs() }
    isDelegateSnapshotCurrent = wasCurrent
    ids()
  }
}

/// Sections that are handed on within the queue of their context: that is what makes the unchecked `Sendable` sound.
private struct FetchedContent: @unchecked Sendable {
  let sections: TrackedResults.Content
}

/// Leads from the notification centre to results. Notifications of a context are posted on its queue, which the results
/// belong to: that is what makes the unchecked `Sendable` sound.
private final class ResultsLink: @unchecked Sendable {
  weak var results: TrackedResults?

  init(_ results: TrackedResults) {
    self.results = results
  }
}

extension FetchedResultsSnapshot {
  fileprivate var hasTemporaryIDs: Bool { sections.contains { $0.objectIDs.contains(where: \.isTemporary) } }
}
