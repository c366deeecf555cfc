public import ObjectModel
public import Predicates
public import StoreInterface

/// What a context is asked to fetch, and as what: managed objects of a class, ids, dictionaries, or their number. The
/// type of the results is a `FetchRequestResult`; of `FetchRequest<FetchRequestResult>`, `resultType` says it.
///
/// A class, as in Core Data: `let request = Recipe.fetchRequest(); request.fetchLimit = 10`. It belongs to the queue
/// that made it; what a store gets of it is a `FetchSpecification`.
public final class FetchRequest<ResultType> {
  /// The entity by name; nil where `entity` is set or the class of the results says it.
  public var entityName: String? {
    didSet { if entityName != entity?.name { entity = nil } }
  }
  /// The entity of the selected objects; looked up by name or class when it is first used.
  public var entity: Entity?
  /// The condition that objects must meet; nil for all objects.
  public var predicate: FetchPredicate?
  /// The order: by the first descriptor, then by the next. Equal objects are ordered by primary key, ascending.
  public var sortDescriptors: [FetchSortDescriptor]?
  /// The greatest number of results; 0: no limit.
  public var fetchLimit = 0
  /// How many results to leave out at the start of the ordered result.
  public var fetchOffset = 0
  /// How many objects come in at a time while `fetchedObjects` is walked; 0: as many as it chooses.
  public var fetchBatchSize = 0
  /// Whether objects of sub-entities are selected too.
  public var includesSubentities = true
  /// Whether unsaved changes count.
  public var includesPendingChanges = true
  /// Whether values are read with the row, or only ids.
  public var includesPropertyValues = true
  /// Whether objects are returned without their values until they are asked for.
  public var returnsObjectsAsFaults = true
  /// Whether objects that the context has already take what the store has now; what was changed here stays.
  public var shouldRefreshRefetchedObjects = false
  /// Relationships whose objects are brought in along with the result: `"steps"`, through others `"author.recipes"`, or
  /// `\Recipe.steps` of a generated class.
  public var relationshipKeyPathsForPrefetching: [any PropertyKeyPath]?
  /// The stores that are asked; nil: all that have the entity.
  public var affectedStores: [any PersistentStore]?
  /// What is wanted. The type of the request says it too: this is for requests made of templates.
  public var resultType: FetchRequestResultType =
    (ResultType.self as? any FetchRequestResult.Type)?.fetchRequestResultType ?? .managedObjectResultType

  /// Dictionaries: what is fetched: names and key paths as text or of generated classes, `ExpressionDescription`,
  /// `AttributeDescription`, `Relationship`. Nil: every attribute that is stored and every to-one relationship.
  public var propertiesToFetch: [any FetchedProperty]?
  /// Dictionaries: rows with equal values of these make one group.
  public var propertiesToGroupBy: [any FetchedProperty]?
  /// Dictionaries: which groups are wanted. A variable with the name of what is fetched stands for that:
  /// `FetchPredicate(format: "$total > 1")` where an `ExpressionDescription` has the name `total`.
  public var havingPredicate: FetchPredicate?
  /// Dictionaries: whether equal ones are returned once.
  public var returnsDistinctResults = false

  /// A request for the entity of the results' class.
  public init() {}

  /// A request for the objects of an entity and its sub-entities, by name.
  public init(entityName: String) { self.entityName = entityName }

  /// A request for the objects of an entity and its sub-entities.
  public init(entity: Entity) {
    entityName = entity.name
    self.entity = entity
  }

  /// A request as a model's template has it.
  /// - Throws: what `FetchSpecification.init(template:model:variables:)` throws.
  public convenience init(
    template: FetchRequestTemplate, model: ManagedObjectModel, variables: [String: (any PredicateArgument)?] = [:]
  ) throws {
    self.init(try FetchSpecification(template: template, model: model, variables: variables))
  }

  /// A request that asks what a specification says.
  package convenience init(_ specification: FetchSpecification) {
    self.init(entity: specification.entity)
    predicate = specification.predicate == .all ? nil : specification.predicate
    sortDescriptors = specification.sortDescriptors.isEmpty ? nil : specification.sortDescriptors
    fetchLimit = specification.fetchLimit
    fetchOffset = specification.fetchOffset
    fetchBatchSize = specification.fetchBatchSize
    includesSubentities = specification.includesSubentities
    includesPendingChanges = specification.includesPendingChanges
    includesPropertyValues = specification.includesPropertyValues
    returnsObjectsAsFaults = specification.returnsObjectsAsFaults
    relationshipKeyPathsForPrefetching = specification.relationshipKeyPathsForPrefetching.map {
      $0.joined(separator: ".")
    }
    propertiesToFetch = specification.propertiesToFetch
    propertiesToGroupBy = specification.propertiesToGroupBy.map { $0.joined(separator: ".") }
    havingPredicate = specification.havingPredicate
    returnsDistinctResults = specification.returnsDistinctResults
    resultType = FetchRequestResultType(specification.resultType)
  }

  /// What the context's coordinator asks its stores. The entity must be known.
  func specification(in context: ManagedObjectContext) -> FetchSpecification {
    var specification = FetchSpecification(resolvedEntity(in: context))
    specification.predicate = predicate ?? .all
    specification.sortDescriptors = sortDescriptors ?? []
    specification.fetchLimit = fetchLimit
    specification.fetchOffset = fetchOffset
    specification.fetchBatchSize = fetchBatchSize
    specification.includesSubentities = includesSubentities
    specification.includesPendingChanges = includesPendingChanges
    specification.includesPropertyValues = includesPropertyValues
    specification.returnsObjectsAsFaults = returnsObjectsAsFaults
    specification.relationshipKeyPathsForPrefetching =
      (relationshipKeyPathsForPrefetching ?? []).map { FetchPredicate.keyPath($0.propertyKeyPath) }
    specification.affectedStores = affectedStores.map { $0.map(\.identifier) }
    specification.resultType = resultType.specified
    specification.propertiesToFetch = (propertiesToFetch ?? []).map(\.fetchedExpression)
    specification.propertiesToGroupBy = (propertiesToGroupBy ?? []).map {
      FetchPredicate.keyPath($0.fetchedExpression.name)
    }
    specification.havingPredicate = havingPredicate.map { predicate in
      let named = specification.propertiesToFetch.map { ($0.name, $0.expression) }
      return predicate.withSubstitutionVariables(Dictionary(named) { first, _ in first })
    }
    specification.returnsDistinctResults = returnsDistinctResults
    return specification
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
    if let entity {
      // An entity of another model is a mistake of the program; Core Data raises an exception.
      precondition(entity.model === model, "\(entity.name) belongs to another model than the context's")
      return entity
    }
    let objectClass = ResultType.self as? ManagedObject.Type
    let found = entityName.map { model[$0] } ?? objectClass.flatMap { context.coordinator.entity(of: $0) }
    guard let found else {
      preconditionFailure(
        entityName.map { "the model has no entity \"\($0)\" to fetch" }
          ?? "a fetch request must have an entity: \(ResultType.self) is the class of none, or of several, of the container"
      )
    }
    entity = found
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
    let sorts = sortDescriptors.map { $0.map(\.description).joined(separator: ", ") } ?? ""
    return "<FetchRequest: entity: \(entityName ?? entity?.name ?? "\(ResultType.self)"); predicate: "
      + "(\(predicate.map(\.predicateFormat) ?? "TRUEPREDICATE")); sortDescriptors: (\(sorts)); limit: \(fetchLimit); "
      + "offset: \(fetchOffset); type: \(resultType)>"
  }
}
