import ObjectModel
import Predicates
import StoreInterface

/// Works out what changes of a context make of results, without fetching all of them anew: takes the objects that may
/// have changed out of their places, and puts those that meet the request where they belong.
///
/// There is one only for requests of which objects decide by their own values. It expects results that stand in the order
/// of what their objects are here.
struct ResultsFollower<Object: ManagedObject> {
  typealias Changes = ResultsChanges<Object>

  private let specification: FetchSpecification
  private let context: ManagedObjectContext
  private let naming: SectionNaming<Object>?
  private let matcher: PredicateMatcher
  /// Up to so many changes are followed, however few results there are.
  private static var alwaysFollowed: Int { 32 }

  /// Nil for a request that only a fetch is sure to answer.
  /// - Parameter naming: says by which values of an object alone its section has its name, if anything does.
  init?(_ specification: FetchSpecification, in context: ManagedObjectContext, naming: SectionNaming<Object>?) {
    let entity = specification.entity
    guard context.parent == nil, context.coordinator.persistentStores.count == 1, specification.affectedStores == nil,
      specification.includesPendingChanges, specification.includesPropertyValues, specification.fetchLimit <= 0,
      specification.fetchOffset <= 0,
      PredicateRelationships(specification.predicate, of: entity).destinations.isEmpty,
      specification.sortDescriptors.allSatisfy({ $0.keyPath.count == 1 && entity.attribute($0.keyPath[0]) != nil })
    else { return nil }
    // These differ from one evaluation to the next.
    let text = "\(specification.predicate)"
    if specification.predicate.hasBlocks || text.contains("now(") || text.contains("random") { return nil }
    if case .keyPath(let path) = naming, !path.isStoredAttribute(of: entity) { return nil }
    self.naming = naming
    self.specification = specification
    self.context = context
    matcher = PredicateMatcher(specification.predicate)
  }

  /// New results, and what was looked at for them.
  struct Outcome {
    var content: [Changes.Section]
    var touched: [Changes.Touched]
  }

  /// What may be different.
  struct Cause {
    /// What an event was about.
    var objects: Set<ManagedObject>
    /// What a merge was about.
    var ids: Set<ObjectID>
    /// The objects whose values changed.
    var changed: Set<Object>
    /// Results that were new when they were last looked at, whose ids may be others now.
    var formerlyNew: [Object]
  }

  /// The results after changes; nil where a fetch has to tell.
  func follow(_ cause: Cause, in old: [Changes.Section]) throws -> Outcome? {
    let greatest = max(Self.alwaysFollowed, old.reduce(0) { $0 + $1.items.count } / 10)
    guard cause.objects.count + cause.ids.count <= greatest,
      let (candidates, matching) = try candidates(cause)
    else { return nil }
    let scan = AddressScan(Array(candidates) as [ManagedObject])
    var touched: [Object: Changes.Touched] = [:]
    for object in candidates { touched[object] = .init(item: object, isChanged: cause.changed.contains(object)) }
    var rest: [Changes.Section] = []
    for (index, section) in old.enumerated() {
      let indexes = scan.indexes(in: section.items)
      for item in indexes { touched[section.items[item]]?.from = .init(section: index, item: item) }
      if indexes.count < section.items.count {
        rest.append(.init(name: section.name, items: without(indexes, section.items)))
      }
    }
    var order = ResultsOrder(specification.sortDescriptors, in: context)
    let renamed = cause.formerlyNew.filter { !$0.objectID.isTemporary && !candidates.contains($0) }
    guard areInOrder(renamed, rest, &order) else { return nil }
    let arriving = matching.map { order.keyed($0) }.sorted { order.isBefore($0, $1) }
    guard let content = merged(arriving, into: rest, &order, note: { touched[$0]?.to = $1 }) else { return nil }
    return Outcome(content: content, touched: Array(touched.values))
  }

