import ObjectModel
import Predicates
import StoreInterface

/// A stored row, as a predicate sees it.
struct StoredSubject: PredicateSubject {
  let contents: InMemoryContents
  let snapshot: Snapshot
  var objectID: ObjectID { snapshot.objectID }

  func value(at keyPath: FetchPredicate.KeyPath) -> Value {
    guard let (owner, rest) = end(of: keyPath), let name = rest.first,
      let index = contents.layout[owner.objectID.entity].attributeIndexes[name]
    else { return .null }
    return owner.attributes[index].element(at: rest.dropFirst())
  }

  func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? {
    guard let (owner, rest) = end(of: keyPath), rest.count == 1, let name = rest.first,
      let index = contents.layout[owner.objectID.entity].relationshipIndexes[name]
    else { return nil }
    return owner.toOne[index]
  }

  func members(of relationship: String) -> [ObjectID] {
    let layout = contents.layout[snapshot.objectID.entity]
    guard let index = layout.relationshipIndexes[relationship] else { return [] }
    return contents.members(of: snapshot.objectID, relationship: layout.relationships[index])
  }

  func subject(for objectID: ObjectID) -> StoredSubject? {
    contents.storedSnapshot(objectID).map { StoredSubject(contents: contents, snapshot: $0) }
  }

  /// The row that the relationships of a key path lead to, and the rest of the path: a property, and for a composite
  /// the names of its elements.
  private func end(of keyPath: FetchPredicate.KeyPath) -> (Snapshot, ArraySlice<String>)? {
    var here = snapshot
    var rest = keyPath[...]
    while rest.count > 1, let name = rest.first,
      let index = contents.layout[here.objectID.entity].relationshipIndexes[name]
    {
      guard let next = here.toOne[index].flatMap({ contents.storedSnapshot($0) }) else { return nil }
      here = next
      rest.removeFirst()
    }
    return (here, rest)
  }
}
