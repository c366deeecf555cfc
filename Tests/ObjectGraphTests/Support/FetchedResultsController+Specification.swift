import ObjectGraph
import StoreInterface

extension FetchedResultsController where ResultType: ManagedObject {
  /// A controller of what a specification selects.
  convenience init(
    fetchRequest: FetchSpecification, managedObjectContext: ManagedObjectContext, sectionNameKeyPath: String? = nil,
    cacheName: String? = nil
  ) {
    self.init(
      fetchRequest: FetchRequest(fetchRequest), managedObjectContext: managedObjectContext,
      sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName)
  }
}
