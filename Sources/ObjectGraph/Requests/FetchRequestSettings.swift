import ObjectModel
import Predicates
import StoreInterface

/// What a `FetchRequest` says, whatever type its results have. Requests share it; `copy` gives another.
@dynamicMemberLookup
final class FetchRequestSettings {
  private var values: Values

  init(resultType: FetchRequestResultType) { values = Values(resultType: resultType) }

  /// What a specification says.
  init(_ specification: FetchSpecification) { values = Values(specification) }

  private init(_ values: Values) { self.values = values }

  /// The same settings, which change by themselves.
  func copy() -> FetchRequestSettings { FetchRequestSettings(values) }

  func select(_ entity: EntityDescription?) { values.select(entity) }

  /// The same for stores.
  func specification(of entity: Entity) -> FetchSpecification { values.specification(of: entity) }

  subscript<Setting>(dynamicMember setting: KeyPath<Values, Setting>) -> Setting { values[keyPath: setting] }

  subscript<Setting>(dynamicMember setting: WritableKeyPath<Values, Setting>) -> Setting {
    get { values[keyPath: setting] }
    set { values[keyPath: setting] = newValue }
  }
}

extension FetchRequestSettings {
  /// The settings. They have the names of a request's properties, which say what they mean.
  struct Values {
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

    mutating func select(_ entity: EntityDescription?) {
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
      specification.predicate = predicate?.withNumbersForTexts(in: ExpressionScope(entity)) ?? .all
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
}
