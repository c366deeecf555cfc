public import ObjectModel
public import Predicates
package import StoreInterface

/// What a context is asked to fetch, and as what: managed objects of a class, ids, dictionaries, or their number. The
/// type of the results is a `FetchRequestResult`; of `FetchRequest<FetchRequestResult>`, `resultType` says it.
///
/// A class, as in Core Data: `let request = Recipe.fetchRequest(); request.fetchLimit = 10`. It belongs to the queue
/// that made it; what a store gets of it is a `FetchSpecification`.
@dynamicMemberLookup
public final class FetchRequest<ResultType> {
  /// What the request says, which a request of another type for the same results says too.
  let settings: FetchRequestSettings

  /// A request for the entity of the results' class.
  public init() {
    let type = (ResultType.self as? any FetchRequestResult.Type)?.fetchRequestResultType
    settings = FetchRequestSettings(resultType: type ?? .managedObjectResultType)
  }

  /// A request for the objects of an entity and its sub-entities, by name.
  public convenience init(entityName: String) {
    self.init()
    settings.entityName = entityName
  }

  /// A request for the objects of an entity and its sub-entities.
  public convenience init(entity: Entity) {
    self.init()
    settings.entityName = entity.name
    settings.entity = entity
  }

  /// What the request says. A change counts from the next fetch.
  public subscript<Setting>(dynamicMember setting: ReferenceWritableKeyPath<FetchRequestSettings, Setting>) -> Setting {
    get { settings[keyPath: setting] }
    set { settings[keyPath: setting] = newValue }
  }

  /// A request as a model's template has it.
  /// - Throws: what `FetchSpecification.init(template:model:variables:)` throws.
  public convenience init(
    template: FetchRequestTemplate, model: ManagedObjectModel, variables: [String: (any PredicateArgument)?] = [:]
  ) throws {
    self.init(try FetchSpecification(template: template, model: model, variables: variables))
  }

  /// A request that asks what a specification says.
  package init(_ specification: FetchSpecification) { settings = FetchRequestSettings(specification) }

  /// A request that says what another one says, also when that changes.
  init(sharing settings: FetchRequestSettings) { self.settings = settings }

  /// What the context's coordinator asks its stores. The entity must be known.
  func specification(in context: ManagedObjectContext) -> FetchSpecification {
    settings.specification(of: resolvedEntity(in: context))
  }

  private func resolvedEntity(in context: ManagedObjectContext) -> Entity {
    let entity = statedEntity(in: context)
    // The container may not know the class yet.
    if let objectClass = ResultType.self as? ManagedObject.Type, objectClass != ManagedObject.self,
      context.coordinator.runtime(entity).objectClass == ManagedObject.self
    {
      _ = context.coordinator.entity(of: objectClass)
    }
    return entity
  }

  private func statedEntity(in context: ManagedObjectContext) -> Entity {
    let model = context.coordinator.model
    if let entity = settings.entity {
      // An entity of another model is a mistake of the program; Core Data raises an exception.
      precondition(entity.model === model, "\(entity.name) belongs to another model than the context's")
      return entity
    }
    let objectClass = ResultType.self as? ManagedObject.Type
    let found = settings.entityName.map { model[$0] } ?? objectClass.flatMap { context.coordinator.entity(of: $0) }
    guard let found else {
      preconditionFailure(
        settings.entityName.map { "the model has no entity \"\($0)\" to fetch" }
          ?? "a fetch request must have an entity: \(ResultType.self) is the class of none, or of several, of the container"
      )
    }
    settings.entity = found
    return found
  }

  /// Fetches in the context whose `perform` the caller is inside.
  /// - Throws: what `ManagedObjectContext.fetch(_:)` throws.
  public func execute(in context: ManagedObjectContext) throws -> [ResultType] { try context.fetch(self) }

  /// Fetches in the context inside whose `perform` or `performAndWait` this is called. Elsewhere it is a mistake of the
  /// program, where Core Data raises an exception.
  /// - Throws: what `ManagedObjectContext.fetch(_:)` throws.
  public func execute() throws -> [ResultType] {
    guard let context = ManagedObjectContext.current, context.confinement.isHeldByCurrentThread else {
      preconditionFailure("\(self) is executed outside of any context's perform: use execute(in:)")
    }
    return try context.fetch(self)
  }
}

extension FetchRequest: CustomStringConvertible {
  /// The request as Core Data prints it, without addresses.
  public var description: String {
    let sorts = settings.sortDescriptors.map { $0.map(\.description).joined(separator: ", ") } ?? ""
    let entity = settings.entityName ?? settings.entity?.name ?? "\(ResultType.self)"
    return
      "<FetchRequest: entity: \(entity); predicate: (\(settings.predicate.map(\.predicateFormat) ?? "TRUEPREDICATE")); "
      + "sortDescriptors: (\(sorts)); limit: \(settings.fetchLimit); offset: \(settings.fetchOffset); "
      + "type: \(settings.resultType)>"
  }
}
