public import Foundation
public import ObjectModel

extension FetchPredicate {
  /// The same condition with the compact cases wherever they say it, and with what is the same for every object
  /// computed: for stores, which answer the compact cases fastest.
  ///
  /// The predicate must have passed `checkKeyPaths(for:)`.
  /// - Parameters:
  ///   - entity: whose objects are meant.
  ///   - now: what `now()` stands for.
  public func compacted(for entity: Entity, now: Date = Date()) -> FetchPredicate {
    switch self {
    case .compare(let comparison):
      let folded = Comparison(
        comparison.left.folded(now: now).identified(from: entity), comparison.comparisonOperator,
        comparison.right.folded(now: now).identified(from: entity),
        modifier: comparison.modifier, options: comparison.options
      ).withConstantOnTheRight
      return folded.compact(entity) ?? .compare(folded)
    case .and(let parts):
      let parts = parts.map { $0.compacted(for: entity, now: now) }
      return parts.count == 1 ? parts[0] : .and(parts)
    case .or(let parts):
      let parts = parts.map { $0.compacted(for: entity, now: now) }
      return parts.count == 1 ? parts[0] : .or(parts)
    case .not(let part): return .not(part.compacted(for: entity, now: now))
    default: return self
    }
  }
}

extension FetchPredicate.Comparison {
  /// Nil where only the general form says it.
  fileprivate func compact(_ entity: Entity) -> FetchPredicate? {
    if let left = left.fixedValue(now: .distantPast), let right = right.fixedValue(now: .distantPast) {
      return holds(left, right) ? FetchPredicate.all : FetchPredicate.none
    }
    guard isByBytes else { return nil }
    switch (left, right) {
    case (.keyPath(let path), _):
      switch entity.end(of: path) {
      case .attribute: return compact(attribute: path)
      case .toOne: return compact(toOne: path)
      default: return nil
      }
    case (_, .keyPath(let path)) where modifier == .direct:
      guard let mirrored = comparisonOperator.mirrored, entity.end(of: path) != nil else { return nil }
      return FetchPredicate.Comparison(right, mirrored, left).compact(entity)
    case (.selfObject, .object(let objectID)) where comparisonOperator == .equal: return .selfIsIn([objectID])
    case (.selfObject, .object(let objectID)) where comparisonOperator == .notEqual:
      return .not(.selfIsIn([objectID]))
    case (.object(let objectID), .selfObject) where modifier == .direct && comparisonOperator == .equal:
      return .selfIsIn([objectID])
    case (.selfObject, .aggregate(let elements)) where comparisonOperator == .isIn:
      let objectIDs = elements.compactMap(\.objectConstant)
      return objectIDs.count == elements.count ? .selfIsIn(objectIDs) : nil
    default: return nil
    }
  }

  /// Whether options change nothing: none is given, or what is compared is no text.
  private var isByBytes: Bool {
    if options.isEmpty || options.contains(.normalized) { return true }
    return [left, right].contains { operand in
      if case .constant(let value) = operand { return value.text == nil }
      if case .object = operand { return true }
      return false
    }
  }

  private func compact(attribute path: FetchPredicate.KeyPath) -> FetchPredicate? {
    switch (comparisonOperator, right) {
    case (.isIn, .aggregate(let elements)):
      let constants = elements.compactMap(\.constant)
      return constants.count == elements.count ? .isIn(path, constants) : nil
    case (.between, .aggregate(let bounds)) where bounds.count == 2:
      guard let low = bounds[0].constant, let high = bounds[1].constant else { return nil }
      return .and([.comparison(path, .greaterOrEqual, low), .comparison(path, .lessOrEqual, high)])
    case (_, .constant(let value)): return comparisonOperator.compact.map { .comparison(path, $0, value) }
    default: return nil
    }
  }

  private func compact(toOne path: FetchPredicate.KeyPath) -> FetchPredicate? {
    let target: ObjectID?
    switch right {
    case .object(let objectID): target = objectID
    case .constant(let value) where value.isMissing: target = nil
    default: return nil
    }
    switch comparisonOperator {
    case .equal: return .refersTo(path, target)
    case .notEqual: return .not(.refersTo(path, target))
    default: return nil
    }
  }
}

extension FetchExpression {
  /// Parts that are the same for every object as constants.
  fileprivate func folded(now: Date) -> FetchExpression {
    if let value = fixedValue(now: now) { return FetchExpression(value) }
    return mappingParts({ $0.folded(now: now) }, predicates: { $0 })
  }

  /// The object itself for a key path that asks for its id.
  fileprivate func identified(from entity: Entity) -> FetchExpression {
    guard case .keyPath(let path) = self, let end = ObjectTrait.end(of: path, from: entity), end.trait == .identity
    else { return self }
    return end.owner.isEmpty ? .selfObject : .keyPath(end.owner)
  }

  var constant: Value? {
    if case .constant(let value) = self { return value }
    return nil
  }

  var objectConstant: ObjectID? {
    if case .object(let objectID) = self { return objectID }
    return nil
  }
}

extension Entity {
  /// The kind of property at the end of a key path.
  enum PathEnd {
    case attribute, toOne
  }

  /// The property at the end of a path of to-one relationships; nil for a path that goes through or ends at a to-many
  /// relationship, or does not exist.
  func end(of path: FetchPredicate.KeyPath) -> PathEnd? {
    var here = self
    var rest = path[...]
    while rest.count > 1, let name = rest.first, let relationship = here.relationship(name) {
      if relationship.isToMany { return nil }
      here = relationship.destination
      rest.removeFirst()
    }
    guard let name = rest.first else { return nil }
    if let attribute = here.attribute(name) { return attribute.element(at: rest.dropFirst()) == nil ? nil : .attribute }
    return rest.count == 1 && here.relationship(name)?.isToMany == false ? .toOne : nil
  }
}
