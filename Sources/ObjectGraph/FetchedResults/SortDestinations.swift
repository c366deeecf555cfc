import ObjectModel
import Predicates

/// The objects at the far ends of the to-one relationships by which results are sorted and sections named.
///
/// Results that were found to be in order can be sorted in memory as long as none of these objects changes. The objects
/// are held from then on, so that none is released and loaded anew with other values unnoticed.
final class SortDestinations {
  /// The paths of relationships that lead to the objects.
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
      // A transient attribute can change without a change of its object being recorded.
      if keyPath.count > 1 {
        if attribute.isTransient { return nil }
        relationships.append(keyPath.dropLast())
      }
    }
    self.keyPaths = relationships
    self.entities = entities
  }

  var isEmpty: Bool { keyPaths.isEmpty }

  func contains(_ entity: Entity) -> Bool { entities.contains { entity.isKind(of: $0) } }

  /// Whether one of these objects is among the changed ones, or has changes that are not saved: then only a fetch tells
  /// the order.
  func mayDiffer(_ objects: Set<ManagedObject>, _ ids: Set<ObjectID>, in context: ManagedObjectContext) -> Bool {
    if isEmpty { return false }
    // Objects without changes of their own have only gained or lost members of a to-many relationship.
    func isChanged(_ object: ManagedObject) -> Bool {
      contains(object.entity) && (object.isInserted || object.isDeletedHere || object.hasOwnChanges)
    }
    let pending = context.pending
    return ids.contains { contains($0.entity) } || objects.contains(where: isChanged)
      || pending.inserted.contains(where: isChanged) || pending.maybeUpdated.contains(where: isChanged)
      || pending.deleted.contains(where: isChanged)
  }

  /// Fetches the destinations of the objects, with one fetch for each relationship, and holds them.
  func hold(from objects: [ManagedObject], in context: ManagedObjectContext) throws {
    if objects.isEmpty || isEmpty { return }
    held.formUnion(try context.destinations(of: objects, along: keyPaths))
  }

  /// Notes that the results are in order.
  func noteOrder() { isOrderKnown = true }

  /// Forgets the order and releases the objects, because the controller has new results.
  func forget() {
    isOrderKnown = false
    held = []
  }
}
