package import ObjectModel
package import Predicates

/// A subject that gives its own properties by their positions. Key paths step from one such subject to the next.
package protocol PropertySubject: PredicateSubject {
  /// Where the properties of the subject's own entity lie.
  var layout: EntityLayout { get }
  /// The value of an attribute, by its position.
  func attribute(_ index: Int) -> Value
  /// The destination of a to-one relationship, by its position; nil where it leads nowhere, and for a to-many one.
  func destination(_ index: Int) -> ObjectID?
  /// The members of a to-many relationship, by its position, in its order; by primary key where it has none.
  func members(at index: Int) -> [ObjectID]
}

// Inlinable, so that modules with subjects of their own get code for these.
extension PropertySubject {
  @inlinable package func value(at keyPath: FetchPredicate.KeyPath) -> Value {
    guard let (owner, rest) = end(of: keyPath), let name = rest.first,
      let index = owner.layout.attributeIndexes[name]
    else { return .null }
    return owner.attribute(index).element(at: rest.dropFirst())
  }

  @inlinable package func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? {
    guard let (owner, rest) = end(of: keyPath), rest.count == 1, let name = rest.first,
      let index = owner.layout.relationshipIndexes[name]
    else { return nil }
    return owner.destination(index)
  }

  @inlinable package func members(of relationship: String) -> [ObjectID] {
    layout.relationshipIndexes[relationship].map { members(at: $0) } ?? []
  }

  /// The subject that the relationships of a key path lead to, and the rest of the path: a property, and for a
  /// composite the names of its elements. Nil where they lead nowhere.
  @inlinable func end(of keyPath: FetchPredicate.KeyPath) -> (Self, ArraySlice<String>)? {
    var here = self
    var rest = keyPath[...]
    while rest.count > 1, let name = rest.first, let index = here.layout.relationshipIndexes[name] {
      guard let id = here.destination(index), let next = here.subject(for: id) else { return nil }
      here = next
      rest.removeFirst()
    }
    return (here, rest)
  }
}

extension Array where Element: PropertySubject {
  /// The subjects in the order of some descriptors; those that are equal in all of them go by their keys, and stay as
  /// they are where these are equal, too.
  package func sorted(
    by descriptors: [FetchSortDescriptor], thenBy key: (Element) -> Int64 = { _ in 0 }
  ) -> [Element] {
    let keyed = enumerated().map { position, subject in
      (position: position, key: key(subject), values: descriptors.map { subject.value(at: $0.keyPath) })
    }
    let ordered = keyed.sorted { left, right in
      descriptors.precedes({ left.values[$0] }, { right.values[$0] })
        ?? ((left.key, left.position) < (right.key, right.position))
    }
    return ordered.map { self[$0.position] }
  }
}
