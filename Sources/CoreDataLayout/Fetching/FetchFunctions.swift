import Foundation
import ObjectModel
import Predicates
import SQLite

/// The SQL functions and the collation that fetches use, and how they are called. Each does what the in-memory store
/// does, with the same code.
enum FetchFunctions {
  static let apply = "seedbed_apply"
  static let median = "seedbed_median"
  static let standardDeviation = "seedbed_stddev"
  /// Collation of localised standard order.
  static let localized = "seedbed_localized"

  /// What folding the options ask for; nil for none.
  static func folding(
    _ options: FetchPredicate.Comparison.Options, isSearch: Bool
  ) -> FetchPredicate.Comparison.Options? {
    if options.contains(.normalized) { return nil }
    if isSearch && options.contains(.localized) { return [.caseInsensitive, .diacriticInsensitive] }
    let folding = options.intersection([.caseInsensitive, .diacriticInsensitive])
    return folding.isEmpty ? nil : folding
  }

  static func folded(_ text: String, _ options: FetchPredicate.Comparison.Options) -> String {
    "seedbed_fold(\(text), \(options.rawValue))"
  }

  static func compared(
    _ left: String, _ right: String, _ options: FetchPredicate.Comparison.Options
  ) -> String { "seedbed_compare(\(left), \(right), \(options.rawValue))" }

  static func liked(_ text: String, _ pattern: String) -> String { "seedbed_like(\(text), \(pattern))" }

  static func matched(
    _ text: String, _ pattern: String, _ options: FetchPredicate.Comparison.Options
  ) -> String { "seedbed_matches(\(text), \(pattern), \(options.rawValue))" }

  /// Registers them on a connection.
  static func register(on connection: Connection) throws(SQLiteError) {
    try registerText(on: connection)
    try connection.registerFunction(apply, argumentCount: -1, isDeterministic: true) { arguments in
      guard arguments.count > 0, case .text(let name) = arguments[0], let function = FetchSQL.Function(rawValue: name)
      else {
        return .null
      }
      let operands = (1..<arguments.count).map { ExpressionValue.value(value(arguments[$0])) }
      guard case .value(let result) = function.apply(to: operands) else { return .null }
      return functionValue(result)
    }
    try connection.registerAggregate(median) { values in
      functionValue(reduce(.median, values))
    }
    try connection.registerAggregate(standardDeviation) { values in
      functionValue(reduce(.standardDeviation, values))
    }
    unsafe try connection.registerCollation(localized) { left, right in
      unsafe LocalizedOrder.compare(left, right)
    }
  }

  private static func registerText(on connection: Connection) throws(SQLiteError) {
    try connection.registerFunction("seedbed_fold", argumentCount: 2, isDeterministic: true) { arguments in
      guard case .text(let text) = arguments[0] else { return .null }
      return .text(TextFolding.fold(text, options: options(arguments[1])))
    }
    try connection.registerFunction("seedbed_compare", argumentCount: 3, isDeterministic: true) { arguments in
      guard case .text(let left) = arguments[0], case .text(let right) = arguments[1] else { return .null }
      return .integer(Int64(LocalizedOrder.compare(left, right, options: options(arguments[2]))))
    }
    try connection.registerFunction("seedbed_like", argumentCount: 2, isDeterministic: true) { arguments in
      guard case .text(let text) = arguments[0], case .text(let pattern) = arguments[1] else { return .null }
      return .integer(TextPattern.isLike(text, pattern) ? 1 : 0)
    }
    var compiled = MatchCache()
    try connection.registerFunction("seedbed_matches", argumentCount: 3, isDeterministic: true) { arguments in
      guard case .text(let text) = arguments[0], case .text(let pattern) = arguments[1] else { return .null }
      return .integer(try compiled.matches(text, pattern, options(arguments[2])) ? 1 : 0)
    }
  }

  private static func options(_ value: FunctionValue) -> FetchPredicate.Comparison.Options {
    guard case .integer(let bits) = value else { return [] }
    return FetchPredicate.Comparison.Options(rawValue: UInt8(truncatingIfNeeded: bits))
  }

  private static func reduce(_ function: FetchSQL.Function, _ values: [FunctionValue]) -> Value {
    function.apply(to: [.list(values.map { .value(value($0)) })]).plainValue
  }

  private static func value(_ value: FunctionValue) -> Value {
    switch value {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .double(number)
    case .text(let text): .string(text)
    case .blob(let bytes): .data(Data(bytes))
    }
  }

  private static func functionValue(_ value: Value) -> FunctionValue {
    switch value {
    case .integer(let number): .integer(number)
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .double(let number): .real(number)
    case .date(let date): .real(date.timeIntervalSinceReferenceDate)
    case .string(let text): .text(text)
    default: .null
    }
  }
}

/// The regular expression of the last call: a statement asks for the same one row after row.
private struct MatchCache {
  private var pattern: String?
  private var options: FetchPredicate.Comparison.Options = []
  private var expression: TextPattern.Matcher?

  mutating func matches(
    _ text: String, _ pattern: String, _ options: FetchPredicate.Comparison.Options
  ) throws(UndecidedMatchError) -> Bool {
    if self.pattern != pattern || self.options != options {
      self.pattern = pattern
      self.options = options
      expression = TextPattern.Matcher(pattern, options: options)
    }
    return try expression?.decided(text) ?? false
  }
}
