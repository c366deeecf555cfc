import Foundation

/// A value taken as a number.
enum RecordExpressionNumber {
  case integer(Int64)
  case double(Double)

  var value: RecordExpressionValue {
    switch self {
    case .integer(let integer): .integer(integer)
    case .double(let double): .double(double)
    }
  }

  var asDouble: Double {
    switch self {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    }
  }

  /// -1, 0 or 1; exact also between integers and Doubles. Neither is NaN.
  func order(_ other: RecordExpressionNumber) -> Int {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right ? -1 : (left == right ? 0 : 1)
    case (.double(let left), .double(let right)): left < right ? -1 : (left == right ? 0 : 1)
    case (.integer(let left), .double(let right)): Self.order(left, right)
    case (.double(let left), .integer(let right)): -Self.order(right, left)
    }
  }

  private static func order(_ integer: Int64, _ double: Double) -> Int {
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let whole = Int64(double)
    if integer != whole { return integer < whole ? -1 : 1 }
    let rest = double - double.rounded(.towardZero)
    return rest > 0 ? -1 : (rest < 0 ? 1 : 0)
  }
}

extension RecordExpressionValue {
  /// Whether the value is absent or null.
  public var isNull: Bool { self == .absent || self == .null }

  /// Absent, null or the empty text: what `??` replaces.
  public var isMissing: Bool { isNull || self == .string("") }

  /// The value as text: numbers in decimal, dates as ISO 8601 in UTC, `true` and `false`.
  @usableFromInline package func asText() throws(RecordExpressionFailure) -> String {
    switch self {
    case .string(let text): return text
    case .integer(let integer): return String(integer)
    case .double(let double): return String(double)
    case .decimal(let decimal): return "\(decimal)"
    case .boolean(let flag): return flag ? "true" : "false"
    case .date(let date): return DateText.iso8601(date)
    case .data: throw .typeMismatch("a file is no text")
    case .list: throw .typeMismatch("a list is no text")
    case .absent, .null: throw .typeMismatch("null is no text")
    }
  }

  func asNumber() throws(RecordExpressionFailure) -> RecordExpressionNumber {
    switch self {
    case .integer(let integer): return .integer(integer)
    case .double(let double):
      guard double.isFinite else { throw .notANumber(String(double)) }
      return .double(double)
    case .decimal(let decimal): return .double(NSDecimalNumber(decimal: decimal).doubleValue)
    case .string(let text):
      switch ParsedNumber.read(text) {
      case .integer(let integer): return .integer(integer)
      case .double(let double): return .double(double)
      case .outOfRange: throw .overflow(RecordExpressionFailure.quoted(text))
      case .notANumber: throw .notANumber(text)
      }
    case .boolean, .date, .data, .list, .absent, .null:
      throw .typeMismatch("\(kindName) is not a number")
    }
  }

  func asInteger(atLeast minimum: Int, _ what: String) throws(RecordExpressionFailure) -> Int {
    guard case .integer(let integer) = try asNumber(), integer >= minimum, let value = Int(exactly: integer) else {
      throw RecordExpressionFailure(
        code: "expression.bad-argument", message: "\(what) must be a whole number from \(minimum) on")
    }
    return value
  }

  /// The value as a truth value: booleans and the texts `true` and `false`; nil for null.
  @usableFromInline func truth() throws(RecordExpressionFailure) -> Bool? {
    switch self {
    case .boolean(let flag): return flag
    case .absent, .null: return nil
    case .string("true"): return true
    case .string("false"): return false
    case .string(let text):
      throw .typeMismatch(
        "\(RecordExpressionFailure.quoted(text)) is neither true nor false", hint: "compare it, such as field == \"1\"")
    case .integer, .double, .decimal, .date, .data, .list:
      throw .typeMismatch("\(kindName) is neither true nor false", hint: "compare it, such as field == 1")
    }
  }

