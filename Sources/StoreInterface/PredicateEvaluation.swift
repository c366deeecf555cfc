public import ObjectModel

/// What a predicate asks of an object.
public protocol PredicateSubject {
  var objectID: ObjectID { get }
  /// The value at a key path that ends at an attribute; `.null` when it is missing.
  func value(at keyPath: Predicate.KeyPath) -> Value
  /// The destination at a key path that ends at a to-one relationship; nil when it leads nowhere.
  func destination(at keyPath: Predicate.KeyPath) -> ObjectID?
}

extension Predicate {
  /// Whether the subject meets the predicate: the reference for what every case means.
  /// - Complexity: linear in the size of the predicate, lists included. `PredicateMatcher` is the fast twin.
  public func evaluate(with subject: some PredicateSubject) -> Bool {
    switch self {
    case .all: true
    case .none: false
    case .comparison(let keyPath, let comparison, let constant):
      comparison.holds(subject.value(at: keyPath), constant)
    case .isIn(let keyPath, let values):
      values.contains { $0.isEqual(to: subject.value(at: keyPath)) }
    case .tupleIsIn(let keyPaths, let tuples):
      tuples.contains { tuple in
        zip(keyPaths, tuple).allSatisfy { keyPath, value in value.isEqual(to: subject.value(at: keyPath)) }
      }
    case .refersTo(let keyPath, let objectID): subject.destination(at: keyPath) == objectID
    case .selfIsIn(let objectIDs): objectIDs.contains(subject.objectID)
    case .and(let parts): parts.allSatisfy { $0.evaluate(with: subject) }
    case .or(let parts): parts.contains { $0.evaluate(with: subject) }
    case .not(let part): !part.evaluate(with: subject)
    }
  }

  /// Checks that every key path exists and ends where it must, and that tuples have as many values as key paths.
  /// - Throws: `StoreError.failure` that names the first mistake.
  public func checkKeyPaths(for entity: Entity) throws(StoreError) {
    switch self {
    case .all, .none, .selfIsIn: break
    case .comparison(let keyPath, _, _), .isIn(let keyPath, _):
      try Self.check(keyPath, endsAt: .attribute, from: entity)
    case .tupleIsIn(let keyPaths, let tuples):
      for keyPath in keyPaths { try Self.check(keyPath, endsAt: .attribute, from: entity) }
      if keyPaths.isEmpty { throw .failure("a tuple predicate on \(entity.name) needs at least one key path") }
      if let tuple = tuples.first(where: { $0.count != keyPaths.count }) {
        throw .failure(
          "a tuple of \(tuple.count) values does not fit the \(keyPaths.count) key paths of \(entity.name)")
      }
    case .refersTo(let keyPath, _): try Self.check(keyPath, endsAt: .toOne, from: entity)
    case .and(let parts), .or(let parts):
      for part in parts { try part.checkKeyPaths(for: entity) }
    case .not(let part): try part.checkKeyPaths(for: entity)
    }
  }

  /// What a key path leads to.
  enum KeyPathEnd {
    case attribute, toOne
  }

  static func check(_ keyPath: KeyPath, endsAt end: KeyPathEnd, from start: Entity) throws(StoreError) {
    let path = keyPath.joined(separator: ".")
    guard let last = keyPath.last else { throw .failure("an empty key path on \(start.name)") }
    var entity = start
    for name in keyPath.dropLast() {
      guard let relationship = entity.relationship(name) else {
        throw .failure("\(entity.name) has no relationship \"\(name)\" (key path \(path) from \(start.name))")
      }
      if relationship.isToMany {
        throw .failure("\(entity.name).\(name) is to-many; the key path \(path) may use to-one relationships only")
      }
      entity = relationship.destination
    }
    switch end {
    case .attribute where entity.attribute(last) == nil:
      throw .failure("\(entity.name) has no attribute \"\(last)\" (key path \(path) from \(start.name))")
    case .toOne where entity.relationship(last)?.isToMany != false:
      throw .failure("\(entity.name) has no to-one relationship \"\(last)\" (key path \(path) from \(start.name))")
    default: break
    }
  }
}

extension Predicate.Operator {
  /// Whether the comparison holds between a stored value and a constant.
  public func holds(_ value: Value, _ constant: Value) -> Bool {
    switch self {
    case .equal: value.isEqual(to: constant)
    case .notEqual: !value.isEqual(to: constant)
    case .less: value.compared(to: constant).map { $0 < 0 } ?? false
    case .lessOrEqual: value.compared(to: constant).map { $0 <= 0 } ?? false
    case .greater: value.compared(to: constant).map { $0 > 0 } ?? false
    case .greaterOrEqual: value.compared(to: constant).map { $0 >= 0 } ?? false
    case .beginsWith: Self.texts(value, constant).map { $0.starts(with: $1) } ?? false
    case .endsWith: Self.texts(value, constant).map { $0.reversed().starts(with: $1.reversed()) } ?? false
    case .contains:
      Self.texts(value, constant).map { text, part in
        part.count <= text.count
          && (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
      } ?? false
    }
  }

  private static func texts(_ left: Value, _ right: Value) -> ([UInt8], [UInt8])? {
    guard let left = left.text, let right = right.text else { return nil }
    return (Array(left.utf8), Array(right.utf8))
  }
}
