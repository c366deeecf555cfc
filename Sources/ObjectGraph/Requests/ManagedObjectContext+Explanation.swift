public import StoreInterface

extension ManagedObjectContext {
  /// How the store behind this context would find the objects that a request selects: its statement and SQLite's plan.
  /// Nothing is fetched; pending changes do not count.
  /// - Throws: `StoreError.unsupported` for stores that run no statements, and where several hold the entity; what the
  ///   fetch throws.
  public func explanation<Result>(of request: FetchRequest<Result>) throws -> FetchExplanation {
    let specification = request.specification(in: self)
    guard let store = coordinator.store(for: specification) as? any FetchExplaining else {
      throw StoreError.unsupported("only SQLite stores, one for the entity, explain how they fetch")
    }
    return try store.explanation(of: specification)
  }
}
