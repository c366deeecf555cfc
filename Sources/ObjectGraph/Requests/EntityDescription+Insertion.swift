public import ObjectModel

extension EntityDescription {
  /// A new object of the entity of that name, with the model's defaults. A name that is not in the model of the
  /// context's container is a mistake of the program and stops it, as Core Data raises an exception.
  @discardableResult
  public static func insertNewObject(
    forEntityName name: String, into context: ManagedObjectContext
  ) -> ManagedObject {
    guard let entity = entity(forEntityName: name, in: context) else {
      preconditionFailure("the model has no entity \"\(name)\" to insert")
    }
    return context.insert(entity)
  }

  /// The entity of that name in the model of the context's container.
  public static func entity(forEntityName name: String, in context: ManagedObjectContext) -> Entity? {
    context.coordinator.model[name]
  }
}
