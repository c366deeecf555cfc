public import Predicates

extension FetchedResultsController where ResultType: ManagedObject & PropertyNaming {
  /// A controller whose sections are made by a property of the generated class, `\.category`, or by one that it
  /// computes from the object's own attributes, `\.month`, which is asked as the closure of
  /// `init(fetchRequest:managedObjectContext:sectionName:)` is. A computed one has no cache.
  public convenience init<Property>(
    fetchRequest: FetchRequest<ResultType>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: KeyPath<ResultType, Property>, cacheName: String? = nil
  ) {
    guard ResultType.propertyName(for: sectionNameKeyPath) == nil else {
      self.init(
        fetchRequest: fetchRequest, managedObjectContext: managedObjectContext,
        sectionNameKeyPath: sectionNameKeyPath.propertyKeyPath, cacheName: cacheName)
      return
    }
    self.init(fetchRequest: fetchRequest, managedObjectContext: managedObjectContext) { object in
      sectionTitle(object[keyPath: sectionNameKeyPath])
    }
  }
}

/// The name of the section of a computed value: empty for nil.
private func sectionTitle(_ value: Any) -> String {
  if let optional = value as? any OptionalValue { return optional.wrappedValue.map { sectionTitle($0) } ?? "" }
  return "\(value)"
}

private protocol OptionalValue {
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrappedValue: Any? { self }
}
