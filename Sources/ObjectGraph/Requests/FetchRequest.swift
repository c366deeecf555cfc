public import ObjectModel
public import Predicates
public import StoreInterface

/// What a context is asked to fetch, and as what: managed objects of a class, ids, dictionaries, or their number. The
/// type of the results is a `FetchRequestResult`; of `FetchRequest<FetchRequestResult>`, `resultType` says it.
///
/// A class, as in Core Data: `let request = Recipe.fetchRequest(); request.fetchLimit = 10`. It belongs to the queue
/// that made it; what a store gets of it is a `FetchSpecification`.
public final class FetchRequest<ResultType> {
  /// What the request says, which a request of another type for the same results says too.
  let settings: FetchRequestSettings

  /// The entity's name as it was stated; nil where `entity` alone was set, or the class of the results says it.
  public var entityName: String? {
    get { settings.entityName }
    set { settings.entityName = newValue }
  }
  /// The entity of the selected objects; looked up by name or class when it is first used.
  @_disfavoredOverload public var entity: Entity? {
    get { settings.entity }
    set { settings.entity = newValue }
  }
  /// `entity` as the class that programs use.
  package var entityDescription: EntityDescription? {
    get { settings.describedEntity ?? settings.entity?.described }
    set { settings.select(newValue) }
  }
  /// The condition that objects must meet; nil for all objects. A text of digits that is compared with a number is that
  /// number, as for Core Data's SQLite store.
  public var predicate: FetchPredicate? {
    get { settings.predicate }
    set { settings.predicate = newValue }
  }
  /// The order: by the first descriptor, then by the next. Equal objects are ordered by primary key, ascending.
  public var sortDescriptors: [FetchSortDescriptor]? {
    get { settings.sortDescriptors }
    set { settings.sortDescriptors = newValue }
  }
  /// The greatest number of results; 0: no limit.
  public var fetchLimit: Int {
    get { settings.fetchLimit }
    set { settings.fetchLimit = newValue }
  }
  /// How many results to leave out at the start of the ordered result.
  public var fetchOffset: Int {
    get { settings.fetchOffset }
    set { settings.fetchOffset = newValue }
  }
  /// How many objects come in at a time while `fetchedObjects` is walked; 0: as many as it chooses.
  public var fetchBatchSize: Int {
    get { settings.fetchBatchSize }
    set { settings.fetchBatchSize = newValue }
  }
  /// Whether objects of sub-entities are selected too.
  public var includesSubentities: Bool {
    get { settings.includesSubentities }
    set { settings.includesSubentities = newValue }
  }
  /// Whether unsaved changes count.
  public var includesPendingChanges: Bool {
    get { settings.includesPendingChanges }
    set { settings.includesPendingChanges = newValue }
  }
  /// Whether values are read with the row, or only ids.
  public var includesPropertyValues: Bool {
    get { settings.includesPropertyValues }
    set { settings.includesPropertyValues = newValue }
  }
  /// Whether objects are returned without their values until they are asked for.
  public var returnsObjectsAsFaults: Bool {
    get { settings.returnsObjectsAsFaults }
    set { settings.returnsObjectsAsFaults = newValue }
  }
  /// Whether objects that the context has already take what the store has now; what was changed here stays.
  public var shouldRefreshRefetchedObjects: Bool {
    get { settings.shouldRefreshRefetchedObjects }
    set { settings.shouldRefreshRefetchedObjects = newValue }
  }
  /// Relationships whose objects are brought in along with the result: `"steps"`, through others `"author.recipes"`, or
  /// `\Recipe.steps` of a generated class.
  public var relationshipKeyPathsForPrefetching: [any PropertyKeyPath]? {
    get { settings.relationshipKeyPathsForPrefetching }
    set { settings.relationshipKeyPathsForPrefetching = newValue }
  }
  /// The stores that are asked; nil: all that have the entity.
  public var affectedStores: [any PersistentStore]? {
    get { settings.affectedStores }
    set { settings.affectedStores = newValue }
  }
  /// What is wanted. The type of the request says it too: this is for requests made of templates.
  public var resultType: FetchRequestResultType {
    get { settings.resultType }
    set { settings.resultType = newValue }
  }
  /// Dictionaries: what is fetched: names and key paths as text or of generated classes, `ExpressionDescription`,
  /// `PropertyDescription`, `Relationship`. Nil: every attribute that is stored and every to-one relationship.
  public var propertiesToFetch: [any FetchedProperty]? {
    get { settings.propertiesToFetch }
    set { settings.propertiesToFetch = newValue }
  }
  /// Dictionaries: rows with equal values of these make one group.
  public var propertiesToGroupBy: [any FetchedProperty]? {
    get { settings.propertiesToGroupBy }
    set { settings.propertiesToGroupBy = newValue }
  }
  /// Dictionaries: which groups are wanted. A variable with the name of what is fetched stands for that:
  /// `FetchPredicate(format: "$total > 1")` where an `ExpressionDescription` has the name `total`.
  public var havingPredicate: FetchPredicate? {
    get { settings.havingPredicate }
    set { settings.havingPredicate = newValue }
  }
  /// Dictionaries: whether equal ones are returned once.
  public var returnsDistinctResults: Bool {
    get { settings.returnsDistinctResults }
    set { settings.returnsDistinctResults = newValue }
  }

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

  /// A request as a model's template has it.
  /// - Throws: what `FetchSpecification.init(template:model:variables:)` throws.
  public convenience init(
    template: FetchRequestTemplate, model: ManagedObjectModel, variables: [String: (any PredicateArgument)?] = [:]
  ) throws {
    self.init(try FetchSpecification(template: template, model: model, variables: variables))
  }

  /// A request that asks what a specification says.
  package init(_ specification: FetchSpecification) { settings = FetchRequestSettings(specification) }

  /// A request of the same type that says the same, and then changes by itself: `request.copy() as!
  /// FetchRequest<Recipe>`.
  public func copy() -> Any { FetchRequest(sharing: settings.copy()) }

  /// A request that says what another one says, also when that changes.
  init(sharing settings: FetchRequestSettings) { self.settings = settings }

  /// What the context's coordinator asks its stores. The entity must be known.
  func specification(in context: ManagedObjectContext) -> FetchSpecification {
    settings.specification(of: resolvedEntity(in: context))
  }

  private var objectClass: ManagedObject.Type? { settings.objectClass ?? ResultType.self as? ManagedObject.Type }

  private func resolvedEntity(in context: ManagedObjectContext) -> Entity {
    let entity = statedEntity(in: context)
    // The container may not have the class yet.
    if let objectClass, objectClass != ManagedObject.self,
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

  /// Fetches in a context, on whose queue it is to be called.
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
    let entity =
      settings.statedName ?? (settings.objectClass.map { "\($0)" } ?? "\(ResultType.self)")
    return
      "<FetchRequest: entity: \(entity); predicate: (\(settings.predicate.map(\.predicateFormat) ?? "TRUEPREDICATE")); "
      + "sortDescriptors: (\(sorts)); limit: \(settings.fetchLimit); offset: \(settings.fetchOffset); "
      + "type: \(settings.resultType)>"
  }
}

extension PersistentStoreCoordinator {
  /// What a request selects, as `fetch(_:)` of the context, on whose queue it is to be called.
  public func execute<ResultType>(
    _ request: FetchRequest<ResultType>, with context: ManagedObjectContext
  ) throws -> [ResultType] {
    try ownContext(context).fetch(request)
  }
}

extension FetchRequest: Hashable {
  /// Whether both are the same request.
  public static func == (left: FetchRequest, right: FetchRequest) -> Bool { left === right }
  /// Hashes which request it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
