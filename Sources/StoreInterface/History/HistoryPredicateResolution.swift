import ObjectModel
import Predicates

/// Replaces `changedObjectID` and `updatedProperties` in predicates by the properties that stores keep.
struct HistoryPredicateResolution {
  /// The number of an object's entity and the primary key; nil for objects that do not belong to the store.
  let place: (ObjectID) -> (entityNumber: Int64, primaryKey: Int64)?

  private static let objectID = "changedObjectID"
  private static let properties = "updatedProperties"

  func resolve(_ predicate: FetchPredicate) throws -> FetchPredicate { try resolved(predicate.generalized) }

  private func resolved(_ predicate: FetchPredicate) throws -> FetchPredicate {
    switch predicate {
    case .and(let parts): return .and(try parts.map(resolved))
    case .or(let parts): return .or(try parts.map(resolved))
    case .not(let part): return .not(try resolved(part))
    case .compare(let comparison):
      if let special = special(comparison) ?? comparison.exchanged.flatMap(special) { return special }
      let left = try checked(comparison.left)
      let right = try checked(comparison.right)
      return .compare(
        FetchPredicate.Comparison(
          left, comparison.comparisonOperator, right, modifier: comparison.modifier, options: comparison.options))
    default: return predicate
    }
  }

  /// Checks that the rest of an expression names neither of the two.
  private func checked(_ expression: FetchExpression) throws -> FetchExpression {
    if case .keyPath(let path) = expression { try check(path) }
    if case .path(_, let path) = expression { try check(path) }
    if case .collection(_, _, let path) = expression { try check(path) }
    return try expression.mappingParts({ try checked($0) }, predicates: { try resolved($0) })
  }

  private func check(_ path: FetchPredicate.KeyPath) throws {
    if path.contains(Self.objectID) {
      throw StoreError.unsupported("\(Self.objectID) can be compared with object ids by =, != and IN alone")
    }
    if path.contains(Self.properties) {
      throw StoreError.unsupported(
        "of \(Self.properties) can be asked alone whether it CONTAINS the name of a property, or whether a name is IN it"
      )
    }
  }

  /// A comparison that is about one of the two, as stores have it; nil for any other.
  private func special(_ comparison: FetchPredicate.Comparison) -> FetchPredicate? {
    guard comparison.options.isEmpty else { return nil }
    switch comparison.left {
    case .keyPath([Self.objectID]): return identity(comparison)
    case .keyPath([Self.properties]): return membership(comparison)
    case .constant(.string(let name)):
      guard comparison.comparisonOperator == .isIn, comparison.right == .keyPath([Self.properties]) else { return nil }
      return named(name)
    default: return nil
    }
  }

  private func identity(_ comparison: FetchPredicate.Comparison) -> FetchPredicate? {
    switch (comparison.comparisonOperator, comparison.right) {
    case (.equal, .object(let id)): return isOne(of: [id])
    case (.notEqual, .object(let id)): return .not(isOne(of: [id]))
    case (.isIn, .aggregate(let elements)):
      let ids = elements.compactMap { element in
        if case .object(let id) = element { return id }
        return nil
      }
      return ids.count == elements.count ? isOne(of: ids) : nil
    default: return nil
    }
  }

  private func isOne(of ids: [ObjectID]) -> FetchPredicate {
    var keys: [Int64: [Value]] = [:]
    for case (let number, let key)? in ids.map(place) { keys[number, default: []].append(.integer(key)) }
    return .or(
      keys.sorted { $0.key < $1.key }.map { number, keys in
        .and([
          .comparison([PersistentHistoryModel.entityNumberName], .equal, .integer(number)),
          .isIn([PersistentHistoryModel.primaryKeyName], keys),
        ])
      })
  }

  private func membership(_ comparison: FetchPredicate.Comparison) -> FetchPredicate? {
    switch (comparison.comparisonOperator, comparison.modifier, comparison.right) {
    case (.contains, .direct, .constant(.string(let name))), (.equal, .any, .constant(.string(let name))):
      return named(name)
    case (.isIn, .any, .aggregate(let elements)):
      let names = elements.compactMap { element in
        if case .constant(.string(let name)) = element { return name }
        return nil
      }
      return names.count == elements.count ? .or(names.map(named)) : nil
    case (.equal, .direct, .constant(.null)), (.notEqual, .direct, .constant(.null)):
      return .compare(comparison)
    default: return nil
    }
  }

  private func named(_ property: String) -> FetchPredicate {
    let separator = PersistentHistoryModel.nameSeparator
    return .comparison(["updatedProperties"], .contains, .string(separator + property + separator))
  }
}

extension FetchPredicate.Comparison {
  /// The same comparison with its operands exchanged, where that has the same meaning.
  fileprivate var exchanged: Self? {
    guard modifier == .direct, comparisonOperator == .equal || comparisonOperator == .notEqual else { return nil }
    return Self(right, comparisonOperator, left, options: options)
  }
}
