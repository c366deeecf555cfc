public import Predicates

extension FetchedResultsController where Object: PropertyNaming {
  /// A controller whose sections are made by a property of the generated class: `\.category`.
  public convenience init<Property>(
    fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: KeyPath<Object, Property>, cacheName: String? = nil
  ) {
    self.init(
      fetchRequest: fetchRequest, managedObjectContext: managedObjectContext,
      sectionNameKeyPath: sectionNameKeyPath.propertyKeyPath, cacheName: cacheName)
  }
}
