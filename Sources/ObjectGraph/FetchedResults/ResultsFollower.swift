import ObjectModel
import Predicates
import StoreInterface

/// Derives new results from changes of a context without fetching all of them anew: takes the objects that may have
/// changed out of their places, and puts those that meet the request where they belong.
///
/// It exists only for requests that depend on values of the objects and of the destinations of to-one relationships, as
/// long as these do not change. It expects results in the order of the values that their objects have here.
struct ResultsFollower {
  typealias Changes = ResultsChanges<ManagedObject>

  private let specification: FetchSpecification
  private let context: ManagedObjectContext
  private let naming: SectionNaming?
  private let matcher: PredicateMatcher
  private let sortDestinations: SortDestinations
  /// Up to this number of changes are followed, even when the results are few.
  private static var alwaysFollowed: Int { 32 }

  /// Nil for a request that only a fetch is sure to answer.
  /// - Parameter naming: how sections are named; nil where all objects are in one.
  init?(_ specification: FetchSpecification, in context: ManagedObjectContext, naming: SectionNaming?) {
    let entity = specification.entity
    guard context.coordinator.persistentStores.count == 1, specification.affectedStores == nil,
      specification.includesPendingChanges, specification.includesPropertyValues, specification.fetchLimit <= 0,
      specification.fetchOffset <= 0,
      PredicateRelationships(specification.predicate, of: entity).destinations.isEmpty
    else { return nil }
    guard specification.predicate.isRepeatable else { return nil }
    var keyPaths = specification.sortDescriptors.map(\.keyPath)
    if case .keyPath(let path) = naming {
      guard let keyPath = path.toStoredAttribute(of: entity) else { return nil }
      keyPaths.append(keyPath)
    }
    guard let sortDestinations = SortDestinations(keyPaths, of: entity) else { return nil }
    self.sortDestinations = sortDestinations
    self.naming = naming
    self.specification = specification
    self.context = context
    matcher = PredicateMatcher(specification.predicate)
  }

  /// What may be different.
  struct Cause {
    /// What an event was about.
    var objects: Set<ManagedObject>
    /// What a merge was about.
    var ids: Set<ObjectID>
    /// The objects whose values changed.
    var changed: Set<ManagedObject>
    /// Results that were new when they were last looked at, whose ids may be others now.
    var formerlyNew: [ManagedObject]
  }

  /// The results were fetched anew.
  func forgetOrder() { sortDestinations.forget() }

  /// Whether a save of the context leaves the results as its changes made them.
  func isSure(ofSaved ids: ContextChangeIDs) -> Bool {
    // A parent has orders of its own for new objects.
    if context.parent != nil && !ids.insertedObjectIDs.isEmpty { return false }
    return !(ids.insertedObjectIDs + ids.updatedObjectIDs + ids.deletedObjectIDs).contains {
      sortDestinations.contains($0.entity)
    }
  }

  /// The edit of the results that follows from changes; nil where only a fetch tells.
  func follow(_ cause: Cause, in old: [Changes.Section]) throws -> ResultsEdit? {
    let greatest = max(Self.alwaysFollowed, old.reduce(0) { $0 + $1.items.count } / 10)
    guard cause.objects.count + cause.ids.count <= greatest,
      !sortDestinations.mayDiffer(cause.objects, cause.ids, in: context),
      let (candidates, matching) = try candidates(cause)
    else { return nil }
    let remaining = RemainingResults(
      old, without: AddressScan(Array(candidates)), keepsEmpty: naming == nil)
    var order = ResultsOrder(specification.sortDescriptors, in: context)
    // Only the parent has the order of its new objects among equal ones.
    if cause.formerlyNew.contains(where: { $0.objectID.isTemporary && !$0.isInserted }) { return nil }
    let renamed = cause.formerlyNew.filter { !$0.objectID.isTemporary && !candidates.contains($0) }
    try sortDestinations.hold(from: matching, in: context)
    guard try isOrdered(remaining, &order), areInOrder(renamed, remaining, &order) else { return nil }
    let arriving = matching.map { order.keyed($0) }.sorted { order.isBefore($0, $1) }
    guard let targets = targets(of: arriving, among: remaining, &order), !order.isUndecided else { return nil }
    var touched: [ManagedObject: Changes.Touched] = [:]
    touched.reserveCapacity(candidates.count)
    for object in candidates { touched[object] = .init(item: object, isChanged: cause.changed.contains(object)) }
    for (section, indexes) in remaining.removed.enumerated() {
      for item in indexes { touched[old[section].items[item]]?.from = .init(section: section, item: item) }
    }
    for (section, target) in targets.enumerated() {
      for (position, arrival) in target.arrivals.enumerated() {
        touched[arrival.element]?.to = .init(section: section, item: arrival.place + position)
      }
    }
    return ResultsEdit(
      removed: remaining.removed, targets: targets, touched: Array(touched.values), oldNames: remaining.names,
      emptied: remaining.emptied)
  }

