public import ObjectModel
public import Predicates

extension FetchSpecification {
  /// The request of a template of a model, or of a fetched property.
  /// - Parameters:
  ///   - variables: values for the variables of its predicate, `FETCH_SOURCE` of a fetched property among them. Those
  ///     without a value stay: give it to the predicate before fetching.
  /// - Throws: `StoreError.failure` for an entity that is not in the model or a result type that is not known,
  ///   `PredicateFormatError` for its predicate.
  public init(
    template: FetchRequestTemplate, model: ManagedObjectModel, variables: [String: (any PredicateArgument)?] = [:]
  ) throws {
    guard let entity = model[template.entityName] else {
      throw StoreError.failure(
        "the template \(template.name) fetches \(template.entityName), which is not in the model")
    }
    guard let resultType = ResultType(rawValue: template.resultType) else {
      throw StoreError.failure("the template \(template.name) has the unknown result type \(template.resultType)")
    }
    self.init(entity)
    if let format = template.predicate {
      predicate = try FetchPredicate(parsing: format).withSubstitutionVariables(variables)
    }
    self.resultType = resultType
    fetchLimit = template.fetchLimit
    fetchBatchSize = template.fetchBatchSize
    includesSubentities = template.includesSubentities
    includesPropertyValues = template.includesPropertyValues
    includesPendingChanges = template.includesPendingChanges
    returnsObjectsAsFaults = template.returnsObjectsAsFaults
    returnsDistinctResults = template.returnsDistinctResults
  }
}
