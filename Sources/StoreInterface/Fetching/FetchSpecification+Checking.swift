import ObjectModel
public import Predicates

extension FetchSpecification {
  /// Checks every key path of the predicate and of the sort descriptors against the model.
  /// - Throws: `StoreError.failure` that names the first one that does not exist.
  public func checkKeyPaths() throws(StoreError) {
    try StoreError.fromCheck { () throws(PredicateCheckError) in
      try predicate.checkKeyPaths(for: entity)
    }
    for descriptor in sortDescriptors {
      try StoreError.fromCheck { () throws(PredicateCheckError) in
        try FetchPredicate.check(descriptor.keyPath, endsAt: .attribute, in: ExpressionScope(entity))
      }
      if entity.attribute(at: descriptor.keyPath)?.allowsExternalBinaryDataStorage == true {
        throw .unsupported(
          "\(descriptor.keyPath.joined(separator: ".")) may be kept in files outside of the store, and objects cannot be "
            + "sorted by it")
      }
    }
  }

  /// Checks a request for dictionaries: that its expressions and group keys exist and give single values, that names
  /// occur once, and that in groups every expression is a group key or an aggregate.
  /// - Throws: `StoreError.failure` that names the first mistake.
  public func checkRows() throws(StoreError) {
    let scope = ExpressionScope(entity)
    try StoreError.fromCheck { () throws(PredicateCheckError) in
      try predicate.check(in: scope)
    }
    var names: Set<String> = []
    for column in fetchedColumns {
      if column.name.isEmpty { throw .failure("a fetched expression of \(entity.name) has no name") }
      if !names.insert(column.name).inserted { throw .failure("\"\(column.name)\" is fetched twice") }
      try checkSingle(column.expression, scope, for: "the column \"\(column.name)\"")
      try checkGrouping(column.expression, "the column \"\(column.name)\"")
    }
    for expression in groupExpressions {
      try checkSingle(expression, scope, for: "a group")
      if expression.hasAggregate { throw .failure("\(expression) is grouped by, which an aggregate cannot be") }
    }
    if let having = resolvedHavingPredicate {
      if !isGrouped { throw .failure("a having predicate on \(entity.name) needs groups: use the predicate instead") }
      try StoreError.fromCheck { () throws(PredicateCheckError) in
        try having.check(in: scope)
      }
      try checkGrouping(having)
    }
    for (expression, _) in sortExpressions {
      try checkSingle(expression, scope, for: "a sort descriptor")
      try checkGrouping(expression, "a sort descriptor")
      if returnsDistinctResults && !fetchedColumns.contains(where: { $0.expression == expression }) {
        throw .failure("\(expression) is sorted by and not fetched, which distinct results cannot be")
      }
    }
  }

  /// Checks an expression that must give one value, not a list.
  private func checkSingle(
    _ expression: FetchExpression, _ scope: ExpressionScope, for place: String
  ) throws(StoreError) {
    try StoreError.fromCheck { () throws(PredicateCheckError) in
      _ = try expression.single(in: scope, for: place)
    }
  }

  /// Whether the rows are groups of objects instead of objects.
  public var isGrouped: Bool {
    !propertiesToGroupBy.isEmpty || propertiesToFetch.contains { $0.expression.aggregatingRows.hasAggregate }
  }

  /// What is fetched: `propertiesToFetch`, or when it is empty every stored attribute and to-one relationship. A
  /// composite attribute is fetched as its elements, each by its path (`address.city`).
  public var fetchedColumns: [FetchedExpression] {
    if !propertiesToFetch.isEmpty {
      return propertiesToFetch.flatMap { column in
        if case .keyPath(let path) = column.expression, let elements = compositeElements(at: path) {
          // Named after the column, whose name may differ from the attribute's.
          return elements.map {
            FetchedExpression(([column.name] + $0).joined(separator: "."), .keyPath(path + $0))
          }
        }
        return [FetchedExpression(column.name, column.expression.aggregatingRows)]
      }
    }
    let attributes = entity.storedLeaves.map(\.names)
    let relationships = entity.relationships.filter { !$0.isToMany && !$0.definition.isTransient }.map { [$0.name] }
    return (attributes + relationships).map { FetchedExpression(keyPath: $0) }
  }

