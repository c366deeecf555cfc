import ObjectModel

/// A stored row, as a predicate sees it.
struct StoredSubject: PredicateSubject {
  let contents: InMemoryContents
  let row: Snapshot
  var objectID: ObjectID { row.objectID }

  func value(at keyPath: Predicate.KeyPath) -> Value {
    guard let last = keyPath.last, let owner = owner(of: keyPath),
      let index = contents.layout[owner.objectID.entity].attributeIndexes[last]
    else { return .null }
    return owner.attributes[index]
  }

  func destination(at keyPath: Predicate.KeyPath) -> ObjectID? {
    guard let last = keyPath.last, let owner = owner(of: keyPath),
      let index = contents.layout[owner.objectID.entity].relationshipIndexes[last]
    else { return nil }
    return owner.toOne[index]
  }

  func members(of relationship: String) -> [ObjectID] {
    let layout = contents.layout[row.objectID.entity]
    guard let index = layout.relationshipIndexes[relationship] else { return [] }
    return contents.members(of: row.objectID, relationship: layout.relationships[index])
  }

  func subject(for objectID: ObjectID) -> StoredSubject? {
    contents.row(objectID).map { StoredSubject(contents: contents, row: $0) }
  }

  private func owner(of keyPath: Predicate.KeyPath) -> Snapshot? {
    var here = row
    for name in keyPath.dropLast() {
      guard let index = contents.layout[here.objectID.entity].relationshipIndexes[name],
        let next = here.toOne[index].flatMap({ contents.row($0) })
      else { return nil }
      here = next
    }
    return here
  }
}