  /// Every object that may have changed, and those of them that meet the request; nil where rows are newer than objects.
  private func candidates(_ cause: Cause) throws -> (all: Set<Object>, matching: [Object])? {
    var all: Set<Object> = []
    var matching: [Object] = []
    var unchanged: Set<ObjectID> = []
    func add(_ object: ManagedObject) {
      guard specification.selects(object.entity), let object = object as? Object, all.insert(object).inserted else {
        return
      }
      if object.isInserted || object.hasOwnChanges {
        if matcher.matches(ObjectSubject(object: object)) && !object.isDeletedHere { matching.append(object) }
      } else if object.status == .loaded || object.status == .fault {
        unchanged.insert(object.objectID)
      }
    }
    for object in cause.objects { add(object) }
    for id in cause.ids where specification.selects(id.entity) {
      if let object = context.registeredObject(with: id) { add(object) } else { unchanged.insert(id) }
    }
    guard !unchanged.isEmpty else { return (all, matching) }
    // The store says it of what is not changed here, as it does in every fetch.
    var request = specification
    let isUnchanged = FetchPredicate.selfIsIn(Array(unchanged))
    // The store finds ids by their keys where nothing else is asked.
    request.predicate =
      if case .all = specification.predicate { isUnchanged } else { .and([specification.predicate, isUnchanged]) }
    request.sortDescriptors = []
    request.includesPendingChanges = false
    let staleRowCount = context.staleRowCount
    let found = try context.fetch(request).compactMap { $0 as? Object }
    guard context.staleRowCount == staleRowCount else { return nil }
    for object in found where !object.isDeletedHere && !object.hasOwnChanges {
      all.insert(object)
      matching.append(object)
    }
    return (all, matching)
  }

  private func without(_ indexes: [Int], _ items: [Object]) -> [Object] {
    if indexes.isEmpty { return items }
    var result: [Object] = []
    result.reserveCapacity(items.count - indexes.count)
    var start = 0
    for index in indexes {
      result += items[start..<index]
      start = index + 1
    }
    return result + items[start...]
  }

  /// Whether objects stand between their neighbours.
  private func areInOrder(_ objects: [Object], _ sections: [Changes.Section], _ order: inout ResultsOrder) -> Bool {
    if objects.isEmpty { return true }
    let scan = AddressScan(objects as [ManagedObject])
    for (number, section) in sections.enumerated() {
      for index in scan.indexes(in: section.items) {
        let before = index > 0 ? section.items[index - 1] : number > 0 ? sections[number - 1].items.last : nil
        let after =
          index + 1 < section.items.count
          ? section.items[index + 1] : number + 1 < sections.count ? sections[number + 1].items.first : nil
        let object = section.items[index]
        if let before, !order.isBefore(before, order.keyed(object)) { return false }
        if let after, !order.isBefore(object, order.keyed(after)) { return false }
      }
    }
    return true
  }

  /// Sections without empty ones, and objects in their order; nil where objects of a section would not follow each other.
  private func merged(
    _ arriving: [ResultsOrder.Keyed], into sections: [Changes.Section], _ order: inout ResultsOrder,
    note: (Object, Changes.Position) -> Void
  ) -> [Changes.Section]? {
    var result: [Changes.Section] = []
    func append(_ items: ArraySlice<Object>, _ name: String) {
      if items.isEmpty { return }
      if result.last?.name == name {
        result[result.count - 1].items += items
      } else {
        result.append(.init(name: name, items: Array(items)))
      }
    }
    var section = 0
    var item = 0
    for arrival in arriving {
      guard let object = arrival.object as? Object else { return nil }
      let place = position(of: arrival, in: sections, &order)
      while section < place.section {
        append(sections[section].items[item...], sections[section].name)
        section += 1
        item = 0
      }
      if section < sections.count {
        append(sections[section].items[item..<place.item], sections[section].name)
        item = place.item
      }
      append([object], naming?.sectionName(of: object, nil) ?? "")
      note(object, .init(section: result.count - 1, item: result[result.count - 1].items.count - 1))
    }
    while section < sections.count {
      append(sections[section].items[item...], sections[section].name)
      section += 1
      item = 0
    }
    if result.isEmpty && naming == nil { return [.init(name: "", items: [])] }
    return Set(result.map(\.name)).count == result.count ? result : nil
  }

  /// The first place whose object an arriving one stands before.
  private func position(
    of arrival: ResultsOrder.Keyed, in sections: [Changes.Section], _ order: inout ResultsOrder
  ) -> Changes.Position {
    let section = firstIndex(below: sections.count) { index in
      sections[index].items.last.map { !order.isBefore($0, arrival) } ?? false
    }
    guard section < sections.count else { return .init(section: section, item: 0) }
    let items = sections[section].items
    return .init(section: section, item: firstIndex(below: items.count) { !order.isBefore(items[$0], arrival) })
  }

  /// The first index for which something holds that holds for all after it as well.
  private func firstIndex(below count: Int, where holds: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
