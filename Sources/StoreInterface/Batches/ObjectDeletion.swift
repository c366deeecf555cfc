import ObjectModel

/// A batch deletion carried out on objects in memory: the readable reference of the delete rules.
struct ObjectDeletion {
  private let objects: StoredObjects
  private var layout: ModelLayout { objects.layout }
  /// The objects to delete, in the order in which they were found.
  private var gone: [Snapshot] = []
  private var isGone: Set<ObjectID> = []
  /// Objects that stay and change.
  private var changed: [ObjectID: Snapshot] = [:]
  private var problems: [ValidationError.Problem] = []

  init(_ store: any PersistentStore) { objects = StoredObjects(store) }

  /// - Throws: `ValidationError` for a deletion that the rules do not allow.
  func plan(_ deletion: BatchDeletion) throws -> BatchPlan {
    var work = self
    try work.collect(try deletion.selections.flatMap { try objects.fetch($0.forBatch) })
    for snapshot in work.gone { try work.apply(snapshot) }
    try work.checkMemberCounts()
    if !work.problems.isEmpty { throw ValidationError(work.problems) }
    var plan = BatchPlan()
    plan.request.deleted = work.gone.map { ($0.objectID, $0.version) }
    plan.request.updated = BatchPlan.ordered(work.changed.keys).compactMap { work.changed[$0] }
    plan.outcome.deleted = BatchPlan.ordered(work.isGone)
    plan.outcome.related = plan.request.updated.map(\.objectID)
    plan.outcome.deletedCount = work.gone.count
    plan.outcome.relatedCount = work.changed.count
    return plan
  }

  /// Follows cascades to the end.
  private mutating func collect(_ selected: [Snapshot]) throws {
    for snapshot in selected where isGone.insert(snapshot.objectID).inserted { gone.append(snapshot) }
    var done = 0
    while done < gone.count {
      for (index, relationship) in layout[gone[done].objectID.entity].relationships.enumerated()
      where relationship.definition.deleteRule == .cascade {
        for next in try objects.destinations(of: gone[done], index) where isGone.insert(next.objectID).inserted {
          gone.append(next)
        }
      }
      done += 1
    }
  }

  /// Removes a deleted object from the other sides of its relationships.
  private mutating func apply(_ snapshot: Snapshot) throws {
    let own = layout[snapshot.objectID.entity]
    for (index, relationship) in own.relationships.enumerated() {
      let left = try objects.destinations(of: snapshot, index).filter { !isGone.contains($0.objectID) }
      let rule = relationship.definition.deleteRule
      if rule == .deny, !left.isEmpty {
        problems.append(.deniedDelete(of: snapshot.objectID, relationship, left: left.count))
      }
      guard let inverse = own.inverses[index] else { continue }
      // The deleted row stores its owner, so the owner loses the member whatever the rule.
      let isMemberByItself = inverse.isToMany && !relationship.isToMany
      guard isMemberByItself || rule == .nullify || rule == .cascade else { continue }
      for other in left { change(other, inverse, from: snapshot.objectID) }
    }
  }

  private mutating func change(_ other: Snapshot, _ inverse: Relationship, from objectID: ObjectID) {
    var snapshot = changed[other.objectID] ?? other
    if !inverse.isToMany {
      let back = layout[other.objectID.entity].relationshipIndexes[inverse.name]
      guard let back, snapshot.toOne[back] == objectID else { return }
      snapshot.toOne[back] = nil
      if !inverse.definition.isOptional {
        problems.append(.missingDestination(of: other.objectID, inverse))
      }
    }
    changed[other.objectID] = snapshot
  }

  /// Checks that objects that lost members have at least as many as the model demands.
  private mutating func checkMemberCounts() throws {
    for id in BatchPlan.ordered(changed.keys) {
      for relationship in layout[id.entity].relationships
      where relationship.isToMany && relationship.definition.minimumCount > 0 {
        let members = try objects.store.members(of: id, relationship: relationship)
        let left = members.count { !isGone.contains($0) }
        if left < members.count, let problem = ValidationError.Problem.tooFewMembers(of: id, relationship, left: left) {
          problems.append(problem)
        }
      }
    }
  }
}

extension FetchSpecification {
  /// The parts of a request that count for a batch.
  package var forBatch: FetchSpecification {
    var request = FetchSpecification(entity)
    request.predicate = predicate
    request.sortDescriptors = sortDescriptors
    request.fetchLimit = fetchLimit
    request.fetchOffset = fetchOffset
    request.includesSubentities = includesSubentities
    return request
  }
}
