public import ObjectModel

extension FetchPredicate.Comparison {
  /// Whether the comparison holds between what its operands give.
  public func holds(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
    switch modifier {
    case .direct: holdsDirectly(left, right)
    case .any: left.elements.contains { holdsDirectly($0, right) }
    case .all: left.elements.allSatisfy { holdsDirectly($0, right) }
    }
  }

  private func holdsDirectly(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
    switch comparisonOperator {
    case .equal: return areEqual(left, right)
    case .notEqual: return !areEqual(left, right)
    case .less: return order(left, right).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(left, right).map { $0 <= 0 } ?? false
    case .greater: return order(left, right).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(left, right).map { $0 >= 0 } ?? false
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2, let low = order(left, bounds[0]),
        let high = order(left, bounds[1])
      else { return false }
      return low >= 0 && high <= 0
    case .isIn:
      if case .list(let elements) = right { return elements.contains { areEqual(left, $0) } }
      return texts(right, left).map { FetchPredicate.PlainOperator.contains.holds(.string($0), .string($1)) } ?? false
    case .contains:
      if case .list(let elements) = left { return elements.contains { areEqual($0, right) } }
      return texts(left, right).map { FetchPredicate.PlainOperator.contains.holds(.string($0), .string($1)) } ?? false
    case .beginsWith:
      return texts(left, right).map { FetchPredicate.PlainOperator.beginsWith.holds(.string($0), .string($1)) } ?? false
    case .endsWith:
      return texts(left, right).map { FetchPredicate.PlainOperator.endsWith.holds(.string($0), .string($1)) } ?? false
    case .like: return texts(left, right).map { TextPattern.isLike($0, $1) } ?? false
    case .matches:
      guard let text = left.text, let pattern = right.text else { return false }
      return TextPattern.matches(text, pattern, options: options)
    }
  }

  /// Both texts as the options leave them for a search; nil unless both sides are text.
  private func texts(_ left: ExpressionValue, _ right: ExpressionValue) -> (String, String)? {
    guard let left = left.text, let right = right.text else { return nil }
    return (
      TextFolding.prepare(left, options, isSearch: true), TextFolding.prepare(right, options, isSearch: true)
    )
  }

  private func areEqual(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
    if !options.isEmpty, let left = left.text, let right = right.text {
      return TextFolding.prepare(left, options, isSearch: false).utf8
        .elementsEqual(TextFolding.prepare(right, options, isSearch: false).utf8)
    }
    return left.isEqual(to: right)
  }

  /// Nil when either is missing, no plain value, or of another kind.
  private func order(_ left: ExpressionValue, _ right: ExpressionValue) -> Int? {
    guard case .value(let leftValue) = left, case .value(let rightValue) = right else { return nil }
    if !options.isEmpty, !options.contains(.normalized), let left = leftValue.text, let right = rightValue.text {
      if options.contains(.localized) { return LocalizedOrder.compare(left, right, options: options) }
      return Value.string(TextFolding.fold(left, options: options))
        .compared(to: .string(TextFolding.fold(right, options: options)))
    }
    return leftValue.compared(to: rightValue)
  }
}

extension ExpressionValue {
  /// The elements of a list; a list of one of anything else.
  public var elements: [ExpressionValue] {
    if case .list(let elements) = self { return elements }
    return [self]
  }

  /// Equality as predicates see it: values by `Value.isEqual(to:)`, objects by identity, lists element by element.
  public func isEqual(to other: ExpressionValue) -> Bool {
    switch (self, other) {
    case (.value(let left), .value(let right)): left.isEqual(to: right)
    case (.object(let left), .object(let right)): left == right
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { left, right in left.isEqual(to: right) }
    default: false
    }
  }

  /// The plain value; null for anything else.
  public var plainValue: Value {
    if case .value(let value) = self { return value }
    return .null
  }

  var text: String? { plainValue.text }
}

/// An expression's value as a key of dictionaries and sets: equal by `ExpressionValue.isEqual(to:)`.
package struct ValueKey: Hashable {
  package let value: ExpressionValue

  package init(_ value: ExpressionValue) {
    self.value = value
  }

  package static func == (left: ValueKey, right: ValueKey) -> Bool { left.value.isEqual(to: right.value) }

  package func hash(into hasher: inout Hasher) {
    switch value {
    case .value(let value): value.hashByEquality(into: &hasher)
    case .object(let objectID): hasher.combine(objectID)
    case .list(let elements): for element in elements { ValueKey(element).hash(into: &hasher) }
    }
  }
}