  /// The paths of the stored elements behind a key path to a composite attribute; nil for one that leads elsewhere.
  private func compositeElements(at path: FetchPredicate.KeyPath) -> [[String]]? {
    guard let attribute = entity.attribute(at: path), attribute.composite != nil else { return nil }
    return StoredAttribute.leaves(of: attribute).map { Array($0.names.dropFirst()) }
  }

  /// The keys by which groups are made.
  public var groupExpressions: [FetchExpression] {
    propertiesToGroupBy.flatMap { path in
      let expression = resolveNames(.keyPath(path))
      guard case .keyPath(let path) = expression, let elements = compositeElements(at: path) else {
        return [expression]
      }
      return elements.map { .keyPath(path + $0) }
    }
  }

  /// The having predicate with the fetched expressions in place of their names.
  public var resolvedHavingPredicate: FetchPredicate? {
    havingPredicate.map { resolveNames($0.generalized.aggregatingRows) }
  }

  /// The expression of each sort descriptor of a request for dictionaries.
  public var sortExpressions: [(expression: FetchExpression, descriptor: FetchSortDescriptor)] {
    sortDescriptors.map { (resolveNames(.keyPath($0.keyPath)), $0) }
  }

  private func resolveNames(_ predicate: FetchPredicate) -> FetchPredicate {
    switch predicate {
    case .and(let parts): return .and(parts.map { resolveNames($0) })
    case .or(let parts): return .or(parts.map { resolveNames($0) })
    case .not(let part): return .not(resolveNames(part))
    case .compare(var comparison):
      comparison.left = resolveNames(comparison.left)
      comparison.right = resolveNames(comparison.right)
      return .compare(comparison)
    default: return predicate
    }
  }

  private func resolveNames(_ expression: FetchExpression) -> FetchExpression {
    if case .keyPath(let path) = expression, path.count == 1,
      let column = propertiesToFetch.first(where: { $0.name == path[0] })
    {
      return column.expression.aggregatingRows
    }
    if case .function(let function, _) = expression, function.isAggregate { return expression }
    return expression.mappingParts({ resolveNames($0) }, predicates: { resolveNames($0) })
  }

  // MARK: - Groups

  private func checkGrouping(_ predicate: FetchPredicate) throws(StoreError) {
    switch predicate {
    case .and(let parts), .or(let parts):
      for part in parts { try checkGrouping(part) }
    case .not(let part): try checkGrouping(part)
    case .compare(let comparison):
      try checkGrouping(comparison.left, "the having predicate")
      try checkGrouping(comparison.right, "the having predicate")
    default: break
    }
  }

  /// Refuses expressions that differ among the objects of a group.
  private func checkGrouping(_ expression: FetchExpression, _ place: String) throws(StoreError) {
    guard isGrouped, !groupExpressions.contains(expression) else { return }
    switch expression {
    case .constant, .object, .variable: return
    case .function(let function, let operands) where function.isAggregate:
      if operands.contains(where: \.hasAggregate) {
        throw .failure("\(place) has an aggregate inside of an aggregate: \(expression)")
      }
    case .keyPath, .selfObject, .collection, .path, .subquery:
      throw .failure("\(place) has \(expression), which is neither grouped by nor inside of an aggregate")
    default:
      for part in expression.operands { try checkGrouping(part, place) }
      if case .conditional(let predicate, _, _) = expression { try checkGrouping(predicate) }
    }
  }
}

extension StoreError {
  /// Runs a check of a predicate or expression; its error becomes a failure of the request.
  fileprivate static func fromCheck(_ check: () throws(PredicateCheckError) -> Void) throws(StoreError) {
    do {
      try check()
    } catch {
      throw .failure(error.message)
    }
  }
}
