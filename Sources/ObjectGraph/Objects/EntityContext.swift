import ObjectModel

/// What the objects of one entity in one context have in common.
final class EntityContext {
  let runtime: EntityRuntime
  /// What temporary ids have in common.
  let temporaryIDs: ObjectID.Space
  weak var context: ManagedObjectContext?
  /// Whether the context has gone; its deinitializer notes that.
  private(set) var isContextGone = false
  /// Whether some object may have the list of a to-many relationship.
  var hasLists = false

  init(_ runtime: EntityRuntime, _ context: ManagedObjectContext) {
    self.runtime = runtime
    temporaryIDs = ObjectID.Space(entity: runtime.entity, store: nil)
    self.context = context
  }

  func noteContextGone() { isContextGone = true }
}
