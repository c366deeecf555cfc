import ObjectModel
import Predicates

extension FetchSQL {
  /// `ANY terms.word BEGINSWITH 'ap'` as the owners of the members that an index finds. With `EXISTS`, which all other
  /// predicates over members become, SQLite would read each object of the table and its members.
  /// - Parameter parts: all that must hold of an object. Where one of them leaves few objects, these are looked at.
  /// - Returns: nil where the part is not of this kind.
  mutating func ownersCondition(_ part: FetchPredicate, among parts: [FetchPredicate]) throws -> String? {
    guard case .compare(let comparison) = part, comparison.modifier == .any,
      [.equal, .beginsWith, .isIn].contains(comparison.comparisonOperator),
      comparison.options.subtracting(.normalized).isEmpty, FetchSQL.isGiven(comparison.right),
      case .keyPath(let path) = comparison.left, path.count == 2,
      let relationship = root.entity.relationship(path[0]), relationship.isToMany,
      FetchSQL.isIndexed(path[1], of: relationship.destination), !parts.contains(where: FetchSQL.leavesFew),
      case .list(let list) = try operand(comparison.left), list.conditions.count == 1,
      let owner = FetchSQL.owner(in: list.conditions[0])
    else { return nil }
    let right = try operand(comparison.right)
    let condition = try direct(.scalar(list.element), comparison.comparisonOperator, right, comparison.options)
    return "t0.Z_PK IN (SELECT \(owner) FROM \(scopes[list.scope].from) WHERE (\(condition)))"
  }

  /// Whether a value, or a list of values, is written out and none of them missing.
  private static func isGiven(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .constant(let value): !value.isMissing
    case .aggregate(let elements): !elements.isEmpty && elements.allSatisfy(isGiven)
    default: false
    }
  }

  /// Whether an index of the model begins with the attribute.
  private static func isIndexed(_ name: String, of entity: Entity) -> Bool {
    guard entity.attribute(name) != nil else { return false }
    var owner: Entity? = entity
    while let here = owner {
      if here.uniquenessConstraints.contains(where: { $0.first == name }) { return true }
      let indexes = here.definition.fetchIndexes.filter { $0.partialIndexPredicate == nil }
      if indexes.contains(where: { $0.elements.first?.content == .property(name) && $0.elements[0].kind == .binary }) {
        return true
      }
      owner = here.superentity
    }
    return false
  }

  /// Whether a part of a predicate is met by few objects as a rule.
  private static func leavesFew(_ part: FetchPredicate) -> Bool {
    switch part {
    case .comparison(_, .equal, _), .isIn, .tupleIsIn, .refersTo, .selfIsIn: true
    case .compare(let comparison):
      comparison.modifier == .direct && [.equal, .isIn].contains(comparison.comparisonOperator)
    default: false
    }
  }

  /// The SQL of the owner's key in the condition that joins members to their owner.
  private static func owner(in condition: String) -> String? {
    let end = " = t0.Z_PK"
    return condition.hasSuffix(end) ? String(condition.dropLast(end.count)) : nil
  }
}
