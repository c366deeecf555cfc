import Foundation
import ObjectModel
import Predicates

extension FetchRequestSettings.Values {
  /// The types that the request states for values of its dictionaries, by their keys.
  var statedResultTypes: [String: AttributeType] {
    (propertiesToFetch ?? []).reduce(into: [:]) { types, property in
      guard let description = property as? ExpressionDescription, description.expressionResultType != .undefined
      else { return }
      types[description.name] = description.expressionResultType
    }
  }
}

extension [String: ExpressionValue] {
  /// The values as programs get them, those of stated types as these.
  func anyValues(_ types: [String: AttributeType]) -> [String: Any] {
    if types.isEmpty { return compactMapValues(\.anyValue) }
    return reduce(into: [:]) { values, entry in
      if case .value(let value) = entry.value, let type = types[entry.key] {
        values[entry.key] = type.converted(value).anyValue
      } else {
        values[entry.key] = entry.value.anyValue
      }
    }
  }
}

extension AttributeType {
  /// The value as one of this type; as it is where it cannot be one.
  fileprivate func converted(_ value: Value) -> Value {
    let cast: FetchExpression.CastType
    switch self {
    case .integer16, .integer32, .integer64:
      // As Foundation's numbers do, without the fraction.
      guard let real = value.fraction, let whole = Int64(exactly: real.rounded(.towardZero)) else { return value }
      return .integer(whole)
    case .double, .float:
      if case .integer(let number) = value { return .double(Double(number)) }
      return value.fraction.map { .double($0) } ?? value
    case .boolean:
      if case .integer(let number) = value { return .boolean(number != 0) }
      return value
    case .decimal: cast = .decimalNumber
    case .string: cast = .string
    case .date: cast = .date
    default: return value
    }
    let converted = cast.convert(value)
    return converted == .null ? value : converted
  }
}

extension Value {
  /// A number that may have a fraction; nil of any other value.
  fileprivate var fraction: Double? {
    switch self {
    case .double(let number): number
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    default: nil
    }
  }
}
