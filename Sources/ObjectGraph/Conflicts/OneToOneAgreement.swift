import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Makes the two sides of one-to-one relationships agree after conflicts about these objects were resolved: the rows
  /// of both sides have the relationship, and only one of them may have been in conflict.
  func makePartnersAgree(of ids: [ObjectID]) throws {
    if parent != nil { return }
    let objects = ids.compactMap { registeredObject(for: $0) }
    var agreement = OneToOneAgreement(self, settings.mergePolicy.kind)
    try agreement.gather(from: objects)
    agreement.resolve()
  }
}

/// What two sides of one-to-one relationships lead to, where one was changed by the resolution of a conflict and the
/// other has not followed yet.
///
/// A side that leads to one which does not lead back wins or gives way. Where the store is to win, what is as the store
/// has it wins, otherwise what was changed here. A side that gives way leads nowhere; under the rollback policy it
/// leads where it does in the store.
private struct OneToOneAgreement {
  /// One side of a one-to-one relationship: an object with the position of the relationship.
  struct Side: Hashable {
    let object: ManagedObject
    let index: Int

    var destination: ObjectID? { object.destinations[index] }
    var storedDestination: ObjectID? { object.stored?.toOne[index] ?? nil }
    var isChanged: Bool { destination != storedDestination }
  }

  /// One side by the id of its object.
  private struct SideKey: Hashable {
    let id: ObjectID
    let index: Int
  }

  private let context: ManagedObjectContext
  private let storeWins: Bool
  private let restores: Bool
  private var sides: [SideKey: Side] = [:]
  /// The keys of `sides` in the order in which they were found.
  private var order: [SideKey] = []
  /// Whether newer rows may have changed what sides lead to since they were looked at.
  private var isStale = false
  /// Sides that another one has won. Each is won once, and restored once.
  private var won: Set<Side> = []
  private var restored: Set<Side> = []

  init(_ context: ManagedObjectContext, _ kind: MergePolicy.Kind) {
    self.context = context
    storeWins = kind == .mergeByPropertyStoreTrump || kind == .rollback
    restores = kind == .rollback
  }

  // MARK: Finding them

  /// Finds the sides that those of some objects may have to agree with, and reads their rows anew where nothing was
  /// changed of them here.
  /// - Complexity: linear in the changes of the context.
  mutating func gather(from objects: [ManagedObject]) throws {
    var open = objects.flatMap { add($0) }
    if open.isEmpty { return }
    var leading: [SideKey: [SideKey]] = [:]
    for object in context.pending.inserted + context.pending.maybeUpdated where isThere(object) {
      for index in Self.indices(object) {
        guard let id = object.destinations[index], let key = partner(id, of: object, index) else { continue }
        leading[key, default: []].append(SideKey(id: object.objectID, index: index))
      }
    }
    while !open.isEmpty || isStale {
      if open.isEmpty {
        open = order.compactMap { sides[$0] }
        isStale = false
      }
      var found: [SideKey] = []
      for side in open {
        for id in [side.destination, side.storedDestination].compactMap(\.self) {
          if let key = partner(id, of: side.object, side.index) { found.append(key) }
        }
        found += leading[SideKey(id: side.object.objectID, index: side.index)] ?? []
      }
      found = found.filter { sides[$0] == nil }
      let objects = try present(found.map(\.id))
      open = found.compactMap { key in objects[key.id].flatMap { add($0, key.index) } }
    }
  }

  private static func indices(_ object: ManagedObject) -> [Int] {
    object.runtime.links.indices.filter { index in
      let link = object.runtime.links[index]
      return !link.isToMany && !link.isInverseToMany && object.runtime.layout.inverses[index] != nil
    }
  }

  private func isThere(_ object: ManagedObject) -> Bool { object.status == .loaded || object.status == .inserted }

  /// Adds all sides of an object that are not known.
  private mutating func add(_ object: ManagedObject) -> [Side] {
    isThere(object) ? Self.indices(object).compactMap { add(object, $0) } : []
  }

  private mutating func add(_ object: ManagedObject, _ index: Int) -> Side? {
    let (key, side) = (SideKey(id: object.objectID, index: index), Side(object: object, index: index))
    if !isThere(object) || sides[key] != nil { return nil }
    sides[key] = side
    order.append(key)
    return side
  }

  /// The other side of a relationship that leads to this id.
  private func partner(_ id: ObjectID, of object: ManagedObject, _ index: Int) -> SideKey? {
    guard let inverse = object.runtime.layout.inverses[index],
      let back = context.coordinator.runtime(id.entity).index(of: inverse)
    else { return nil }
    return SideKey(id: id, index: back)
  }

  /// Objects with their newest rows; changed ones as they are. Those whose rows are gone are left out.
  private mutating func present(_ ids: [ObjectID]) throws -> [ObjectID: ManagedObject] {
    var objects: [ObjectID: ManagedObject] = [:]
    var unread: [ObjectID] = []
    for id in ids {
      let object = context.registeredObject(for: id)
      if let object, object.status == .inserted || object.hasOwnChanges {
        objects[id] = object
      } else if !id.isTemporary, object?.isDeletedHere != true {
        unread.append(id)
      }
    }
    if unread.isEmpty { return objects }
    let snapshots = try context.freshSnapshots(of: unread)
    for id in unread {
      guard let snapshot = snapshots[id] else { continue }
      let object = context.object(with: id)
      objects[id] = object
      if object.isUnloaded {
        object.setWaiting(snapshot)
        object.fire()
      } else if object.status == .loaded, object.storedVersion != snapshot.version {
        isStale = true
        context.noteRefresh(of: object)
        try context.rebase(object, onto: snapshot)
        object.awake(fromSnapshotEvents: .mergePolicy)
      }
    }
    return objects
  }

  // MARK: Resolving

  mutating func resolve() {
    var open = order.reversed().compactMap { sides[$0] }
    while let side = open.popLast() {
      guard let id = side.destination, let key = partner(id, of: side.object, side.index),
        let partner = sides[key], partner.destination != side.object.objectID
      else { continue }
      let partnerGivesWay: Bool
      switch (side.isChanged, partner.isChanged) {
      case (true, true): partnerGivesWay = partner.destination == nil
      case (true, false): partnerGivesWay = !storeWins
      case (false, true): partnerGivesWay = storeWins
      // The rows do not agree, which no save of this context caused.
      case (false, false): continue
      }
      if partnerGivesWay && won.insert(partner).inserted {
        let former = partner.destination
        put(side.object.objectID, partner)
        if let former, let key = self.partner(former, of: partner.object, partner.index), let former = sides[key] {
          open.append(former)
        }
      } else {
        put(destinationAfterGivingWay(side), side)
        open.append(side)
      }
    }
  }

  /// Where a side leads after it has given way.
  private mutating func destinationAfterGivingWay(_ side: Side) -> ObjectID? {
    guard restores, let stored = side.storedDestination, stored != side.destination,
      let key = partner(stored, of: side.object, side.index), sides[key] != nil, restored.insert(side).inserted
    else { return nil }
    return stored
  }

  private func put(_ destination: ObjectID?, _ side: Side) {
    context.noteRefresh(of: side.object)
    side.object.putDestination(destination, at: side.index)
    side.object.noteUpdate()
  }
}
