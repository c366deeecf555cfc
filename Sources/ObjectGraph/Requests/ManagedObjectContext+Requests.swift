import Foundation
public import ObjectModel
public import StoreInterface

extension ManagedObjectContext {
  /// What a request asks for: the objects that it selects, in its order, those of the store with the pending changes of
  /// this context; or their ids, dictionaries, or their number as the one element, by the type of the request.
  ///
  /// The predicate runs on this context's values for inserted and updated objects, and for objects whose members
  /// changed when it follows their to-many relationship. Deleted objects are left out. Objects that the context already
  /// has keep their values, unless `shouldRefreshRefetchedObjects` is set. New objects come last among equals, in the
  /// order of insertion. Pending changes of objects at the far end of a key path do not count for unchanged objects.
  /// Without `includesPendingChanges` the store's rows alone decide, and are returned with their objects' current
  /// values.
  ///
  /// Objects come as faults that have their rows (`returnsObjectsAsFaults`, the default), so that `awakeFromFetch` is
  /// called when they are first used; without `includesPropertyValues` and pending changes, as faults that are filled
  /// many at a time (`faults(with:)`).
  ///
  /// Dictionaries are as the store has them: neither pending changes of this context nor those of its parents count, as
  /// in Core Data. Values are as `ManagedObject.value(forKey:)` gives them, objects are ids, missing values are left
  /// out.
  /// - Throws: what the store throws: `StoreError.failure` for a key path that does not exist, `.unsupported` for what
  ///   it cannot compute.
  public func fetch<Result>(_ request: FetchRequest<Result>) throws -> [Result] {
    // A mistake of the program: results of one kind cannot be returned as those of another.
    precondition(
      Result.self == (any FetchRequestResult).self
        || (Result.self as? any FetchRequestResult.Type)?.fetchRequestResultType == request.resultType,
      "a request for \(Result.self) cannot have the result type \(request.resultType)")
    let specification = request.specification(in: self)
    switch request.resultType {
    case .managedObjectResultType:
      let found = try fetch(specification)
      if request.shouldRefreshRefetchedObjects { try refreshStale(found) }
      // Safety: they are the same type then.
      if Result.self == ManagedObject.self { return unsafe unsafeBitCast(found, to: [Result].self) }
      if Result.self == (any FetchRequestResult).self { return found.compactMap { $0 as? Result } }
      requireClass(Result.self, of: specification)
      // Safety: every class that the entity's objects can have is a `Result`, as was just checked.
      return found.map { unsafe unsafeBitCast($0, to: Result.self) }
    case .managedObjectIDResultType:
      return try objectIDs(specification).compactMap { $0 as? Result }
    case .dictionaryResultType:
      let types = request.settings.statedResultTypes
      let found = try dictionaries(specification).map { $0.anyValues(types) }
      if Result.self == NSDictionary.self { return found.compactMap { NSDictionary(dictionary: $0) as? Result } }
      return found.compactMap { $0 as? Result }
    case .countResultType:
      return [NSNumber(value: try count(specification))].compactMap { $0 as? Result }
    }
  }

  /// The number of objects that `fetch` would return. No object is made.
  /// - Throws: what the store throws.
  public func count<Result>(for request: FetchRequest<Result>) throws -> Int {
    try count(request.specification(in: self))
  }

  /// The ids of the objects that `fetch` would return, temporary ones of new objects included. No object is made,
  /// unless pending changes have to find their places among sorted ones.
  /// - Throws: what the store throws.
  public func objectIDs<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> [ObjectID] {
    try objectIDs(request.specification(in: self))
  }

  /// The rows of a request for dictionaries in flat storage, for many of them: values are made as they are read.
  /// - Throws: what `fetch(_:)` throws, and `StoreError.unsupported` where several stores hold the entity.
  public func rows(forDictionaries request: FetchRequest<[String: Any]>) throws -> FetchedRows {
    try rows(forDictionaries: request.specification(in: self))
  }

  /// The objects that a request selects, `fetchBatchSize` at a time as they are walked; see `FetchedObjects`.
  ///
  /// What is selected is fixed now: later changes do not add or remove objects.
  /// - Throws: what the store throws.
  public func fetchedObjects<Object: ManagedObject>(
    _ request: FetchRequest<Object>
  ) throws -> FetchedObjects<Object> {
    try FetchedObjects(request.specification(in: self), context: self)
  }

  /// Gives objects whose rows are newer what the store has now; what was changed here stays.
  private func refreshStale(_ found: [ManagedObject]) throws {
    let snapshots = try freshSnapshots(of: found.filter { $0.status == .loaded }.map(\.objectID))
    for object in found where object.status == .loaded {
      guard let snapshot = snapshots[object.objectID], snapshot.version != object.storedVersion else { continue }
      try reload(object, mergeChanges: true)
    }
  }
}
