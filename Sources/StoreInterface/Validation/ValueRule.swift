import ObjectModel
import Predicates

/// A rule that the program gave an attribute, ready to check values.
struct ValueRule: Sendable {
  private let predicate: FetchPredicate
  private let rule: AttributeDefinition.ValidationRule

  /// - Throws: `ModelError` for a text that is no predicate, or has variables.
  private init(_ rule: AttributeDefinition.ValidationRule, of attribute: AttributeDefinition) throws(ModelError) {
    self.rule = rule
    do {
      predicate = try FetchPredicate(parsing: rule.predicate)
    } catch {
      throw Self.invalid(rule, of: attribute, error.message)
    }
    if let name = predicate.substitutionVariables.min() {
      throw Self.invalid(rule, of: attribute, "nothing gives a value for $\(name)")
    }
  }

  /// The rules of an attribute.
  /// - Throws: `ModelError` for the first that is not valid.
  static func rules(of attribute: AttributeDefinition) throws(ModelError) -> [ValueRule] {
    var rules: [ValueRule] = []
    for rule in attribute.validationRules { rules.append(try ValueRule(rule, of: attribute)) }
    return rules
  }

  /// What is wrong with a value; nil for one that meets the rule.
  func violation(of value: Value) -> AttributeValidator.Violation? {
    // Only a closure would need the object, and a text has none. A value that cannot be decided breaks the rule.
    let isMet = try? UndecidedMatches.rethrowing { predicate.evaluate(withPlain: .value(.value(value)), object: nil) }
    if isMet ?? false { return nil }
    return AttributeValidator.Violation(
      code: .custom, message: rule.warning ?? "the value does not meet \(rule.predicate)", predicate: rule.predicate)
  }

  private static func invalid(
    _ rule: AttributeDefinition.ValidationRule, of attribute: AttributeDefinition, _ message: String
  ) -> ModelError {
    ModelError([
      ModelError.Problem(
        property: attribute.name, message: "\(attribute.name): the rule \(rule.predicate): \(message)",
        hint: "a rule is a predicate in which SELF is the value")
    ])
  }
}
