import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Under a merge policy that resolves conflicts for the store: gives up what changed relationships have of objects that
  /// others deleted, where the relationships are optional. The validation reports the others.
  /// - Complexity: linear in the changes of the context where some object was lost; constant otherwise.
  func giveUpLostDestinations() throws {
    let kind = settings.mergePolicy.kind
    guard kind == .mergeByPropertyStoreTrump || kind == .rollback else { return }
    let lost = pending.idsLostToOthers.filter { registeredObject(for: $0)?.isInert ?? true }
    if lost.isEmpty { return }
    for object in pending.inserted + pending.maybeUpdated where object.isInserted || object.status == .loaded {
      for (index, relationship) in object.runtime.layout.relationships.enumerated()
      where !relationship.isToMany && relationship.definition.isOptional {
        guard let destination = object.destinations[index], lost.contains(destination),
          destination != object.stored?.toOne[index]
        else { continue }
        object.setDestination(nil, at: index)
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
}
