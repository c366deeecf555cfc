import Foundation
import ObjectModel

extension FetchExpression.Function {
  /// The function of these operands; `now` is missing here, since it has none.
  public func apply(to operands: [ExpressionValue]) -> ExpressionValue {
    guard operands.count == operandCount, let first = operands.first else { return .missing }
    if isOfLists { return applyToList(first.elements.filter { !$0.isMissing }) }
    switch self {
    case .indexed, .noIndex: return first
    case .uppercase, .lowercase, .canonical, .length, .append:
      return .value(applyToText(operands.map(\.plainValue)))
    case .year, .month, .day, .hour, .minute, .second, .weekday, .startOfDay:
      return .value(applyToDate(first.plainValue))
    default: return .value(applyToNumbers(operands.map(\.plainValue)))
    }
  }

  // MARK: - Lists

  private func applyToList(_ elements: [ExpressionValue]) -> ExpressionValue {
    let values = elements.map(\.plainValue)
    switch self {
    case .count: return .value(.integer(Int64(elements.count)))
    case .minimum: return values.min { Value.sortOrder($0, $1) < 0 }.map { .value($0) } ?? .missing
    case .maximum: return values.max { Value.sortOrder($0, $1) < 0 }.map { .value($0) } ?? .missing
    case .distinct:
      var seen: Set<ValueKey> = []
      return .list(elements.filter { seen.insert(ValueKey($0)).inserted })
    case .mode: return .list(Self.mostFrequent(elements))
    case .sum: return .value(Self.sum(values))
    default: return .value(.finite(statistic(values.compactMap(\.real))))
    }
  }

  private static func sum(_ values: [Value]) -> Value {
    let integers = values.compactMap(\.wholeNumber)
    if integers.count == values.count(where: { $0.real != nil }) {
      var sum: Int64 = 0
      let hasOverflow = integers.contains { value in
        let result = sum.addingReportingOverflow(value)
        sum = result.partialValue
        return result.overflow
      }
      if !hasOverflow { return .integer(sum) }
    }
    return .finite(values.compactMap(\.real).reduce(0, +))
  }

  private func statistic(_ numbers: [Double]) -> Double {
    if numbers.isEmpty { return .nan }
    let count = Double(numbers.count)
    let mean = numbers.reduce(0, +) / count
    switch self {
    case .average: return mean
    case .median:
      let sorted = numbers.sorted()
      let middle = sorted.count / 2
      return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    default: return (numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count).squareRoot()
    }
  }

  private static func mostFrequent(_ elements: [ExpressionValue]) -> [ExpressionValue] {
    let counts = elements.reduce(into: [ValueKey: Int]()) { $0[ValueKey($1), default: 0] += 1 }
    let greatest = counts.values.max() ?? 0
    return counts.filter { $0.value == greatest }.map(\.key.value)
      .sorted { Value.sortOrder($0.plainValue, $1.plainValue) < 0 }
  }

  // MARK: - Text and dates

  private func applyToText(_ operands: [Value]) -> Value {
    guard let text = operands[0].text else { return .null }
    switch self {
    case .uppercase: return .string(text.uppercased())
    case .lowercase: return .string(text.lowercased())
    case .canonical: return .string(TextFolding.canonical(text))
    case .length: return .integer(Int64(text.unicodeScalars.count))
    default: return operands[1].text.map { .string(text + $0) } ?? .null
    }
  }

  private func applyToDate(_ operand: Value) -> Value {
    // Calendars have no dates beyond these.
    guard let seconds = operand.real, abs(seconds) < 1e11 else { return .null }
    var calendar = Calendar(identifier: .gregorian)
    guard let zone = TimeZone(secondsFromGMT: 0) else { return .null }
    calendar.timeZone = zone
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    if self == .startOfDay {
      return .date(Date(timeIntervalSinceReferenceDate: (seconds / 86_400).rounded(.down) * 86_400))
    }
    let component: Calendar.Component =
      switch self {
      case .year: .year
      case .month: .month
      case .day: .day
      case .hour: .hour
      case .minute: .minute
      case .second: .second
      default: .weekday
      }
    return .integer(Int64(calendar.component(component, from: date)))
  }
}
