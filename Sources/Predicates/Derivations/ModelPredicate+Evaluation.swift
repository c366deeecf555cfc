package import ObjectModel

extension ModelPredicate {
  /// Whether a row meets the condition as it does in a schema, where a comparison with a missing value is neither true
  /// nor false: `total <> 5` does not find rows without a total, and neither does its negation.
  package func holds(for value: (String) -> Value) -> Bool { truth(value) == true }

  /// Nil where the outcome is unknown.
  private func truth(_ value: (String) -> Value) -> Bool? {
    switch self {
    case .constant(let constant): return constant
    case .comparison(let keyPath, let sign, .null): return value(keyPath).isMissing == (sign == "=")
    case .comparison(let keyPath, let sign, let literal):
      return literal.order(of: value(keyPath)).map { Self.meets($0, sign) }
    case .between(let keyPath, let low, let high):
      let value = value(keyPath)
      guard let above = low.order(of: value), let below = high.order(of: value) else { return nil }
      return above >= 0 && below <= 0
    case .isIn(let keyPath, let literals):
      let value = value(keyPath)
      if value.isMissing { return literals.isEmpty ? false : nil }
      return literals.contains { $0.order(of: value) == 0 }
    case .not(let part): return part.truth(value).map { !$0 }
    case .and(let parts):
      let truths = parts.map { $0.truth(value) }
      return truths.contains(false) ? false : (truths.contains(nil) ? nil : true)
    case .or(let parts):
      let truths = parts.map { $0.truth(value) }
      return truths.contains(true) ? true : (truths.contains(nil) ? nil : false)
    }
  }

  private static func meets(_ order: Int, _ sign: String) -> Bool {
    switch sign {
    case "=": order == 0
    case "<>": order != 0
    case "<": order < 0
    case "<=": order <= 0
    case ">": order > 0
    default: order >= 0
    }
  }
}

extension ModelPredicate.Literal {
  /// How a value compares with the literal, which takes the column's form where it can; nil for a missing value.
  fileprivate func order(of value: Value) -> Int? {
    if value.isMissing { return nil }
    let other: Value
    switch self {
    case .null: return nil
    case .number(let text): other = value.text != nil ? .string(text) : Self.number(text) ?? .string(text)
    case .text(let text): other = value.real != nil ? Self.number(text) ?? .string(text) : .string(text)
    }
    return Value.sortOrder(value, other)
  }

  private static func number(_ text: String) -> Value? {
    Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
  }
}
