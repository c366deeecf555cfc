import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Has the merge policy settle what the store said would break a uniqueness constraint.
  /// - Returns: false when there is nothing to settle.
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
      zip(plan.updated + plan.inserted, plan.request.updated + plan.request.inserted))
    let replaced = Set(plan.request.updated.map(\.objectID) + plan.request.deleted.map(\.objectID))
    var conflicts: [ConstraintConflict] = []
    for constraint in UniquenessConstraint.all(ModelLayout(coordinator.model)) {
      var members: [Place: [ManagedObject]] = [:]
      var examples: [(place: Place, row: Snapshot)] = []
      for (object, row) in candidates {
        guard let tuple = constraint.values(of: row) else { continue }
        let place = Place(store: row.objectID.home.store, tuple: tuple)
        if members[place] == nil { examples.append((place, row)) }
        members[place, default: []].append(object)
      }
      var taken: [Place: Snapshot] = [:]
      for (store, examples) in Dictionary(grouping: examples, by: \.place.store) {
        guard let store else { continue }
        for row in try storedRows(constraint, like: examples.map(\.row), in: store)
        where !replaced.contains(row.objectID) {
          if let tuple = constraint.values(of: row) { taken[Place(store: store, tuple: tuple)] = row }
        }
      }
      for (place, row) in examples {
        let objects = members[place] ?? []
        let stored = taken[place]
        if objects.count + (stored == nil ? 0 : 1) < 2 { continue }
        let values = row.valuesByName.filter { constraint.properties.contains($0.key) }
        conflicts.append(
          ConstraintConflict(
            entity: constraint.entity, constraint: constraint.properties, constraintValues: values,
            databaseObjectID: stored?.objectID, databaseSnapshot: stored?.valuesByName, conflictingObjects: objects,
            conflictingSnapshots: objects.map { $0.currentValues() }, row: stored))
      }
    }
    return conflicts
  }

  /// The rows of a store with the same values for a constraint as one of these.
  private func storedRows(
    _ constraint: UniquenessConstraint, like rows: [Snapshot], in store: String
  ) throws -> [Snapshot] {
    // The constraint is about every entity that has the properties.
    var entity = constraint.entity
    while let parent = entity.superentity,
      constraint.properties.allSatisfy({ parent.attribute($0) != nil || parent.relationship($0) != nil })
    {
      entity = parent
    }
    let isAttribute = constraint.properties.map { entity.attribute($0) != nil }
    var found: [Snapshot] = []
    let rowsPerFetch = isAttribute.contains(false) ? 200 : 5000
    for start in stride(from: 0, to: rows.count, by: rowsPerFetch) {
      let values = rows[start..<min(start + rowsPerFetch, rows.count)].map(\.valuesByName)
      var request = FetchRequest(entity)
      if isAttribute.contains(false) {
        request.predicate = .or(
          values.map { values in
            .and(
              constraint.properties.map { name in
                switch values[name] {
                case .attribute(let value): .comparison([name], .equal, value)
                case .toOne(let id): .refersTo([name], id)
                case .toMany, nil: .none
                }
              })
          })
      } else {
        request.predicate = .tupleIsIn(
          constraint.properties.map { [$0] },
          values.map { values in constraint.properties.map { values[$0]?.value ?? .null } })
      }
      found += try coordinator.snapshots(request, inStore: store)
    }
    return found
  }
}
