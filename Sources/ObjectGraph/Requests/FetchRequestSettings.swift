import ObjectModel
import Predicates
import StoreInterface

/// What a `FetchRequest` says, whatever type its results have. Its properties are those of the request, which says what
/// they mean.
final class FetchRequestSettings {
  var entityName: String? {
    didSet { if entityName != knownEntity?.name ?? describedEntity?.name { entity = nil } }
  }
  private var knownEntity: Entity?
  /// The entity of a request that was given a description, whose model may still be put together.
  private(set) var describedEntity: EntityDescription?
  /// The entity in a finished model.
  var entity: Entity? {
    get { knownEntity ?? describedEntity?.handle }
    set {
      knownEntity = newValue
      describedEntity = nil
    }
  }
  /// The name of the entity, however it was stated.
  var statedName: String? { entityName ?? knownEntity?.name ?? describedEntity?.name }

  func select(_ entity: EntityDescription?) {
    entityName = entity?.name
    knownEntity = nil
    describedEntity = entity
  }
  /// The class whose entity is meant where neither is set and the type of the results does not say it.
  var objectClass: ManagedObject.Type?
  var predicate: FetchPredicate?
  var sortDescriptors: [FetchSortDescriptor]?
  var fetchLimit = 0
  var fetchOffset = 0
  var fetchBatchSize = 0
  var includesSubentities = true
  var includesPendingChanges = true
  var includesPropertyValues = true
  var returnsObjectsAsFaults = true
  var shouldRefreshRefetchedObjects = false
  var relationshipKeyPathsForPrefetching: [any PropertyKeyPath]?
  var affectedStores: [any PersistentStore]?
  var resultType: FetchRequestResultType

  var propertiesToFetch: [any FetchedProperty]?
  var propertiesToGroupBy: [any FetchedProperty]?
  var havingPredicate: FetchPredicate?
  var returnsDistinctResults = false

  init(resultType: FetchRequestResultType) { self.resultType = resultType }

  /// The same settings, which change by themselves.
  func copy() -> FetchRequestSettings {
    let copy = FetchRequestSettings(resultType: resultType)
    copy.entityName = entityName
    copy.knownEntity = knownEntity
    copy.describedEntity = describedEntity
    copy.objectClass = objectClass
    copy.predicate = predicate
    copy.sortDescriptors = sortDescriptors
    copy.fetchLimit = fetchLimit
    copy.fetchOffset = fetchOffset
    copy.fetchBatchSize = fetchBatchSize
    copy.includesSubentities = includesSubentities
    copy.includesPendingChanges = includesPendingChanges
    copy.includesPropertyValues = includesPropertyValues
    copy.returnsObjectsAsFaults = returnsObjectsAsFaults
    copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
    copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
    copy.affectedStores = affectedStores
    copy.propertiesToFetch = propertiesToFetch
    copy.propertiesToGroupBy = propertiesToGroupBy
    copy.havingPredicate = havingPredicate
    copy.returnsDistinctResults = returnsDistinctResults
    return copy
  }

  /// What a specification says.
  init(_ specification: FetchSpecification) {
    entityName = specification.entity.name
    knownEntity = specification.entity
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
