import ObjectModel

/// Objects whose to-many relationships may have gained or lost members since the last save because the other side was
/// set, each with these members.
///
/// Whether a member really came or went is not kept but asked of the member, so that what is taken back, by undo or by
/// a second change, needs no bookkeeping. Changes are only written down as they come, and put in order when they are
/// asked for.
struct OwnerChanges {
  private struct Entry {
    var key: MemberKey
    var member: ObjectID
  }

  /// A member that may have come or gone.
  struct Candidate {
    var relationship: Int
    var member: ManagedObject
  }

  private var log: [Entry] = []
  private var candidates: [ObjectIdentifier: [Candidate]] = [:]
  /// The owners, held here, in the order in which they were first noted.
  private(set) var owners: [ManagedObject] = []
  /// Owners that were noted since the last event ended.
  private var eventOwners: [ManagedObject] = []
  /// A merge or the resolution of conflicts may have changed which objects are owners, so the noted ones may be
  /// incomplete.
  var isIncomplete = false

  var isEmpty: Bool { log.isEmpty && owners.isEmpty && !isIncomplete }

  mutating func note(_ member: ObjectID, in key: MemberKey) { log.append(Entry(key: key, member: member)) }

  /// Forgets what was noted, but not what the event is about.
  mutating func restart() {
    let owners = eventOwners
    self = OwnerChanges()
    eventOwners = owners
  }

  /// Puts what was noted since in order.
  /// - Parameter isEvent: whether the noted owners changed in this event.
  mutating func index(in context: ManagedObjectContext, isEvent: Bool = true) {
    if log.isEmpty { return }
    let entries = log
    log = []
    var last: (id: ObjectID, owner: ManagedObject?)?
    for entry in entries {
      let owner = last?.id == entry.key.owner ? last?.owner : context.possibleOwner(entry.key.owner)
      last = (entry.key.owner, owner)
      guard let owner, let member = context.registeredObject(for: entry.member) else { continue }
      let key = ObjectIdentifier(owner)
      if candidates[key] == nil { owners.append(owner) }
      candidates[key, default: []].append(Candidate(relationship: entry.key.relationship, member: member))
      if isEvent && eventOwners.last !== owner { eventOwners.append(owner) }
    }
  }

  func candidates(of owner: ManagedObject) -> [Candidate] { candidates[ObjectIdentifier(owner)] ?? [] }

  /// The owners that were noted in this event, which ends.
  mutating func removeEventOwners() -> [ManagedObject] {
    let owners = eventOwners
    eventOwners = []
    return owners
  }
}
