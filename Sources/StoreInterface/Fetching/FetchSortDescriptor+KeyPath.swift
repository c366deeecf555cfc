public import Predicates

extension FetchSortDescriptor {
  /// Sorts by a property of a generated class: `\Recipe.title`. A key path that stands for no property is a mistake of
  /// the program and stops it; a path through relationships is written as text.
  public init<Root: PropertyNaming, Property>(
    keyPath: KeyPath<Root, Property>, ascending: Bool = true, comparison: Comparison = .binary
  ) {
    self.init([Root.propertyName(keyPath)], ascending: ascending, comparison: comparison)
  }
}
