import Foundation
public import ObjectModel
import Predicates

/// The rules that a model states for one attribute, ready to be applied to many values from any thread.
///
/// `violations(of:)` explains; the `isValid` forms answer for the pipeline's columns without making a `Value`.
public struct AttributeValidator: Sendable {
  /// A rule that a value breaks.
  public struct Violation: Sendable, Hashable {
    /// The rule, for programs.
    public var code: ValidationError.Code
    /// What is wrong with the value, for people; it does not name the attribute.
    public var message: String
    /// The path of the composite's element that is at fault; empty for the attribute's own value.
    public var element: [String] = []
    /// The predicate of a rule of the program's own, as text; nil for other rules.
    public var predicate: String?
  }

  /// The attribute whose rules these are.
  public let attribute: AttributeDefinition
  private let lengthRange: (lower: Int, upper: Int)
  /// Limits that need an exact comparison.
  private let hasValueLimits: Bool
  private let pattern: NSRegularExpression?
  /// The program's own rules.
  private let rules: [ValueRule]
  /// Of a composite attribute: those of its stored elements.
  private let elements: [AttributeValidator]
  /// Decides most values without reading the model.
  package let plainRule: PlainRule

  /// Compiles the attribute's regular expression and rules.
  /// - Throws: `ModelError` when one is not valid.
  public init(_ attribute: AttributeDefinition) throws(ModelError) {
    var elements: [AttributeValidator] = []
    for element in attribute.composite?.elements ?? [] where !element.isTransient {
      elements.append(try AttributeValidator(element))
    }
    self.init(
      attribute, pattern: try Self.compile(attribute), rules: try ValueRule.rules(of: attribute), elements: elements)
  }

  /// The rules but for regular expressions and the program's own, of an attribute that has an invalid one.
  package init(withoutExpressions attribute: AttributeDefinition) {
    let elements = (attribute.composite?.elements ?? []).filter { !$0.isTransient }
    self.init(
      attribute, pattern: nil, rules: [], elements: elements.map { AttributeValidator(withoutExpressions: $0) })
  }

  private init(
    _ attribute: AttributeDefinition, pattern: NSRegularExpression?, rules: [ValueRule], elements: [AttributeValidator]
  ) {
    self.attribute = attribute
    self.pattern = pattern
    self.rules = rules
    self.elements = elements
    let width: (lower: Int64, upper: Int64) =
      switch attribute.type {
      case .integer16: (Int64(Int16.min), Int64(Int16.max))
      case .integer32: (Int64(Int32.min), Int64(Int32.max))
      default: (.min, .max)
      }
    let (least, greatest) = (attribute.minimumValue, attribute.maximumValue)
    let integers = (
      lower: max(width.lower, least.integer ?? .min), upper: min(width.upper, greatest.integer ?? .max)
    )
    let reals = (lower: least.limit ?? -Double.infinity, upper: greatest.limit ?? .infinity)
    let lengths = (
      lower: least.integer.map { Int(clamping: $0) } ?? 0, upper: greatest.integer.map { Int(clamping: $0) } ?? .max
    )
    lengthRange = lengths
    let plainForm: PlainRule.Form =
      switch attribute.type {
      case _ where !rules.isEmpty: .other
      case .integer16, .integer32, .integer64: .integer
      case .double, .float: .real
      case .date: .date
      case .string: pattern == nil && lengths.lower <= 0 && lengths.upper == .max ? .text : .other
      case .boolean: .boolean
      default: .other
      }
    plainRule = PlainRule(
      form: plainForm,
      allowsNull: Self.allowsNull(attribute),
      integerRange: integers, realRange: reals)
    hasValueLimits = attribute.minimumValue != .null || attribute.maximumValue != .null
  }

