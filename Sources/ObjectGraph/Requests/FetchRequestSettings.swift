public import ObjectModel
public import Predicates
public import StoreInterface

/// What a `FetchRequest` says, whatever type its results have. Its properties are those of the request.
public final class FetchRequestSettings {
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
  public var resultType: FetchRequestResultType

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

  init(resultType: FetchRequestResultType) { self.resultType = resultType }

  /// What a specification says.
  init(_ specification: FetchSpecification) {
    entityName = specification.entity.name
    entity = specification.entity
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

  /// The same for stores.
  func specification(of entity: Entity) -> FetchSpecification {
    var specification = FetchSpecification(entity)
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
}
