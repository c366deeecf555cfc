package import Foundation
import ObjectModel

/// Computes expressions and predicates for one object, or for a group of objects: the readable reference.
package struct ExpressionEvaluator<Subject: PredicateSubject> {
  /// The object itself; nil for a group without objects, where every key path is missing.
  private let subject: Subject?
  /// The objects whose values aggregates work on; nil outside of groups.
  private let group: [Subject]?
  /// The value of `now()`.
  private let now: Date
  /// The values of the variables of enclosing subqueries.
  private var variables: [String: ExpressionValue] = [:]

  /// An evaluator for one object.
  package init(_ subject: Subject, now: Date) {
    self.init(subject: subject, group: nil, now: now)
  }

  /// An evaluator for one object, where variables stand for something outside of subqueries too.
  package init(_ subject: Subject, variables: [String: ExpressionValue], now: Date) {
    self.init(subject: subject, group: nil, now: now)
    self.variables = variables
  }

  /// An evaluator for a group. Key paths outside of aggregates are those of its first object.
  package init(group: [Subject], now: Date) {
    self.init(subject: group.first, group: group, now: now)
  }

  /// An evaluator for expressions that are the same for every object.
  package init(now: Date) {
    self.init(subject: nil, group: nil, now: now)
  }

  private init(subject: Subject?, group: [Subject]?, now: Date) {
    self.subject = subject
    self.group = group
    self.now = now
  }

  // MARK: - Predicates

  package func holds(_ predicate: FetchPredicate) -> Bool {
    switch predicate {
    case .compare(let comparison): comparison.holds(value(comparison.left), value(comparison.right))
    case .and(let parts): parts.allSatisfy { holds($0) }
    case .or(let parts): parts.contains { holds($0) }
    case .not(let part): !holds(part)
    default: subject.map { predicate.holdsCompactly(for: $0) } ?? holds(predicate.generalized)
    }
  }

  // MARK: - Expressions

  package func value(_ expression: FetchExpression) -> ExpressionValue {
    switch expression {
    case .constant(let value): return .value(value)
    case .object(let objectID): return .object(objectID)
    case .aggregate(let elements): return .list(elements.flatMap { value($0).elements })
    case .selfObject: return subject.map { .object($0.objectID) } ?? .missing
    case .variable(let name): return variables[name] ?? .missing
    case .keyPath(let path): return values(at: path, from: [subject], isList: false)
    case .path(let base, let path):
      let base = value(base)
      return values(at: path, from: base.elements.map { related($0) }, isList: base.isList)
    case .collection(let collector, let base, let path): return collected(collector, base, path)
    case .element(let base, let position): return element(value(base).elements, position)
    case .function(let function, let operands): return self.function(function, operands)
    case .subquery(let base, let variable, let predicate):
      var inner = self
      return .list(
        value(base).elements.filter { element in
          inner.variables[variable] = element
          return inner.holds(predicate)
        })
    case .conditional(let predicate, let first, let second): return value(holds(predicate) ? first : second)
    case .cast(let operand, let type): return .value(type.convert(value(operand).plainValue))
    case .set(let operation, let left, let right):
      return .list(operation.combine(value(left).elements, value(right).elements))
    }
  }

  private func related(_ value: ExpressionValue) -> Subject? {
    guard case .object(let objectID) = value else { return nil }
    if objectID == subject?.objectID { return subject }
    return subject?.subject(for: objectID)
  }

  /// Follows a key path from objects; nil among them is a relationship that led nowhere. Such a one has no members.
  private func values(at path: FetchPredicate.KeyPath, from start: [Subject?], isList: Bool) -> ExpressionValue {
    var here = start
    var isList = isList
    // The entity of the owners by the model, needed when all owners are missing.
    var entity = (start.lazy.compactMap { $0 }.first ?? subject)?.objectID.entity
    if let end = entity.flatMap({ ObjectTrait.end(of: path, from: $0) }) {
      return trait(end.trait, at: end.owner, from: start, isList: isList)
    }
    if let end = entity.flatMap({ ValueTrait.end(of: path, from: $0) }) {
      let owners = values(at: end.owner, from: start, isList: isList)
      return owners.isList
        ? .list(owners.elements.map { end.function.apply(to: [$0]) }) : end.function.apply(to: [owners])
    }
    var rest = path[...]
    // A name that is no relationship is a composite attribute, and the rest of the path leads into it.
    while rest.count > 1, let name = rest.first, entity.map({ $0.relationship(name) != nil }) ?? true {
      rest.removeFirst()
      var next: [Subject?] = []
      let isToMany = entity?.relationship(name)?.isToMany ?? false
      isList = isList || isToMany
      for owner in here {
        if isToMany {
          if let owner { next += owner.members(of: name).map { owner.subject(for: $0) } }
        } else {
          next.append(owner?.destination(at: [name]).flatMap { owner?.subject(for: $0) })
        }
      }
      here = next
      entity = entity?.relationship(name)?.destination
    }
    guard let last = rest.first else { return .missing }
    let relationship = rest.count == 1 ? entity?.relationship(last) : nil
    var found: [ExpressionValue] = []
    for owner in here {
      if relationship?.isToMany == true {
        if let owner { found += owner.members(of: last).map { .object($0) } }
      } else if relationship != nil {
        found.append(owner?.destination(at: [last]).map { .object($0) } ?? .missing)
      } else {
        found.append(.value(owner?.value(at: Array(rest)) ?? .null))
      }
    }
    isList = isList || relationship?.isToMany == true
    return isList ? .list(found) : found.first ?? .missing
  }

  /// The trait of the objects that a key path leads to.
  private func trait(
    _ trait: ObjectTrait, at path: FetchPredicate.KeyPath, from start: [Subject?], isList: Bool
  ) -> ExpressionValue {
    let owners =
      if path.isEmpty {
        isList
          ? ExpressionValue.list(start.map { $0.map { .object($0.objectID) } ?? .missing })
          : start.first.flatMap { $0 }.map { .object($0.objectID) } ?? .missing
      } else {
        values(at: path, from: start, isList: isList)
      }
    if trait == .identity { return owners }
    let names = owners.elements.map { owner in
      ExpressionValue.value(related(owner).map { .string($0.objectID.entity.name) } ?? .null)
    }
    return owners.isList ? .list(names) : names.first ?? .missing
  }

  private func collected(
    _ collector: FetchExpression.CollectionOperator, _ base: FetchExpression, _ path: FetchPredicate.KeyPath
  )
    -> ExpressionValue
  {
    let list = value(path.isEmpty ? base : .path(of: base, path)).elements
    if let function = collector.function { return function.apply(to: [.list(list)]) }
    return .list(list.filter { !$0.isMissing })
  }

  private func element(_ elements: [ExpressionValue], _ position: FetchExpression.Position) -> ExpressionValue {
    position.element(of: elements, index: { value($0) }, count: { .value(.integer(Int64($0))) }) ?? .missing
  }

  private func function(_ function: FetchExpression.Function, _ operands: [FetchExpression]) -> ExpressionValue {
    if function == .now { return .value(.date(now)) }
    if function.isAggregate, let group, variables.isEmpty, let operand = operands.first {
      return function.apply(to: [.list(values(of: operand, in: group))])
    }
    return function.apply(to: operands.map { value($0) })
  }

  /// The operand's values of all objects. A function that gives a list works on these, and not on those of one object.
  private func values(of operand: FetchExpression, in group: [Subject]) -> [ExpressionValue] {
    if case .function(let function, let operands) = operand, function.isOfLists, !function.isAggregate,
      operands.count == 1
    {
      return function.apply(to: [.list(values(of: operands[0], in: group))]).elements
    }
    return group.flatMap { ExpressionEvaluator($0, now: now).value(operand).elements }
  }
}

extension ExpressionValue {
  var isList: Bool {
    if case .list = self { return true }
    return false
  }
}

extension FetchExpression.SetOperation {
  func combine(_ left: [ExpressionValue], _ right: [ExpressionValue]) -> [ExpressionValue] {
    var seen: Set<ValueKey> = []
    let other = Set(right.map { ValueKey($0) })
    let all =
      switch self {
      case .union: left + right
      case .intersect: left.filter { other.contains(ValueKey($0)) }
      case .minus: left.filter { !other.contains(ValueKey($0)) }
      }
    return all.filter { seen.insert(ValueKey($0)).inserted }
  }
}
