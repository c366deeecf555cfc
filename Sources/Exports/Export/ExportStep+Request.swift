package import ObjectModel
package import Pipelines
package import Predicates
package import StoreInterface

extension ExportStep {
  /// The request for the objects and values of an export.
  /// - Throws: `RunError` when the model has no such entity or attributes, or the predicate does not fit them.
  package func selection(
    in model: ManagedObjectModel
  ) throws(RunError) -> (request: FetchSpecification, keyPaths: [FetchPredicate.KeyPath]) {
    let entity = try entity(in: model)
    return (try request(entity), try columns(of: entity).map(\.keyPath))
  }

  /// Selects the objects that are written, in their order.
  /// - Throws: `RunError` when the predicate or the order does not fit the entity.
  func request(_ entity: Entity) throws(RunError) -> FetchSpecification {
    var request = FetchSpecification(entity)
    if let predicate {
      request.predicate = try PredicateReading.read(predicate, of: entity, code: "export.predicate")
    }
    var sorts: [FetchSortDescriptor] = []
    for order in order {
      _ = try ExportStep.attribute(at: order.keyPath, of: entity)
      sorts.append(FetchSortDescriptor(order.keyPath, ascending: order.isAscending))
    }
    request.sortDescriptors = sorts
    request.fetchLimit = limit ?? 0
    return request
  }
}
