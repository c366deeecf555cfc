import ObjectModel
import Predicates
import StoreInterface

/// The objects at the far ends of the to-one relationships by which results are sorted and sections named.
///
/// As long as nothing but the results themselves, and which objects they lead to, changes, results that were found to
/// be in order stay so. The objects are held from then on, so that none is loaded anew with other values unnoticed.
final class SortDestinations {
  /// The relationships that lead there.
  private let keyPaths: [FetchPredicate.KeyPath]
  private let entities: [Entity]
  private var held: Set<ManagedObject> = []
  /// Whether the results were found to be in the order that these objects give them.
  private(set) var isOrderKnown = false

  /// Nil when a key path leads elsewhere than over to-one relationships.
  /// - Parameter keyPaths: of the entity, to attributes.
  init?(_ keyPaths: [FetchPredicate.KeyPath], of entity: Entity) {
    var relationships: [FetchPredicate.KeyPath] = []
    var entities: [Entity] = []
    for keyPath in keyPaths {
      var here = entity
      for name in keyPath.dropLast() {
        guard let relationship = here.relationship(name), !relationship.isToMany else { return nil }
        here = relationship.destination
        entities.append(here)
      }
      guard let name = keyPath.last, let attribute = here.attribute(name) else { return nil }
      // The program may set what is not stored without a change of the object.
      if keyPath.count > 1 {
        if attribute.isTransient { return nil }
        relationships.append(keyPath.dropLast())
      }
    }
    self.keyPaths = relationships
    self.entities = entities
  }

  /// Whether there are none.
  var isEmpty: Bool { keyPaths.isEmpty }

  func contains(_ entity: Entity) -> Bool { entities.contains { entity.isKind(of: $0) } }

  /// Whether a change, or one that is not saved, is of such objects: only a fetch tells then.
  func mayDiffer(_ objects: Set<ManagedObject>, _ ids: Set<ObjectID>, in context: ManagedObjectContext) -> Bool {
    if isEmpty { return false }
    // Others have only got or lost members.
    func isChanged(_ object: ManagedObject) -> Bool {
      contains(object.entity) && (object.isInserted || object.isDeletedHere || object.hasOwnChanges)
    }
    let pending = context.pending
    return ids.contains { contains($0.entity) } || objects.contains(where: isChanged)
      || pending.inserted.contains(where: isChanged) || pending.maybeUpdated.contains(where: isChanged)
      || pending.deleted.contains(where: isChanged)
  }

  /// Brings in what objects lead to, with one fetch for each relationship, and holds it.
  func hold(from objects: [ManagedObject], in context: ManagedObjectContext) throws {
    if objects.isEmpty || isEmpty { return }
    held.formUnion(try context.destinations(of: objects, along: keyPaths))
  }

  /// The results are in order.
  func noteOrder() { isOrderKnown = true }

  /// The results are others.
  func forget() {
    isOrderKnown = false
    held = []
  }
}
