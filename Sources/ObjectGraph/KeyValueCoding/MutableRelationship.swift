/// The members of a to-many relationship, to be changed one by one: what `mutableSetValue(forKey:)` and
/// `mutableOrderedSetValue(forKey:)` return. Every call reads and sets the object's relationship; inverses follow.
///
/// After an error of the store, which the context's next fetch or save throws, there are no members and a change does
/// nothing. An index that is not there is a mistake of the program and stops it, as with an array.
public final class MutableRelationship {
  private let object: ManagedObject
  private let key: String

  init(_ object: ManagedObject, _ key: String) {
    self.object = object
    self.key = key
  }

  /// The members, in order where the relationship is ordered.
  public var allObjects: [ManagedObject] { object.members(of: key) }
  /// The members, in order where the relationship is ordered.
  public var array: [ManagedObject] { allObjects }
  /// How many there are.
  public var count: Int { allObjects.count }
  /// Whether an object is among them.
  public func contains(_ member: ManagedObject) -> Bool { allObjects.contains(member) }
  /// The position of a member; nil for another object.
  public func index(of member: ManagedObject) -> Int? { allObjects.firstIndex(of: member) }
  /// The member at a position.
  public func object(at index: Int) -> ManagedObject { allObjects[index] }

  /// Adds a member at the end; one that is there already stays where it is.
  public func add(_ member: ManagedObject) { change { try object.add(member, to: key) } }
  /// Adds members at the end.
  public func addObjects(from members: [ManagedObject]) { members.forEach { add($0) } }
  /// Removes a member.
  public func remove(_ member: ManagedObject) { change { try object.remove(member, from: key) } }
  /// Removes all members.
  public func removeAllObjects() { change { try object.setObjects([], for: key) } }

  /// Puts a member at a position of an ordered relationship.
  public func insert(_ member: ManagedObject, at index: Int) { rearrange { $0.insert(member, at: index) } }
  /// Removes the member at a position of an ordered relationship.
  public func removeObject(at index: Int) { rearrange { $0.remove(at: index) } }
  /// Puts a member in the place of another of an ordered relationship.
  public func replaceObject(at index: Int, with member: ManagedObject) { rearrange { $0[index] = member } }
  /// Exchanges two members of an ordered relationship.
  public func exchangeObject(at first: Int, withObjectAt second: Int) { rearrange { $0.swapAt(first, second) } }

  private func rearrange(_ body: (inout [ManagedObject]) -> Void) {
    var members = allObjects
    body(&members)
    change { try object.setObjects(members, for: key) }
  }

  private func change(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      object.context?.deferError(error)
    }
  }
}

extension ManagedObject {
  /// The members of a to-many relationship, to be changed one by one.
  public func mutableSetValue(forKey key: String) -> MutableRelationship { MutableRelationship(self, key) }
  /// The members of an ordered to-many relationship, to be changed one by one.
  public func mutableOrderedSetValue(forKey key: String) -> MutableRelationship { MutableRelationship(self, key) }
}
