import Foundation
import ObjectModel
import StoreInterface
import Testing

@Suite("Attribute validation")
struct AttributeValidatorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var type: AttributeType
    var value: Value
    var codes: [ValidationError.Code]
    var minimum: Value = .null
    var maximum: Value = .null
    var pattern: String?
    var isOptional = true
    var testDescription: String { "\(type) \(value) \(codes)" }
  }

  static let cases: [Case] = [
    Case(type: .string, value: .null, codes: []),
    Case(type: .string, value: .null, codes: [.missingValue], isOptional: false),
    Case(type: .string, value: .string(""), codes: [], isOptional: false),
    Case(type: .string, value: .integer(1), codes: [.wrongType]),
    Case(type: .integer16, value: .double(1), codes: [.wrongType]),
    Case(type: .integer16, value: .integer(32_767), codes: []),
    Case(type: .integer16, value: .integer(32_768), codes: [.numberTooLarge]),
    Case(type: .integer32, value: .integer(-2_147_483_649), codes: [.numberTooSmall]),
    Case(type: .integer64, value: .integer(.max), codes: []),
    Case(type: .integer64, value: .integer(4), codes: [.numberTooSmall], minimum: .integer(5), maximum: .integer(6)),
    Case(type: .integer64, value: .integer(7), codes: [.numberTooLarge], minimum: .integer(5), maximum: .integer(6)),
    Case(type: .integer64, value: .integer(6), codes: [], minimum: .integer(5), maximum: .integer(6)),
    Case(type: .double, value: .double(.nan), codes: [.notANumber]),
    Case(type: .double, value: .double(-90.5), codes: [.numberTooSmall], minimum: .double(-90)),
    Case(type: .double, value: .double(-90), codes: [], minimum: .double(-90)),
    Case(type: .decimal, value: .decimal(3), codes: [.numberTooLarge], maximum: .decimal(2)),
    Case(type: .decimal, value: .decimal(.nan), codes: [.notANumber]),
    Case(
      type: .date, value: .date(Date(timeIntervalSinceReferenceDate: 9)), codes: [.dateTooSoon],
      minimum: .date(Date(timeIntervalSinceReferenceDate: 10))),
    Case(
      type: .date, value: .date(Date(timeIntervalSinceReferenceDate: 11)), codes: [.dateTooLate],
      maximum: .date(Date(timeIntervalSinceReferenceDate: 10))),
    Case(type: .string, value: .string("ab"), codes: [.stringTooShort], minimum: .integer(3)),
    // As an NSString counts.
    Case(type: .string, value: .string("👩‍👩‍👧é"), codes: [], maximum: .integer(9)),
    Case(type: .string, value: .string("👩‍👩‍👧é"), codes: [.stringTooLong], maximum: .integer(8)),
    Case(type: .string, value: .string("abc"), codes: [.stringTooLong], maximum: .integer(2)),
    Case(type: .string, value: .string("abc"), codes: [], pattern: "[a-c]+"),
    Case(type: .string, value: .string("abcd"), codes: [.patternMismatch], pattern: "[a-c]+"),
    Case(type: .string, value: .string("b"), codes: [.patternMismatch], pattern: "a|bc"),
    Case(type: .string, value: .string("a\n"), codes: [.patternMismatch], pattern: "a"),
    Case(
      type: .string, value: .string("x"), codes: [.stringTooShort, .patternMismatch], minimum: .integer(2),
      pattern: "a+"),
    Case(type: .boolean, value: .boolean(true), codes: []),
    Case(type: .boolean, value: .integer(1), codes: [.wrongType]),
    Case(type: .uuid, value: .uuid(UUID()), codes: []), Case(type: .binary, value: .string("a"), codes: [.wrongType]),
  ]

  static func validator(_ rule: Case) throws -> AttributeValidator {
    var attribute = AttributeDefinition("property", rule.type)
    attribute.minimumValue = rule.minimum
    attribute.maximumValue = rule.maximum
    attribute.regularExpression = rule.pattern
    attribute.isOptional = rule.isOptional
    return try AttributeValidator(attribute)
  }

  @Test("a value breaks exactly the rules it should", arguments: cases)
  func violations(rule: Case) throws {
    let validator = try Self.validator(rule)
    #expect(validator.violations(of: rule.value).map(\.code) == rule.codes)
  }

  @Test("the forms without values agree with the explained one", arguments: cases)
  func fastForms(rule: Case) throws {
    let validator = try Self.validator(rule)
    switch (rule.type, rule.value) {
    case (_, .null): #expect(validator.allowsNull == rule.codes.isEmpty)
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)):
      #expect(validator.isValid(integer: number) == rule.codes.isEmpty)
    case (.double, .double(let number)): #expect(validator.isValid(real: number) == rule.codes.isEmpty)
    case (.date, .date(let date)):
      #expect(validator.isValid(real: date.timeIntervalSinceReferenceDate) == rule.codes.isEmpty)
    default: break
    }
  }

  @Test("rules of the program's own come after the others, of elements too, and are not asked about null")
  func ownRules() throws {
    var city = AttributeDefinition("city", .string)
    city.maximumValue = 3
    city.validationRules = [.init(predicate: "SELF != 'Rome'", warning: "not Rome"), .init(predicate: "length > 1")]
    #expect(try AttributeValidator(city).violations(of: "Rome").map(\.message).last == "not Rome")
    #expect(try AttributeValidator(city).violations(of: "Rome").map(\.code) == [.stringTooLong, .custom])
    #expect(try AttributeValidator(city).violations(of: "R").map(\.predicate) == ["length > 1"])
    #expect(try AttributeValidator(city).violations(of: .null).isEmpty)
    #expect(try AttributeValidator(city).violations(of: 4).map(\.code) == [.wrongType])
    #expect(try AttributeValidator(city).violations(of: "Bru").isEmpty)
    var home = AttributeDefinition("home", .composite)
    home.composite = AttributeDefinition.CompositeReference(name: "Home", elements: [city])
    home.validationRules = [.init(predicate: "city != 'Bru'")]
    #expect(try AttributeValidator(home).violations(of: .composite(["city": "R"])).map(\.element) == [["city"]])
    #expect(try AttributeValidator(home).violations(of: .composite(["city": "Bru"])).map(\.element) == [[]])
    var day = AttributeDefinition("day", .date)
    day.validationRules = [.init(predicate: "SELF < now()")]
    #expect(try AttributeValidator(day).violations(of: .date(.distantPast)).isEmpty)
    #expect(try AttributeValidator(day).violations(of: .date(.distantFuture)).count == 1)
  }

  @Test("a rule that is no predicate is a model error", arguments: ["SELF ==", "SELF == $x"])
  func invalidRule(text: String) throws {
    var attribute = AttributeDefinition("name", .string)
    attribute.validationRules = [.init(predicate: text)]
    let error = #expect(throws: ModelError.self) { try AttributeValidator(attribute) }
    #expect(error?.problems.map(\.property) == ["name"])
  }

  @Test("an invalid regular expression is a model error", arguments: ["(", "a)(b", "[z-a]"])
  func invalidPattern(pattern: String) throws {
    #expect(throws: ModelError.self) {
      try Self.validator(Case(type: .string, value: .null, codes: [], pattern: pattern))
    }
  }
}
