public import Foundation
public import ObjectModel

extension FetchPredicate {
  /// Whether the subject meets the predicate: the reference for what every case means.
  /// - Parameter now: what `now()` stands for.
  /// - Complexity: linear in the size of the predicate, lists included. `PredicateMatcher` is the fast twin.
  public func evaluate(with subject: some PredicateSubject, now: Date = Date()) -> Bool {
    ExpressionEvaluator(subject, now: now).holds(self)
  }

  /// The compact cases.
  func holdsCompactly(for subject: some PredicateSubject) -> Bool {
    switch self {
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
    case .block(let block): block.holds(for: subject.evaluatedObject)
    case .all: true
    case .none, .compare, .and, .or, .not: false
    }
  }
}

extension FetchExpression {
  /// The value of the expression for the subject. This is the reference for the meaning of every case.
  /// - Parameter now: what `now()` stands for.
  public func evaluate(with subject: some PredicateSubject, now: Date = Date()) -> ExpressionValue {
    ExpressionEvaluator(subject, now: now).value(self)
  }
}

extension FetchPredicate.PlainOperator {
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
