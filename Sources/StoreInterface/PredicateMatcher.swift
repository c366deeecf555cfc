import ObjectModel

/// A predicate made ready for many subjects: the same answers as `Predicate.evaluate(with:)`, with lists as hash sets.
package struct PredicateMatcher {
  private indirect enum Node {
    case constant(Bool)
    case comparison(Predicate.KeyPath, Predicate.Operator, Value)
    case tupleIsIn([Predicate.KeyPath], Set<ValueTuple>)
    case refersTo(Predicate.KeyPath, ObjectID?)
    case selfIsIn(Set<ObjectID>)
    case and([Node])
    case or([Node])
    case not(Node)
  }

  private let node: Node

  /// - Complexity: linear in the size of the predicate.
  package init(_ predicate: Predicate) {
    node = Self.node(for: predicate)
  }

  private static func node(for predicate: Predicate) -> Node {
    switch predicate {
    case .all: .constant(true)
    case .none: .constant(false)
    case .comparison(let keyPath, let comparison, let constant): .comparison(keyPath, comparison, constant)
    case .isIn(let keyPath, let values): .tupleIsIn([keyPath], Set(values.map { ValueTuple([$0]) }))
    case .tupleIsIn(let keyPaths, let tuples): .tupleIsIn(keyPaths, Set(tuples.map { ValueTuple($0) }))
    case .refersTo(let keyPath, let objectID): .refersTo(keyPath, objectID)
    case .selfIsIn(let objectIDs): .selfIsIn(Set(objectIDs))
    case .and(let parts): .and(parts.map { node(for: $0) })
    case .or(let parts): .or(parts.map { node(for: $0) })
    case .not(let part): .not(node(for: part))
    }
  }

  /// - Complexity: independent of the length of lists.
  package func matches(_ subject: some PredicateSubject) -> Bool { Self.matches(node, subject) }

  private static func matches(_ node: Node, _ subject: some PredicateSubject) -> Bool {
    switch node {
    case .constant(let value): value
    case .comparison(let keyPath, let comparison, let constant):
      comparison.holds(subject.value(at: keyPath), constant)
    case .tupleIsIn(let keyPaths, let tuples):
      tuples.contains(ValueTuple(keyPaths.map { subject.value(at: $0) }))
    case .refersTo(let keyPath, let objectID): subject.destination(at: keyPath) == objectID
    case .selfIsIn(let objectIDs): objectIDs.contains(subject.objectID)
    case .and(let parts): parts.allSatisfy { matches($0, subject) }
    case .or(let parts): parts.contains { matches($0, subject) }
    case .not(let part): !matches(part, subject)
    }
  }
}