  /// Every object that may have changed, and those of them that meet the request; nil where rows are newer than
  /// objects.
  private func candidates(_ cause: Cause) throws -> (all: Set<ManagedObject>, matching: [ManagedObject])? {
    var all: Set<ManagedObject> = []
    var matching: [ManagedObject] = []
    var unchanged: Set<ObjectID> = []
    func add(_ object: ManagedObject) throws {
      guard specification.selects(object.entity), all.insert(object).inserted else {
        return
      }
      if object.isInserted || object.hasOwnChanges {
        if try matcher.matches(ObjectSubject(object: object)) && !object.isDeletedHere { matching.append(object) }
      } else if object.status == .loaded || object.status == .fault {
        unchanged.insert(object.objectID)
      }
    }
    for object in cause.objects { try add(object) }
    for id in cause.ids where specification.selects(id.entity) {
      if let object = context.registeredObject(for: id) { try add(object) } else { unchanged.insert(id) }
    }
    guard !unchanged.isEmpty else { return (all, matching) }
    // A merge must not wait for the parent.
    if (context.isMergeEvent || context.merge.isUnderWay) && !context.isParentAtHand { return nil }
    // For unchanged objects the store evaluates the predicate, as it does in every fetch.
    var request = specification
    let isUnchanged = FetchPredicate.selfIsIn(Array(unchanged))
    // Without any other predicate, the store finds ids by their keys.
    request.predicate =
      if case .all = specification.predicate { isUnchanged } else { .and([specification.predicate, isUnchanged]) }
    request.sortDescriptors = []
    request.includesPendingChanges = false
    let staleSnapshotCount = context.staleSnapshotCount
    let found = try context.fetch(request)
    guard context.staleSnapshotCount == staleSnapshotCount else { return nil }
    for object in found where !object.isDeletedHere && !object.hasOwnChanges {
      all.insert(object)
      matching.append(object)
    }
    return (all, matching)
  }

  /// Whether the order and the sections of all objects agree with the destinations of their relationships. This is
  /// checked once.
  private func isOrdered(_ remaining: RemainingResults, _ order: inout ResultsOrder) throws -> Bool {
    if sortDestinations.isEmpty || sortDestinations.isOrderKnown { return true }
    if context.parent != nil && !context.isParentAtHand { return false }
    try sortDestinations.hold(from: remaining.live.indices.flatMap { Array(remaining[$0]) }, in: context)
    var last: ResultsOrder.Keyed?
    for section in remaining.live.indices {
      for object in remaining[section] {
        let keyed = order.keyed(object)
        if let last, !order.isBefore(last, keyed) { return false }
        last = keyed
        if let naming, naming.sectionName(of: object, nil) != remaining.name(section) { return false }
      }
    }
    sortDestinations.noteOrder()
    return true
  }

  /// Whether objects stand between their neighbours.
  private func areInOrder(_ objects: [ManagedObject], _ remaining: RemainingResults, _ order: inout ResultsOrder)
    -> Bool
  {
    for (before, object, after) in remaining.neighbours(of: objects) {
      if let before, !order.isBefore(before, order.keyed(object)) { return false }
      if let after, !order.isBefore(object, order.keyed(after)) { return false }
    }
    return true
  }

  /// The sections of the remaining and the arriving objects, which are given in order; nil where objects of a section
  /// would not be adjacent.
  private func targets(
    of arriving: [ResultsOrder.Keyed], among remaining: RemainingResults, _ order: inout ResultsOrder
  ) -> [ResultsEdit.Target]? {
    typealias Target = ResultsEdit.Target
    var result: [Target] = []
    /// How many of the sections that are left are in the result.
    var passed = 0
    func pass(_ count: Int) {
      while passed < count {
        result.append(Target(name: remaining.name(passed), oldSection: remaining.live[passed]))
        passed += 1
      }
    }
    for arrival in arriving {
      let object = arrival.object
      let place = position(of: arrival, in: remaining, &order)
      let name = naming?.sectionName(of: object, nil) ?? ""
      if place.section < remaining.live.count && remaining.name(place.section) == name {
        pass(place.section + 1)
        result[result.count - 1].arrivals.append((place.item, object))
        continue
      }
      pass(place.section)
      // The place is in the middle of a section with another name.
      if place.item > 0 || passed > place.section { return nil }
      if result.last?.name != name { result.append(Target(name: name)) }
      let last = result.count - 1
      // A section that was left is the last one that was passed.
      result[last].arrivals.append((result[last].oldSection == nil ? 0 : remaining[passed - 1].count, object))
    }
    pass(remaining.live.count)
    return Set(result.map(\.name)).count == result.count ? result : nil
  }

  /// The first place whose object an arriving one stands before.
  private func position(
    of arrival: ResultsOrder.Keyed, in remaining: RemainingResults, _ order: inout ResultsOrder
  ) -> Changes.Position {
    let section = Bisection.firstIndex(below: remaining.live.count) { index in
      remaining.lasts[index].map { !order.isBefore($0, arrival) } ?? false
    }
    guard section < remaining.live.count else { return .init(section: section, item: 0) }
    let items = remaining[section]
    let item = Bisection.firstIndex(below: items.count) { !order.isBefore(items[$0], arrival) }
    return .init(section: section, item: item)
  }
}
