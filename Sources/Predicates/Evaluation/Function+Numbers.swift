import Foundation
import ObjectModel

extension FetchExpression.Function {
  func applyToNumbers(_ operands: [Value]) -> Value {
    let integers = operands.compactMap(\.wholeNumber)
    if integers.count == operands.count, let exact = applyToIntegers(integers) { return exact }
    let reals = operands.compactMap(\.real)
    if reals.count < operands.count { return .null }
    return .finite(applyToReals(reals))
  }

  /// Nil where the result is no 64-bit integer.
  private func applyToIntegers(_ operands: [Int64]) -> Value? {
    let first = operands[0]
    let second = operands.count > 1 ? operands[1] : 0
    func exact(_ result: (partialValue: Int64, overflow: Bool)) -> Value? {
      result.overflow ? nil : .integer(result.partialValue)
    }
    switch self {
    case .add: return exact(first.addingReportingOverflow(second))
    case .subtract: return exact(first.subtractingReportingOverflow(second))
    case .multiply: return exact(first.multipliedReportingOverflow(by: second))
    case .divide: return second == 0 ? .null : exact(first.dividedReportingOverflow(by: second))
    case .modulus:
      return second == 0 ? .null : .integer(first.remainderReportingOverflow(dividingBy: second).partialValue)
    case .absolute: return first == .min ? nil : .integer(abs(first))
    case .ceiling, .floor, .truncate: return .integer(first)
    case .bitwiseAnd: return .integer(first & second)
    case .bitwiseOr: return .integer(first | second)
    case .bitwiseXor: return .integer(first ^ second)
    case .leftShift: return .integer(first << second)
    case .rightShift: return .integer(first >> second)
    case .onesComplement: return .integer(~first)
    default: return nil
    }
  }

  /// Not a number where there is no result.
  private func applyToReals(_ operands: [Double]) -> Double {
    let first = operands[0]
    let second = operands.count > 1 ? operands[1] : 0
    switch self {
    case .add: return first + second
    case .subtract: return first - second
    case .multiply: return first * second
    case .divide: return second == 0 ? .nan : first / second
    case .modulus:
      let divisor = second.rounded(.towardZero)
      return divisor == 0 ? .nan : first.rounded(.towardZero).truncatingRemainder(dividingBy: divisor)
    case .power: return pow(first, second)
    case .absolute: return abs(first)
    case .squareRoot: return first < 0 ? .nan : first.squareRoot()
    case .naturalLogarithm: return first <= 0 ? .nan : log(first)
    case .logarithm: return first <= 0 ? .nan : log10(first)
    case .exponential: return exp(first)
    case .ceiling: return first.rounded(.up)
    case .floor: return first.rounded(.down)
    case .truncate: return first.rounded(.towardZero)
    default: return .nan
    }
  }
}

extension Value {
  /// An integer, or a boolean as 0 and 1.
  package var wholeNumber: Int64? {
    switch self {
    case .integer(let value): value
    case .boolean(let value): value ? 1 : 0
    default: nil
    }
  }

  /// A number or a date as a double; nil for what is no number.
  package var real: Double? {
    switch self {
    case .integer(let value): return Double(value)
    case .boolean(let value): return value ? 1 : 0
    case .double(let value): return value.isNaN ? nil : value
    case .decimal(let value): return value.isNaN ? nil : Double(value.description)
    case .date(let value): return isMissing ? nil : value.timeIntervalSinceReferenceDate
    default: return nil
    }
  }

  /// The double, or nothing when it is not a number.
  static func finite(_ value: Double) -> Value { value.isNaN ? .null : .double(value) }
}
