import Foundation
import ObjectModel
import Predicates
import StoreInterface

extension FetchedResultsController {
  /// Follows the context from the first fetch on.
  func observeContext() {
    if content == nil || !observers.isEmpty { return }
    let link = ControllerLink(self)
    func observe(_ name: Notification.Name, _ body: @escaping @Sendable (Notification) -> Void) {
      observers.append(
        NotificationCenter.default.addObserver(forName: name, object: managedObjectContext, queue: nil, using: body))
    }
    observe(ManagedObjectContext.didChangeObjectsNotification) { notification in
      if let changes = notification.contextChanges { link.controller?.contextDidChange(changes) }
    }
    // The store answers what objects here do not say: whose rows changed without being here, and what is at the end of
    // relationships.
    observe(ManagedObjectContext.didMergeChangesObjectIDsNotification) { notification in
      if let ids = notification.contextChangeIDs, let controller = link.controller, controller.concerns(ids) {
        controller.isFetchDue = true
      }
    }
    observe(ManagedObjectContext.mergeEndedNotification) { _ in
      if let controller = link.controller, controller.isFetchDue { controller.fetchAgain(changed: []) }
    }
    observe(ManagedObjectContext.didSaveObjectsNotification) { notification in
      if let ids = notification.contextChangeIDs, let controller = link.controller, controller.followsRelationships,
        controller.concerns(ids)
      {
        controller.fetchAgain(changed: [])
      }
    }
    observe(ManagedObjectContext.objectIDsChangedNotification) { _ in link.controller?.idsDidChange() }
  }

  /// Temporary ids that were told of have become permanent: who keeps ids gets the new ones, in the places of the old.
  private func idsDidChange() {
    guard toldIDs.contains(where: \.isTemporary) else { return }
    let ids = fetchedObjects?.map(\.objectID) ?? []
    if ids.count == toldIDs.count && ids != toldIDs { tellIDs() }
  }

  private func tellIDs() {
    guard let delegate, let snapshot else { return }
    let before = toldIDs
    toldIDs = snapshot.objectIDs
    delegate.controller(self, didChangeContentWith: snapshot)
    delegate.controller(self, didChangeContentWith: toldIDs.difference(from: before).inferringMoves())
  }

  /// Works out what a change of the context made of the results, and tells it. Where the new results cannot be had,
  /// because the store fails, the old ones stay.
  private func contextDidChange(_ changes: ContextChanges) {
    let changed = changes.updatedObjects.union(changes.refreshedObjects)
    let all = changed.union(changes.insertedObjects).union(changes.deletedObjects)
    let entities = Set(all.map(\.entity))
    guard isFetchDue || changes.invalidatedCount > 0 || entities.contains(where: { touchesResults($0) }) else { return }
    fetchAgain(changed: Set(changed.compactMap { $0 as? Object }))
  }

  /// Fetches anew, and tells what is different: some time later where a merge would have to wait for the parent's queue.
  private func fetchAgain(changed: Set<Object>) {
    guard content != nil else { return isFetchDue = false }
    dueChanges.formUnion(changed)
    let context = managedObjectContext
    if (context.isFollowing || context.isMerging) && !context.isParentAtHand { return fetchLater() }
    isFetchDue = false
    let deferred = context.deferredError
    finishFetch(Result { try makeSections(of: fetch()) }, deferred: deferred)
  }

  /// Has the rows come from the parent while no context waits for another one.
  private func fetchLater() {
    isFetchDue = true
    if isFetchUnderWay { return isFetchOutdated = true }
    isFetchUnderWay = true
    isFetchOutdated = false
    let link = ControllerLink(self)
    managedObjectContext.fetchWithoutWaiting(specification) { read in
      guard let controller = link.controller else { return FetchedContent<Object>(sections: []) }
      return FetchedContent(sections: try controller.makeSections(of: controller.fetch(reading: read)))
    } _: { result in
      guard let controller = link.controller else { return }
      controller.isFetchUnderWay = false
      // An event of the context's own may have fetched meanwhile.
      guard controller.isFetchDue else { return }
      let isOutdated = controller.isFetchOutdated
      // What is missing in the end, the next event with the parent at hand fetches.
      if case .failure(let error) = result, error is WouldWait { return isOutdated ? controller.fetchLater() : () }
      controller.finishFetch(result.map(\.sections), deferred: controller.managedObjectContext.deferredError)
      if isOutdated { controller.fetchLater() }
    }
  }

  /// Takes new results, and tells what is different.
  private func finishFetch(_ result: Result<Content, any Error>, deferred: (any Error)?) {
    isFetchDue = false
    guard let old = content else { return }
    let changed = dueChanges
    dueChanges = []
    let previous = old.map { info(of: $0) }
    switch result {
    case .failure(let error):
      self.error = error
      // It is still for the next fetch or save of the program to throw.
      if managedObjectContext.deferredError == nil { managedObjectContext.deferredError = deferred }
      delegate?.controller(self, didFailWith: error)
    case .success(let new):
      error = nil
      show(new)
      let difference = ResultsChanges(from: old, to: new, changed: changed)
      if !difference.isEmpty { tell(difference, previous: previous) }
    }
  }

  /// Whether more than the attributes of the results decides about them.
  private var followsRelationships: Bool {
    specification.sortDescriptors.contains { $0.keyPath.count > 1 } || sectionNameKeyPath?.contains(".") == true
      || !PredicateRelationships(specification.predicate, of: specification.entity).destinations.isEmpty
  }

  /// Whether what was saved can make other results.
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
    let sectionPath = sectionNameKeyPath.map { [$0.split(separator: ".").map(String.init)] } ?? []
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

  private func tell(_ changes: ResultsChanges<Object>, previous: [FetchedResultsSectionInfo<Object>]) {
    guard let delegate, let sections else { return }
    func path(_ position: ResultsChanges<Object>.Position) -> IndexPath { [position.section, position.item] }
    delegate.controllerWillChangeContent(self)
    for index in changes.deletedSections {
      delegate.controller(self, didChange: previous[index], atSectionIndex: index, for: .delete)
    }
    for index in changes.insertedSections {
      delegate.controller(self, didChange: sections[index], atSectionIndex: index, for: .insert)
    }
    for change in changes.deleted {
      delegate.controller(self, didChange: change.item, at: path(change.from), for: .delete, newIndexPath: nil)
    }
    for change in changes.inserted {
      delegate.controller(self, didChange: change.item, at: nil, for: .insert, newIndexPath: path(change.to))
    }
    for (list, type) in [(changes.moved, FetchedResultsChangeType.move), (changes.updated, .update)] {
      for change in list {
        delegate.controller(
          self, didChange: change.item, at: path(change.from), for: type, newIndexPath: path(change.to))
      }
    }
    delegate.controllerDidChangeContent(self)
    tellIDs()
  }
}

/// Sections that are handed on within the queue of their context: that is what makes the unchecked `Sendable` sound.
private struct FetchedContent<Object: ManagedObject>: @unchecked Sendable {
  let sections: FetchedResultsController<Object>.Content
}

/// Leads from the notification centre to a controller. Notifications of a context are posted on its queue, which is
/// where the controller lives: that is what makes the unchecked `Sendable` sound.
private final class ControllerLink<Object: ManagedObject>: @unchecked Sendable {
  weak var controller: FetchedResultsController<Object>?

  init(_ controller: FetchedResultsController<Object>) {
    self.controller = controller
  }
}