  /// A rule that needs only the case of the value and numeric limits. It has no references, so that checking costs next
  /// to nothing.
  package struct PlainRule: Sendable {
    fileprivate enum Form {
      case integer, real, date, text, boolean, other
    }

    fileprivate let form: Form
    fileprivate let allowsNull: Bool
    /// The smallest and greatest integer by the attribute's width and limits.
    fileprivate let integerRange: (lower: Int64, upper: Int64)
    fileprivate let realRange: (lower: Double, upper: Double)

    /// Whether values certainly break no rule, of which there is one for each.
    @unsafe package static func accept(_ values: UnsafeBufferPointer<Value>, _ rules: [PlainRule]) -> Bool {
      guard values.count == rules.count else { return false }
      for index in rules.indices where unsafe !rules[index].accepts(values[index]) { return false }
      return true
    }

    /// Whether no text breaks a rule.
    var acceptsTexts: Bool { form == .text }

    /// Whether the value certainly breaks no rule; otherwise `violations(of:)` tells.
    @inline(__always) package func accepts(_ value: Value) -> Bool {
      switch value {
      case .null: allowsNull
      case .integer(let number): form == .integer && number >= integerRange.lower && number <= integerRange.upper
      case .double(let number): form == .real && number >= realRange.lower && number <= realRange.upper
      case .date(let date):
        form == .date && date.timeIntervalSinceReferenceDate >= realRange.lower
          && date.timeIntervalSinceReferenceDate <= realRange.upper
      case .string: form == .text
      case .boolean: form == .boolean
      default: false
      }
    }
  }

  private var integerRange: (lower: Int64, upper: Int64) { plainRule.integerRange }
  private var realRange: (lower: Double, upper: Double) { plainRule.realRange }

  /// Whether null is allowed. Transient and derived attributes are never stored as given, so these may be null. A
  /// composite is stored as its elements: one that is required may be null when none of its elements is required.
  public var allowsNull: Bool { plainRule.allowsNull }

  private static func allowsNull(_ attribute: AttributeDefinition) -> Bool {
    if attribute.isOptional || attribute.isTransient || attribute.derivation != nil { return true }
    guard let composite = attribute.composite else { return false }
    return composite.elements.allSatisfy { allowsNull($0) }
  }

  /// Whether an Integer 16/32/64 or Boolean attribute may hold the value, the program's own rules left out.
  public func isValid(integer value: Int64) -> Bool {
    if attribute.type == .boolean { return value == 0 || value == 1 }
    return value >= integerRange.lower && value <= integerRange.upper
  }

  /// Whether a Double, Float or Date attribute may hold the value (dates: seconds since 2001-01-01T00:00:00Z), the
  /// program's own rules left out. NaN is never valid.
  public func isValid(real value: Double) -> Bool {
    value >= realRange.lower && value <= realRange.upper
  }

  /// Every rule that the value breaks, in the order type, limits, pattern, the program's own; empty when it is valid.
  public func violations(of value: Value) -> [Violation] {
    let found = modelViolations(of: value)
    // Rules are made for values of the attribute's type.
    if rules.isEmpty || value.isMissing || found.contains(where: { $0.code == .wrongType }) { return found }
    return found + rules.compactMap { $0.violation(of: value) }
  }

