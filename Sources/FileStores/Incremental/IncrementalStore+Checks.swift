import ObjectModel
import Predicates
import StoreInterface

extension IncrementalStore {
  /// Compares the versions that changed and deleted objects were read at with those that the store has.
  func checkVersions(_ request: SaveRequest) throws {
    let expected =
      request.updated.map { (objectID: $0.objectID, version: $0.version) } + request.deleted
      + request.checked
    var stale: [(objectID: ObjectID, expected: Int64, found: Int64?)] = []
    for (id, version) in expected {
      let found = try newValues(for: id)?.version
      if found != version { stale.append((objectID: id, expected: version, found: found)) }
    }
    if !stale.isEmpty { throw StoreError.optimisticLockingFailure(stale) }
  }

  /// Looks for objects that have the unique values of new and changed ones: among these, and in the store.
  func checkConstraints(_ request: SaveRequest) throws {
    let saved = request.updated + request.inserted
    let touched = Set(request.updated.map(\.objectID) + request.deleted.map(\.objectID))
    for constraint in UniquenessConstraint.all(layout) {
      let concerned = saved.compactMap { snapshot in constraint.values(of: snapshot).map { (snapshot, $0) } }
      if concerned.isEmpty { continue }
      var tuples = Set<ValueTuple>()
      for (_, tuple) in concerned where !tuples.insert(tuple).inserted { throw conflict(constraint, tuple) }

      var fetch = FetchSpecification(constraint.entity)
      let paths = constraint.properties.map { $0.split(separator: ".").map(String.init) }
      if paths.allSatisfy({ constraint.entity.attribute(at: $0) != nil }) {
        fetch.predicate = .tupleIsIn(paths, tuples.map(\.values))
      } else {
        fetch.predicate = .or(concerned.map { snapshot, _ in .and(paths.map { same($0, snapshot) }) })
      }
      for id in try execute(fetch) where !touched.contains(id) {
        let found = try newValues(for: id).flatMap { constraint.values(of: $0.snapshot) }
        throw conflict(constraint, found ?? [])
      }
    }
  }

  private func same(_ path: [String], _ snapshot: Snapshot) -> FetchPredicate {
    let own = layout[snapshot.objectID.entity]
    if let index = path.first.flatMap({ own.attributeIndexes[$0] }) {
      return .comparison(path, .equal, snapshot.attributes[index].element(at: path.dropFirst()))
    }
    return .refersTo(path, path.first.flatMap { own.relationshipIndexes[$0] }.flatMap { snapshot.toOne[$0] })
  }

  private func conflict(_ constraint: UniquenessConstraint, _ tuple: ValueTuple) -> StoreError {
    let names = constraint.properties.joined(separator: ", ")
    return .constraintConflict(
      entity: constraint.entity.name, constraint: constraint.properties,
      message: "another object has the same \(names): \(tuple.values)")
  }
}
