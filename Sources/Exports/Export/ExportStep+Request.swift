import ObjectModel
import Pipelines
import Predicates
import StoreInterface

extension ExportStep {
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