  private func modelViolations(of value: Value) -> [Violation] {
    switch (attribute.type, value) {
    case (.composite, .null) where !allowsNull: return elementViolations([:])
    case (.composite, .composite(let values)): return elementViolations(values)
    case (_, .null):
      return allowsNull ? [] : [Violation(code: .missingValue, message: "a value is required")]
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)):
      return isValid(integer: number) ? [] : limitViolations(of: value, width: number)
    case (.double, .double(let number)), (.float, .double(let number)):
      if number.isNaN { return [Violation(code: .notANumber, message: "NaN cannot be stored")] }
      return isValid(real: number) ? [] : limitViolations(of: value)
    case (.date, .date(let date)):
      let seconds = date.timeIntervalSinceReferenceDate
      if seconds.isNaN { return [Violation(code: .notANumber, message: "NaN is no date")] }
      return isValid(real: seconds) ? [] : limitViolations(of: value)
    case (.decimal, .decimal(let number)):
      if number.isNaN { return [Violation(code: .notANumber, message: "NaN cannot be stored")] }
      return hasValueLimits ? limitViolations(of: value) : []
    case (.string, .string(let text)): return violations(of: text)
    case (.boolean, .boolean), (.binary, .data), (.transformable, .data), (.uuid, .uuid), (.uri, .uri),
      (.undefined, _), (.objectID, _):
      if case .composite = value { break }
      return []
    default: break
    }
    let message = "a value of type \(Self.name(of: value)) does not fit an attribute of type \(attribute.type)"
    return [Violation(code: .wrongType, message: message)]
  }

  /// The violations of every element; a missing element counts as null.
  private func elementViolations(_ values: [String: Value]) -> [Violation] {
    var found: [Violation] = []
    for validator in elements {
      let name = validator.attribute.name
      for var violation in validator.violations(of: values[name] ?? .null) {
        violation.element.insert(name, at: 0)
        found.append(violation)
      }
    }
    let known = Set(elements.map(\.attribute.name))
    for name in values.keys.sorted(by: { $0.precedesByCodePoint($1) }) where !known.contains(name) {
      let type = attribute.composite?.name ?? ""
      found.append(Violation(code: .wrongType, message: "\(type) has no stored element \"\(name)\"", element: [name]))
    }
    return found
  }

  private func violations(of text: String) -> [Violation] {
    var found: [Violation] = []
    if lengthRange.lower > 0 || lengthRange.upper < .max {
      // The length of an NSString, which is what Core Data compares.
      let length = text.utf16.count
      if length < lengthRange.lower {
        let message = "\(length) characters are fewer than the \(lengthRange.lower) required"
        found.append(Violation(code: .stringTooShort, message: message))
      }
      if length > lengthRange.upper {
        let message = "\(length) characters are more than the \(lengthRange.upper) allowed"
        found.append(Violation(code: .stringTooLong, message: message))
      }
    }
    let isMatch = pattern.map { $0.matchesWhole(text) } ?? true
    if isMatch != true {
      let expression = attribute.regularExpression ?? ""
      let message =
        isMatch == nil
        ? "whether the text matches \(expression) takes too long to find out" : "the text does not match \(expression)"
      found.append(Violation(code: .patternMismatch, message: message))
    }
    return found
  }

  private func limitViolations(of value: Value, width: Int64? = nil) -> [Violation] {
    var found: [Violation] = []
    let isDate = attribute.type == .date
    let text = Self.text(of: value)
    if let order = value.compared(to: attribute.minimumValue), order < 0 {
      let message = "\(text) is less than the minimum \(Self.text(of: attribute.minimumValue))"
      found.append(Violation(code: isDate ? .dateTooSoon : .numberTooSmall, message: message))
    } else if let width, width < integerRange.lower {
      found.append(Violation(code: .numberTooSmall, message: "\(width) does not fit \(attribute.type)"))
    }
    if let order = value.compared(to: attribute.maximumValue), order > 0 {
      let message = "\(text) is more than the maximum \(Self.text(of: attribute.maximumValue))"
      found.append(Violation(code: isDate ? .dateTooLate : .numberTooLarge, message: message))
    } else if let width, width > integerRange.upper {
      found.append(Violation(code: .numberTooLarge, message: "\(width) does not fit \(attribute.type)"))
    }
    return found
  }

  private static func compile(_ attribute: AttributeDefinition) throws(ModelError) -> NSRegularExpression? {
    guard let source = attribute.regularExpression, !source.isEmpty else { return nil }
    do {
      // Core Data turns it into the predicate `SELF MATCHES`.
      return try TextPattern.whole(source)
    } catch {
      throw ModelError([
        ModelError.Problem(
          property: attribute.name, message: "\(attribute.name): \"\(source)\" is no valid regular expression",
          hint: "use ICU regular expression syntax")
      ])
    }
  }

  private static func name(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer: "integer"
    case .boolean: "boolean"
    case .double: "double"
    case .decimal: "decimal"
    case .string: "string"
    case .date: "date"
    case .data: "data"
    case .uuid: "uuid"
    case .uri: "uri"
    case .composite: "composite"
    }
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .date(let date): date.formatted(.iso8601)
    default: name(of: value)
    }
  }
}

extension Value {
  /// The value as a limit of numbers or dates; nil for other values.
  fileprivate var limit: Double? {
    switch self {
    case .integer(let limit): Double(limit)
    case .double(let limit): limit
    case .date(let limit): limit.timeIntervalSinceReferenceDate
    default: nil
    }
  }
}
