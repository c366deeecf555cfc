import Foundation
import ObjectModel
import Predicates
import StoreInterface

extension InMemoryContents {
  /// The rows that a request selects, in its order, limit and offset included.
  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor? = nil) throws -> [Snapshot] {
    let found = try selected(request, monitor)
    if request.sortDescriptors.isEmpty { return request.page(found) }
    let subjects = found.map { StoredSubject(contents: self, snapshot: $0) }
    return request.page(subjects.sorted(by: request.sortDescriptors).map(\.snapshot))
  }

  /// The rows that meet the predicate, by primary key.
  private func selected(_ request: FetchSpecification, _ monitor: FetchMonitor? = nil) throws -> [Snapshot] {
    let now = Date()
    let predicate = request.predicate.compacted(for: request.entity, now: now)
    let matcher = PredicateMatcher(predicate, now: now)
    let entity = request.entity
    var found: [Snapshot] = []
    func consider(_ snapshot: Snapshot) throws {
      try monitor?.check()
      let isSelected =
        request.includesSubentities ? snapshot.objectID.entity.isKind(of: entity) : snapshot.objectID.entity == entity
      if isSelected, try matcher.matches(StoredSubject(contents: self, snapshot: snapshot)) {
        found.append(snapshot)
        try monitor?.found(found.count)
      }
    }
    if case .selfIsIn(let objectIDs) = predicate {
      for objectID in Set(objectIDs) { try storedSnapshot(objectID).map(consider) }
    } else {
      try rows[entity.root.index].values.forEach(consider)
    }
    return found.sorted { ($0.objectID.primaryKey ?? 0) < ($1.objectID.primaryKey ?? 0) }
  }

  /// The rows of a request for dictionaries.
  func resultRows(_ request: FetchSpecification, storeIdentifier: String, model: ManagedObjectModel) throws
    -> FetchedRows
  {
    let subjects = try selected(request).map { StoredSubject(contents: self, snapshot: $0) }
    return try DictionaryRows.compute(request, of: subjects, storeIdentifier: storeIdentifier, model: model)
  }
}
