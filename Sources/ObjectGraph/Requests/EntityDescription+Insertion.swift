public import ObjectModel
public import Predicates

extension EntityDescription {
  /// A new object of the entity of that name, with the model's defaults. A name that is not in the model of the
  /// context's container is a mistake of the program and stops it, as Core Data raises an exception.
  @discardableResult
  public static func insertNewObject(
    forEntityName name: String, into context: ManagedObjectContext
  ) -> ManagedObject {
    guard let entity = context.coordinator.model[name] else {
      preconditionFailure("the model has no entity \"\(name)\" to insert")
    }
    return context.insert(entity)
  }

  /// The entity of that name in the model of the context's container.
  public static func entity(forEntityName name: String, in context: ManagedObjectContext) -> EntityDescription? {
    context.coordinator.model[name]?.described
  }
}

extension ManagedObjectContext {
  /// Makes a new object with the entity's defaults. The entity must belong to the container's model and not be
  /// abstract.
  @discardableResult public func insert(_ entity: EntityDescription) -> ManagedObject { insert(entity.handle) }
}

extension FetchRequest {
  /// A request for the objects of an entity and its sub-entities.
  public convenience init(entity: EntityDescription) {
    self.init()
    settings.select(entity)
  }
}

extension EntityDescription: PredicateArgument {
  /// The entity's name, which `entity` in a predicate compares with.
  public var predicateExpression: FetchExpression { .constant(.string(name)) }
}
