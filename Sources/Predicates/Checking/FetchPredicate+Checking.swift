public import ObjectModel

extension FetchPredicate {
  /// Checks that every key path exists and ends where it must, that lists stand only where they have a meaning, that
  /// variables have values, and that tuples have as many values as key paths. Transient properties, which no store
  /// keeps, are refused; a predicate may ask for them where it is evaluated with an object in memory.
  /// - Throws: `PredicateCheckError` that names the first mistake.
  public func checkKeyPaths(for entity: Entity) throws(PredicateCheckError) {
    try check(in: ExpressionScope(entity))
  }

  /// As `checkKeyPaths(for:)`, with names as the scope defines them, such as that of a subquery.
  public func check(in scope: ExpressionScope) throws(PredicateCheckError) {
    let entity = scope.entity
    switch self {
    case .all, .none, .selfIsIn: break
    case .comparison(let keyPath, let sign, let value):
      var scope = scope
      scope.allowsComposites = value == .null && (sign == .equal || sign == .notEqual)
      try Self.check(keyPath, endsAt: .attribute, in: scope)
    case .isIn(let keyPath, _): try Self.check(keyPath, endsAt: .attribute, in: scope)
    case .tupleIsIn(let keyPaths, let tuples):
      for keyPath in keyPaths { try Self.check(keyPath, endsAt: .attribute, in: scope) }
      if keyPaths.isEmpty {
        throw PredicateCheckError("a tuple predicate on \(entity.name) needs at least one key path")
      }
      if let tuple = tuples.first(where: { $0.count != keyPaths.count }) {
        throw PredicateCheckError(
          "a tuple of \(tuple.count) values does not fit the \(keyPaths.count) key paths of \(entity.name)")
      }
    case .refersTo(let keyPath, _): try Self.check(keyPath, endsAt: .toOne, in: scope)
    case .compare(let comparison): try comparison.check(in: scope)
    case .and(let parts), .or(let parts):
      for part in parts { try part.check(in: scope) }
    case .not(let part): try part.check(in: scope)
    case .block:
      if !scope.allowsBlocks {
        throw PredicateCheckError("no store can look into a block predicate: it is evaluated with objects in memory")
      }
    }
  }

  /// The kind of property at the end of a key path.
  package enum KeyPathEnd {
    case attribute, toOne
  }

  package static func check(
    _ keyPath: KeyPath, endsAt end: KeyPathEnd, in scope: ExpressionScope
  ) throws(PredicateCheckError) {
    let start = scope.entity
    let allowsTransients = scope.allowsTransients
    let path = keyPath.joined(separator: ".")
    guard let last = keyPath.last else { throw PredicateCheckError("an empty key path on \(start.name)") }
    var entity = start
    for (position, name) in keyPath.dropLast().enumerated() {
      if !allowsTransients { try entity.requireStored(name) }
      if end == .attribute, let attribute = entity.attribute(name), attribute.type == .composite {
        _ = try entity.element(of: attribute, keyPath[(position + 1)...], scope)
        return
      }
      guard let relationship = entity.relationship(name) else {
        throw PredicateCheckError(
          "\(entity.name) has no relationship \"\(name)\" (key path \(path) from \(start.name))")
      }
      if relationship.isToMany {
        throw PredicateCheckError(
          "\(entity.name).\(name) is to-many; the key path \(path) may use to-one relationships only")
      }
      entity = relationship.destination
    }
    if !allowsTransients { try entity.requireStored(last) }
    switch end {
    case .attribute where entity.attribute(last) == nil:
      let what =
        entity.relationship(last) == nil
        ? "\(entity.name) has no attribute \"\(last)\""
        : "\(entity.name).\(last) is a relationship, and an attribute is needed"
      throw PredicateCheckError("\(what) (key path \(path) from \(start.name))")
    case .toOne where entity.relationship(last)?.isToMany != false:
      throw PredicateCheckError(
        "\(entity.name) has no to-one relationship \"\(last)\" (key path \(path) from \(start.name))")
    case .attribute:
      if let attribute = entity.attribute(last) { _ = try entity.element(of: attribute, [], scope) }
    default: break
    }
  }
}

extension FetchPredicate.Comparison {
  fileprivate func check(in scope: ExpressionScope) throws(PredicateCheckError) {
    let leftScope = Self.scope(of: left, comparedWith: right, comparisonOperator, in: scope)
    if modifier == .direct && comparisonOperator != .contains {
      _ = try left.single(in: leftScope, for: "a comparison")
    } else {
      let type = try left.type(in: leftScope)
      let isList = type.isList && modifier == .direct
      if comparisonOperator == .contains && !isList && !type.element.canBeText {
        throw PredicateCheckError("CONTAINS needs a list or text before it, not \(left)")
      }
    }
    switch comparisonOperator {
    case .isIn:
      let type = try right.type(in: scope)
      if !type.isList && !type.element.canBeText {
        throw PredicateCheckError("IN needs a list or text after it, not \(right)")
      }
    case .between:
      if !(try right.type(in: scope)).isList {
        throw PredicateCheckError("BETWEEN needs a list of two bounds, not \(right)")
      }
      if case .aggregate(let bounds) = right, bounds.count != 2, try Self.areSingle(bounds, scope) {
        throw PredicateCheckError("BETWEEN needs two bounds, not \(bounds.count)")
      }
    case .matches:
      _ = try right.single(in: scope, for: "MATCHES")
      if case .constant(let value) = right, let pattern = value.text,
        TextPattern.expression(pattern, options: options) == nil
      {
        throw PredicateCheckError("\"\(pattern)\" is no regular expression")
      }
    default:
      let rightScope = Self.scope(of: right, comparedWith: left, comparisonOperator, in: scope)
      _ = try right.single(in: rightScope, for: "a comparison")
    }
  }

  /// A composite itself may only be asked for being nil, by its own key path.
  private static func scope(
    of operand: FetchExpression, comparedWith other: FetchExpression, _ sign: Operator, in scope: ExpressionScope
  ) -> ExpressionScope {
    guard sign == .equal || sign == .notEqual, other == .constant(.null) else { return scope }
    switch operand {
    case .keyPath, .path:
      var scope = scope
      scope.allowsComposites = true
      return scope
    default: return scope
    }
  }

  private static func areSingle(_ parts: [FetchExpression], _ scope: ExpressionScope) throws(PredicateCheckError)
    -> Bool
  {
    for part in parts where try part.type(in: scope).isList { return false }
    return true
  }
}