  @usableFromInline func date(_ parser: DateParser) throws(RecordExpressionFailure) -> RecordExpressionValue {
    if case .date = self { return self }
    if isNull { return .null }
    let text = try asText()
    guard let seconds = parser.parse(text) else {
      let isOutside = parser.isOutsideCalendar(text)
      let guesses = isOutside ? [] : DateGuess.formats(of: text).map { "date(x, \"\($0)\")" }
      throw RecordExpressionFailure(
        code: "expression.not-a-date",
        message: "\(RecordExpressionFailure.quoted(text)) is no date"
          + (isOutside ? " of the calendar, in the format " : ": expected ") + parser.expectation,
        hint: parser.advice(forCount: text)?.replacing("date: epoch-ms reads", with: "date(x, \"epoch-ms\") reads")
          .replacing("date: epoch reads", with: "date(x, \"epoch\") reads")
          ?? (isOutside
            ? "mend the value, or raise rejects.limit"
            : guesses.isEmpty
              ? "give date() the format, such as date(x, \"dd/MM/yyyy\")"
              : guesses.joined(separator: " or ") + " reads it"))
    }
    return .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  private var kindName: String {
    switch self {
    case .absent, .null: "null"
    case .string: "a text"
    case .integer, .double, .decimal: "a number"
    case .boolean: "a boolean"
    case .date: "a date"
    case .data: "a file"
    case .list: "a list"
    }
  }

  /// Equality never yields null: null and absent equal each other and nothing else.
  @usableFromInline func equals(_ other: RecordExpressionValue) throws(RecordExpressionFailure) -> Bool {
    if isNull || other.isNull { return isNull && other.isNull }
    if case .string(let text) = self, ParsedNumber.read(text) == .notANumber, other.isNumber { return false }
    if case .string(let text) = other, ParsedNumber.read(text) == .notANumber, isNumber { return false }
    if let truths = truths(with: other) { return truths.0 == truths.1 }
    return try order(other) == 0
  }

  @usableFromInline func compared(
    _ operation: RecordExpression.BinaryOperator, with other: RecordExpressionValue
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    if isNull || other.isNull { return .null }
    let order = try order(other)
    switch operation {
    case .less: return .boolean(order < 0)
    case .lessOrEqual: return .boolean(order <= 0)
    case .greater: return .boolean(order > 0)
    default: return .boolean(order >= 0)
    }
  }

  private var isNumber: Bool {
    switch self {
    case .integer, .double, .decimal: true
    default: false
    }
  }

  /// Both truth values when one side is a boolean; text other than `true` and `false` equals neither.
  private func truths(with other: RecordExpressionValue) -> (String, String)? {
    func name(_ value: RecordExpressionValue) -> String? {
      switch value {
      case .boolean(let flag): flag ? "true" : "false"
      case .string(let text): text
      default: nil
      }
    }
    var isBoolean = false
    if case .boolean = self { isBoolean = true }
    if case .boolean = other { isBoolean = true }
    guard isBoolean, let left = name(self), let right = name(other) else { return nil }
    return (left, right)
  }

  /// -1, 0 or 1: texts by their UTF-8 bytes, numbers (and text beside a number) by value, dates by time.
  private func order(_ other: RecordExpressionValue) throws(RecordExpressionFailure) -> Int {
    if let exact = exactOrder(other) { return exact }
    switch (self, other) {
    case (.string(let left), .string(let right)):
      if left.utf8.elementsEqual(right.utf8) { return 0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    case (.date(let left), .date(let right)): return left < right ? -1 : (left == right ? 0 : 1)
    case (.string, _) where other.isNumber, (_, .string) where isNumber: return try asNumber().order(other.asNumber())
    case _ where isNumber && other.isNumber: return try asNumber().order(other.asNumber())
    default:
      throw .typeMismatch(
        "\(kindName) cannot be compared with \(other.kindName)",
        hint: "convert one of them with number(), text() or date()")
    }
  }

  /// The order of two numbers, one of which has more digits than a Double; nil for all others.
  private func exactOrder(_ other: RecordExpressionValue) -> Int? {
    func isLong(_ value: RecordExpressionValue) -> Bool {
      if case .decimal = value { return true }
      return false
    }
    guard isLong(self) || isLong(other), let left = try? asText(), let right = try? other.asText(),
      ParsedNumber.read(left) != .notANumber, ParsedNumber.read(right) != .notANumber,
      let first = ExactNumber.decimal(left), let second = ExactNumber.decimal(right)
    else { return nil }
    return first < second ? -1 : (first == second ? 0 : 1)
  }

  @usableFromInline func negated() throws(RecordExpressionFailure) -> RecordExpressionValue {
    if isNull { return .null }
    if case .decimal(let decimal) = self { return .decimal(-decimal) }
    switch try asNumber() {
    case .integer(let integer):
      guard integer != Int64.min else { throw .overflow("-\(integer)") }
      return .integer(-integer)
    case .double(let double): return .double(-double)
    }
  }

  /// Integers stay exact integers; a division that does not come out even, or a Double on a side, gives a Double.
  @usableFromInline func calculated(
    _ operation: RecordExpression.BinaryOperator, with other: RecordExpressionValue
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    if isNull || other.isNull { return .null }
    let left = try asNumber()
    let right = try other.asNumber()
    if operation == .divide || operation == .remainder, right.asDouble == 0 {
      throw RecordExpressionFailure(
        code: "expression.division-by-zero", message: "division by zero",
        hint: "guard it with a condition, such as n == 0 ? null : x / n")
    }
    if case .integer(let first) = left, case .integer(let second) = right {
      let result: (partialValue: Int64, overflow: Bool)
      switch operation {
      case .add: result = first.addingReportingOverflow(second)
      case .subtract: result = first.subtractingReportingOverflow(second)
      case .multiply: result = first.multipliedReportingOverflow(by: second)
      case .remainder: result = (second == -1 ? 0 : first % second, false)
      default:
        if second != -1, first % second != 0 { return .double(Double(first) / Double(second)) }
        result = first.dividedReportingOverflow(by: second)
      }
      guard !result.overflow else { throw .overflow("\(first) \(operation.rawValue) \(second)") }
      return .integer(result.partialValue)
    }
    let (first, second) = (left.asDouble, right.asDouble)
    let result: Double
    switch operation {
    case .add: result = first + second
    case .subtract: result = first - second
    case .multiply: result = first * second
    case .remainder: result = first.truncatingRemainder(dividingBy: second)
    default: result = first / second
    }
    guard result.isFinite else { throw .overflow("\(first) \(operation.rawValue) \(second)") }
    return .double(result)
  }
}
