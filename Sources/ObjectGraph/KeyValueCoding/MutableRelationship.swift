public import Foundation
public import Predicates

/// The members of a to-many relationship, to be changed one by one: what `mutableSetValue(forKey:)` and
/// `mutableOrderedSetValue(forKey:)` return. Every call reads and sets the object's relationship; inverses follow.
///
/// After an error of the store, which the context's next fetch or save throws, there are no members and a change does
/// nothing. An index that is not there is a mistake of the program and stops it, as with an array.
public final class MutableRelationship: Sequence {
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
  /// The members without their order.
  public var set: Set<ManagedObject> { Set(allObjects) }
  /// How many there are.
  public var count: Int { allObjects.count }
  /// Whether an object is among them.
  public func contains(_ member: ManagedObject) -> Bool { allObjects.contains(member) }
  /// The position of a member; `NSNotFound` for another object.
  public func index(of member: ManagedObject) -> Int { firstIndex(of: member) ?? NSNotFound }
  /// The position of a member; nil for another object.
  public func firstIndex(of member: ManagedObject) -> Int? { allObjects.firstIndex(of: member) }
  /// The member at a position.
  public func object(at index: Int) -> ManagedObject { allObjects[index] }
  /// The first member; nil where there is none.
  public var firstObject: ManagedObject? { allObjects.first }
  /// The last member; nil where there is none.
  public var lastObject: ManagedObject? { allObjects.last }
  /// One of the members; nil where there is none.
  @_disfavoredOverload public func anyObject() -> ManagedObject? { allObjects.first }
  /// One of the members, of any type as in Core Data, for code that casts it.
  public func anyObject() -> Any? { allObjects.first }
  /// The member at a position of an ordered relationship. Setting it is `replaceObject(at:with:)`.
  public subscript(index: Int) -> ManagedObject {
    get { object(at: index) }
    set { replaceObject(at: index, with: newValue) }
  }

  /// Walks over the members that are there when it begins.
  public func makeIterator() -> IndexingIterator<[ManagedObject]> { allObjects.makeIterator() }

  /// Adds all members of a collection that are not there.
  public func union<Members: Sequence>(_ members: Members) where Members.Element: ManagedObject {
    for member in members { add(member) }
  }
  /// Removes all members that a collection has.
  public func minus<Members: Sequence>(_ members: Members) where Members.Element: ManagedObject {
    for member in members { remove(member) }
  }
  /// Keeps only members that a collection has.
  public func intersect<Members: Sequence>(_ members: Members) where Members.Element: ManagedObject {
    let wanted = Set<ManagedObject>(members.map { $0 })
    let present = allObjects
    // Members that could not be read are no members to keep or to remove.
    if object.context?.deferredError != nil { return }
    for member in present where !wanted.contains(member) { remove(member) }
  }

  /// Makes these the members.
  public func setSet<Members: Sequence>(_ members: Members) where Members.Element: ManagedObject {
    change { try object.setObjects(members.map { $0 }, for: key) }
  }
  /// Keeps the members for which a predicate holds.
  public func filter(using predicate: FetchPredicate) {
    for member in allObjects where !predicate.evaluate(with: member) { remove(member) }
  }

  /// As `setSet(_:)`, of a set that lost its type.
  public func setSet(_ members: Set<AnyHashable>) { setSet(Self.objects(members)) }
  /// As `union(_:)`, of a set that lost its type. An element that is no managed object stops the program.
  public func union(_ members: Set<AnyHashable>) { union(Self.objects(members)) }
  /// As `minus(_:)`, of a set that lost its type.
  public func minus(_ members: Set<AnyHashable>) { minus(Self.objects(members)) }
  /// As `intersect(_:)`, of a set that lost its type.
  public func intersect(_ members: Set<AnyHashable>) { intersect(Self.objects(members)) }

  private static func objects(_ members: Set<AnyHashable>) -> [ManagedObject] {
    members.map { member in
      guard let object = member.base as? ManagedObject else {
        preconditionFailure("a \(type(of: member.base)) is no managed object")
      }
      return object
    }
  }

  /// Adds a member at the end; one that is there already stays where it is.
  public func add(_ member: ManagedObject) { change { try object.add(member, to: key) } }
  /// Adds members at the end.
  public func addObjects(from members: [ManagedObject]) { members.forEach { add($0) } }
  /// Removes a member.
  public func remove(_ member: ManagedObject) { change { try object.remove(member, from: key) } }
  /// Removes members.
  public func removeObjects(in members: [ManagedObject]) { members.forEach { remove($0) } }
  /// Removes all members.
  public func removeAllObjects() { change { try object.setObjects([], for: key) } }

  /// Puts a member at a position of an ordered relationship; one that is there already stays where it is.
  public func insert(_ member: ManagedObject, at index: Int) { insert([member], at: [index]) }
  /// Puts members at these positions of an ordered relationship: the first member at the lowest one, and so on, each
  /// position being that in the result. Members that are there already stay where they are, and take no position.
  public func insert(_ members: [ManagedObject], at indexes: IndexSet) {
    precondition(
      members.count == indexes.count, "\(members.count) objects cannot be inserted at \(indexes.count) indexes")
    rearrange { list in
      var known = Set(list)
      for (member, index) in zip(members, indexes) where known.insert(member).inserted {
        list.insert(member, at: index)
      }
    }
  }
  /// Removes the member at a position of an ordered relationship.
  public func removeObject(at index: Int) { rearrange { $0.remove(at: index) } }
  /// Removes the members at these positions of an ordered relationship.
  public func removeObjects(at indexes: IndexSet) {
    rearrange { list in for index in indexes.reversed() { list.remove(at: index) } }
  }
  /// Puts a member in the place of another of an ordered relationship. One that stands elsewhere moves there.
  public func replaceObject(at index: Int, with member: ManagedObject) { replaceObjects(at: [index], with: [member]) }
  /// Puts members in the places of others of an ordered relationship: the first in the lowest place, and so on.
  public func replaceObjects(at indexes: IndexSet, with members: [ManagedObject]) {
    precondition(
      members.count == indexes.count, "\(members.count) objects cannot replace those at \(indexes.count) indexes")
    rearrange { list in
      let places = Set(indexes)
      let moving = Set(members)
      for (index, member) in zip(indexes, members) { list[index] = member }
      list = list.enumerated().filter { places.contains($0.offset) || !moving.contains($0.element) }.map(\.element)
    }
  }
  /// Exchanges two members of an ordered relationship.
  public func exchangeObject(at first: Int, withObjectAt second: Int) { rearrange { $0.swapAt(first, second) } }

  /// Moves members of an ordered relationship, in their order, so that the first of them stands at a place of the list
  /// without them.
  public func moveObjects(at indexes: IndexSet, to index: Int) {
    rearrange { members in
      let moved = indexes.map { members[$0] }
      for index in indexes.reversed() { members.remove(at: index) }
      members.insert(contentsOf: moved, at: index)
    }
  }

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
