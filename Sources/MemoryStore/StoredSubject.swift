import ObjectModel
import Predicates
import StoreInterface

/// A stored row, as a predicate sees it.
struct StoredSubject: PropertySubject {
  let contents: InMemoryContents
  let snapshot: Snapshot
  var objectID: ObjectID { snapshot.objectID }

  var layout: EntityLayout { contents.layout[objectID.entity] }

  func attribute(_ index: Int) -> Value { snapshot.attribute(index) }

  func destination(_ index: Int) -> ObjectID? { snapshot.destination(index) }

  func members(at index: Int) -> [ObjectID] {
    contents.members(of: snapshot.objectID, relationship: layout.relationships[index])
  }

  func subject(for objectID: ObjectID) -> StoredSubject? {
    contents.storedSnapshot(objectID).map { StoredSubject(contents: contents, snapshot: $0) }
  }
}
