import ObjectModel
import Predicates
import StoreInterface

extension ManagedObjectContext {
  /// Has the merge policy resolve what the store said would break a uniqueness constraint.
  /// - Returns: false when there is nothing to resolve.
  func resolveConstraintConflicts(_ plan: SavePlan) throws -> Bool {
    let conflicts = try constraintConflicts(of: plan)
    if conflicts.isEmpty { return false }
    try settings.mergePolicy.resolve(constraintConflicts: conflicts)
    return true
  }

  /// Values for a constraint in one store: a constraint is about the rows of one store alone.
  private struct Place: Hashable {
    var store: String?
    var tuple: ValueTuple
  }

  /// Every set of objects of one store that would have the same values for a constraint.
  private func constraintConflicts(of plan: SavePlan) throws -> [ConstraintConflict] {
    let candidates = Array(
      zip(plan.objects.updated + plan.objects.inserted, plan.request.updated + plan.request.inserted))
    let replaced = Set(plan.request.updatedIDs + plan.request.deletedIDs)
    var conflicts: [ConstraintConflict] = []
    for constraint in UniquenessConstraint.all(ModelLayout(coordinator.model)) {
      var members: [Place: [ManagedObject]] = [:]
      var examples: [(place: Place, snapshot: Snapshot)] = []
      for (object, snapshot) in candidates {
        guard let tuple = constraint.values(of: snapshot) else { continue }
        let place = Place(store: snapshot.objectID.space.store, tuple: tuple)
        if members[place] == nil { examples.append((place, snapshot)) }
        members[place, default: []].append(object)
      }
      var taken: [Place: Snapshot] = [:]
      for (store, examples) in Dictionary(grouping: examples, by: \.place.store) {
        guard let store else { continue }
        for snapshot in try storedSnapshots(constraint, like: examples.map(\.snapshot), in: store)
        where !replaced.contains(snapshot.objectID) {
          if let tuple = constraint.values(of: snapshot) { taken[Place(store: store, tuple: tuple)] = snapshot }
        }
      }
      for (place, snapshot) in examples {
        let objects = members[place] ?? []
        let stored = taken[place]
        if objects.count + (stored == nil ? 0 : 1) < 2 { continue }
        let names = constraint.properties.map { ($0, snapshot.value(atPath: $0)) }
        let values = Dictionary(names, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }
        conflicts.append(
          ConstraintConflict(
            entity: constraint.entity, constraint: constraint.properties, constraintPropertyValues: values,
            databaseObjectID: stored?.objectID, databasePropertyValues: stored?.valuesByName,
            conflictingObjects: objects,
            conflictingPropertyValues: objects.map { $0.currentValues() }, persisted: stored))
      }
    }
    return conflicts
  }

  /// The rows of a store with the same values for a constraint as one of these.
  private func storedSnapshots(
    _ constraint: UniquenessConstraint, like snapshots: [Snapshot], in store: String
  ) throws -> [Snapshot] {
    // The constraint is about every entity that has the properties.
    var entity = constraint.entity
    while let parent = entity.superentity,
      constraint.properties.allSatisfy({
        parent.attribute(at: $0.keyPathComponents) != nil || parent.relationship($0) != nil
      })
    {
      entity = parent
    }
    let isAttribute = constraint.properties.map { entity.attribute(at: $0.keyPathComponents) != nil }
    var found: [Snapshot] = []
    let rowsPerFetch = isAttribute.contains(false) ? 200 : 5000
    for start in stride(from: 0, to: snapshots.count, by: rowsPerFetch) {
      let snapshots = snapshots[start..<min(start + rowsPerFetch, snapshots.count)]
      var request = FetchSpecification(entity)
      if isAttribute.contains(false) {
        request.predicate = .or(
          snapshots.map { snapshot in
            .and(
              constraint.properties.map { name in
                switch snapshot.value(atPath: name) {
                case .attribute(let value): .comparison(name.keyPathComponents, .equal, value)
                case .toOne(let id): .refersTo([name], id)
                case .toMany, nil: .none
                }
              })
          })
      } else {
        request.predicate = .tupleIsIn(
          constraint.properties.map(\.keyPathComponents),
          snapshots.map { snapshot in constraint.properties.map { snapshot.value(atPath: $0)?.value ?? .null } })
      }
      found += try coordinator.snapshots(request, inStore: store)
    }
    return found
  }
}

extension Snapshot {
  /// The value of a property, or of a composite attribute's element by its dotted path.
  fileprivate func value(atPath path: String) -> PropertyValue? {
    let names = path.keyPathComponents
    guard let value = names.first.flatMap({ valuesByName[$0] }) else { return nil }
    if case .attribute(let value) = value { return .attribute(value.element(at: names.dropFirst())) }
    return value
  }
}
