import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Under a merge policy that resolves conflicts for the store: gives up what changed relationships have of objects
  /// that others deleted, where the relationships are optional. The validation reports the others.
  /// - Complexity: linear in the changes of the context where some object was lost; constant otherwise.
  func giveUpLostDestinations() throws {
    let kind = settings.mergePolicy.kind
    guard kind == .mergeByPropertyStoreTrump || kind == .rollback else { return }
    let candidates = pending.idsLostToOthers
    if candidates.isEmpty { return }
    // A row may have come back since.
    let present = try freshSnapshots(of: Array(candidates))
    let lost = candidates.filter { present[$0] == nil && (registeredObject(for: $0)?.isInert ?? true) }
    if lost.isEmpty { return }
    for object in pending.inserted + pending.maybeUpdated where object.isInserted || object.status == .loaded {
      for (index, relationship) in object.runtime.layout.relationships.enumerated()
      where !relationship.isToMany && relationship.definition.isOptional {
        guard let destination = object.destinations[index], lost.contains(destination),
          destination != object.stored?.toOne[index]
        else { continue }
        // The other side is gone, and is not asked for.
        if object.runtime.links[index].isInverseToMany {
          object.setDestination(nil, at: index)
        } else {
          object.replaceDestination(nil, at: index)
        }
      }
    }
    for owner in pending.editedLists where owner.isInserted || owner.status == .loaded {
      for (index, relationship) in owner.runtime.layout.relationships.enumerated()
      where relationship.isToMany && relationship.definition.isOptional && owner.isLoaded(index) {
        for member in owner.loadedMembers(index) ?? [] where lost.contains(member) {
          if owner.isMemberStored(member, at: index) == false { owner.removeMember(member, at: index) }
        }
      }
    }
  }

  /// Removes links to objects that this save deletes from objects whose conflicts were resolved: the resolution brought
  /// the links of their rows back, after the delete rules had been applied.
  func clearLinksToDeleted(from ids: [ObjectID]) {
    if pending.deleted.isEmpty { return }
    for object in ids.compactMap({ registeredObject(for: $0) }) where object.status == .loaded {
      for (index, link) in object.runtime.links.enumerated() where !link.isToMany {
        guard let destination = object.destinations[index],
          registeredObject(for: destination)?.status == .deleted,
          let rule = object.runtime.layout.inverses[index]?.definition.deleteRule, rule == .nullify || rule == .cascade
        else { continue }
        object.putDestination(nil, at: index)
        object.noteUpdate()
      }
    }
  }

  /// To be called before a whole object is written over its row, or inserted again. A to-one relationship that was not
  /// changed here and leads to an object that others deleted takes the row's destination, or none where the row is
  /// gone. One to an object that this save writes stays.
  func adoptStoredDestinations(of object: ManagedObject, from snapshot: Snapshot?) throws {
    guard let old = object.stored else { return }
    let indices = object.destinations.indices.filter { index in
      guard let destination = object.destinations[index], destination == old.toOne[index],
        destination != snapshot.flatMap({ $0.toOne[index] })
      else { return false }
      return registeredObject(for: destination).map { $0.isInserted || $0.isUpdated } != true
    }
    if indices.isEmpty { return }
    let present = try freshSnapshots(of: indices.compactMap { object.destinations[$0] })
    for index in indices {
      guard let destination = object.destinations[index], present[destination] == nil else { continue }
      object.putDestination(snapshot.flatMap { $0.toOne[index] }, at: index)
    }
  }
}
