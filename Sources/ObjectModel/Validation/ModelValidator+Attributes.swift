import Foundation

extension ModelValidator {
  mutating func check(_ attribute: AttributeDefinition, of index: Int) {
    let name = "\(entities[index].name).\(attribute.name)"
    check(attribute, called: name, of: index, property: attribute.name)
  }

  private mutating func check(
    _ attribute: AttributeDefinition, called name: String, of index: Int, property: String
  ) {
    func fail(
      _ message: String, _ hint: String, _ code: ModelError.Code = .invalidAttribute,
      errorUpTo level: ModelValidation? = nil
    ) {
      report(code, entity: index, property: property, errorUpTo: level, message, hint: hint)
    }
    checkValues(of: attribute, called: name, of: index, property: property)
    if let pattern = attribute.regularExpression {
      if attribute.type != .string {
        fail(
          "\(name) has a regular expression but is not a String", "remove the regular expression", errorUpTo: .strict)
      } else if !Self.isRegularExpression(pattern) {
        fail(
          "the regular expression of \(name) is not valid: \(pattern)", "correct the pattern (ICU syntax)",
          errorUpTo: .strict)
      }
    }
    if let derivation = attribute.derivation, derivation.expression.allSatisfy(\.isWhitespace) {
      fail("the derived attribute \(name) has no derivation expression", "add an expression or unmark it as derived")
    }
    if attribute.type == .objectID, !attribute.isTransient {
      fail("\(name) is of type ObjectID, which a store cannot keep", "make it transient or use a relationship")
    }
    switch (attribute.type == .composite, attribute.composite) {
    case (true, nil):
      fail("\(name) is a Composite but names no composite type", "name the composite type", .invalidComposite)
    case (false, _?):
      fail("\(name) names a composite type but is not a Composite", "give it the type Composite", .invalidComposite)
    case (true, let composite?):
      if attribute.derivation != nil {
        fail("the composite attribute \(name) cannot be derived", "derive its elements elsewhere", .invalidComposite)
      }
      checkElements(of: composite, called: name, of: index, property: property)
    case (false, nil):
      break
    }
  }

  static func isRegularExpression(_ pattern: String) -> Bool {
    (try? NSRegularExpression(pattern: pattern)) != nil
  }

  private mutating func checkElements(
    of composite: AttributeDefinition.CompositeReference, called name: String, of index: Int, property: String
  ) {
    var seen: Set<String> = []
    for element in composite.elements {
      let path = "\(name).\(element.name)"
      if !Self.isValidName(element.name) {
        report(
          .invalidName, entity: index, property: property, "\"\(element.name)\" is not a valid element name (\(name))",
          hint: "begin with a letter or underscore; go on with letters, digits and underscores")
      }
      if !seen.insert(element.name).inserted {
        report(
          .duplicateName, entity: index, property: property,
          "the composite \(composite.name) has more than one element named \(element.name)",
          hint: "rename or remove one of them")
      }
      if element.derivation != nil {
        report(
          .invalidComposite, entity: index, property: property, "the composite element \(path) cannot be derived",
          hint: "make the derived attribute a property of the entity")
      }
      check(element, called: path, of: index, property: property)
    }
  }

  private mutating func checkValues(
    of attribute: AttributeDefinition, called name: String, of index: Int, property: String
  ) {
    func fail(_ message: String, _ hint: String) {
      report(.invalidAttribute, entity: index, property: property, errorUpTo: .strict, message, hint: hint)
    }
    if !attribute.type.admitsDefault(attribute.defaultValue) {
      fail("the default value of \(name) does not fit its type", "give a default of the attribute's type or none")
    }
    for (value, word) in [(attribute.minimumValue, "minimum"), (attribute.maximumValue, "maximum")]
    where !attribute.type.admitsBound(value) {
      fail(
        "the \(word) of \(name) does not fit its type",
        "numbers take a number of their type, strings a length of 0 or more, dates a date, other types none")
    }
    if isGreater(attribute.minimumValue, than: attribute.maximumValue) {
      fail("the minimum of \(name) is greater than its maximum", "exchange or correct the two values")
    } else if validation > .strict {
      checkDefault(of: attribute, called: name, of: index, property: property)
    }
  }

  /// Xcode warns of it, too. Such a default keeps objects from being saved, but not the model from being used.
  private mutating func checkDefault(
    of attribute: AttributeDefinition, called name: String, of index: Int, property: String
  ) {
    var value = attribute.defaultValue
    if case .string(let text) = value { value = .integer(Int64(text.utf16.count)) }
    let place: String
    if isGreater(attribute.minimumValue, than: value) {
      place = "below its minimum"
    } else if isGreater(value, than: attribute.maximumValue) {
      place = "above its maximum"
    } else {
      return
    }
    report(
      .invalidAttribute, entity: index, property: property, errorUpTo: .strict, isLeftOut: false,
      "the default value of \(name) is \(place)", hint: "correct the default or the limit")
  }

  func isGreater(_ left: Value, than right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left > right
    case (.double(let left), .double(let right)): left > right
    case (.decimal(let left), .decimal(let right)): left > right
    case (.date(let left), .date(let right)): left > right
    default: false
    }
  }
}

extension AttributeType {
  /// Whether a value may stand in an attribute of this type; null always may.
  func admitsDefault(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.undefined, _): true
    case (.integer16, .integer(let number)): Int16(exactly: number) != nil
    case (.integer32, .integer(let number)): Int32(exactly: number) != nil
    case (.integer64, .integer): true
    case (.decimal, .decimal(let number)): number.isFinite
    case (.double, .double(let number)): number.isFinite
    case (.float, .double(let number)): Float(exactly: number) != nil
    case (.string, .string), (.boolean, .boolean), (.date, .date), (.binary, .data), (.uuid, .uuid), (.uri, .uri),
      (.transformable, .data):
      true
    default: false
    }
  }

  /// Whether a value may be the minimum or maximum of an attribute of this type; null always may.
  func admitsBound(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.string, .integer(let length)): length >= 0
    case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer), (.decimal, .decimal),
      (.double, .double), (.float, .double), (.date, .date):
      admitsDefault(value)
    default: false
    }
  }
}
