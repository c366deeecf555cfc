package import ObjectModel
package import Predicates
import StoreInterface

/// Reads predicates of pipeline files and command lines, and checks them against the entity that they are about.
package enum PredicateReading {
  /// - Parameter code: of the error.
  /// - Throws: `RunError` when the text is no predicate, or does not fit the entity.
  package static func read(_ text: String, of entity: Entity, code: String) throws(RunError) -> FetchPredicate {
    func refuse(_ message: String, _ hint: String?) -> RunError {
      RunError(
        .badPipeline, code: code, "\(message), in the predicate \(RecordExpressionFailure.quoted(text))", hint: hint)
    }
    let predicate: FetchPredicate
    do {
      predicate = try FetchPredicate(parsing: text)
    } catch  where error.code == .argument {
      throw refuse("arguments have no value here, and one stands at column \(error.column)", valueHint)
    } catch {
      throw refuse("\(error.message) (column \(error.column))", error.hint)
    }
    if let name = predicate.substitutionVariables.min() {
      throw refuse("variables have no value here, and $\(name) is one", valueHint)
    }
    do {
      var request = FetchSpecification(entity)
      request.predicate = predicate
      try request.checkKeyPaths()
      try predicate.generalized.checkKinds(in: ExpressionScope(entity))
    } catch StoreError.failure(let message) {
      throw refuse(message, hint(for: predicate.generalized, entity))
    } catch {
      throw refuse("\(error)", hint(for: predicate.generalized, entity))
    }
    return predicate
  }

  /// How values are written that a program gives apart from the predicate.
  private static let valueHint =
    "write the value itself: text in quotes ('Ada'), a number as it is, a date as CAST(SECONDS, 'NSDate')"

  /// A suggestion for the first name that does not belong to the entity, or for a text where a date belongs.
  private static func hint(for predicate: FetchPredicate, _ entity: Entity) -> String? {
    switch predicate {
    case .and(let parts), .or(let parts):
      return parts.lazy.compactMap { hint(for: $0, entity) }.first
    case .not(let part): return hint(for: part, entity)
    case .compare(let comparison):
      return hint(for: comparison.left, entity) ?? hint(for: comparison.right, entity)
        ?? kindHint(comparison.left, comparison.right, entity) ?? kindHint(comparison.right, comparison.left, entity)
    default: return nil
    }
  }

  private static func hint(for expression: FetchExpression, _ entity: Entity) -> String? {
    guard case .keyPath(let path) = expression else {
      return expression.operands.lazy.compactMap { hint(for: $0, entity) }.first
    }
    var current = entity
    for name in path {
      let names = current.attributes.map(\.name) + current.relationships.map(\.name)
      if let relationship = current.relationship(name) {
        current = relationship.destination
      } else if names.contains(name) {
        return nil
      } else {
        let near = Suggestion.hint(for: name, among: names)
        let text = path.count == 1 ? "text stands in quotes ('\(name)'); " : ""
        return near ?? Suggestion.list("\(text)properties of \(current.name)", names)
      }
    }
    return nil
  }

  /// How the other side of a comparison is written so that it has the kind of the first.
  private static func kindHint(_ known: FetchExpression, _ other: FetchExpression, _ entity: Entity) -> String? {
    if case .constant = known { return nil }
    var other = other
    if case .aggregate(let elements) = other, let first = elements.first { other = first }
    guard let type = try? known.type(in: ExpressionScope(entity)).element else { return nil }
    switch (type, other) {
    case (.object(let destination), .constant(let value)) where value != .null:
      let name = FetchExpression.nameAttribute(of: destination)
      return name.map { "compare one of its attributes, such as \(known).\($0)" }
    case (.attribute(.date), _): return dateHint(other)
    case (.attribute(.uuid), .constant(.string)): return "write CAST(TEXT, 'NSUUID')"
    case (.attribute(.boolean), .constant(.string)): return "write YES or NO, without quotes"
    case (.attribute(.integer16), .constant(.string(let text))), (.attribute(.integer32), .constant(.string(let text))),
      (.attribute(.integer64), .constant(.string(let text))), (.attribute(.decimal), .constant(.string(let text))),
      (.attribute(.double), .constant(.string(let text))), (.attribute(.float), .constant(.string(let text))):
      return Double(text) == nil ? "a number stands without quotes" : "write \(text) without quotes"
    case (.attribute(.string), .constant(.integer(let number))): return "write '\(number)' in quotes"
    case (.attribute(.string), .constant(.string)): return nil
    case (.attribute(.string), .constant): return "text stands in quotes"
    default: return nil
    }
  }

  /// How a date that was written as text, or as a difference of numbers, is written in the format language.
  private static func dateHint(_ operand: FetchExpression) -> String? {
    var text = operand.writtenDay
    if case .constant(.string(let written)) = operand { text = written }
    if case .constant(.integer(let year)) = operand { text = "\(year)-01-01" }
    let isNumber = if case .function = operand { true } else { false }
    guard text != nil || isNumber else { return nil }
    guard let text, let parser = try? DateParser(format: nil, timeZone: "UTC"), let seconds = parser.parse(text) else {
      return "dates are written as CAST(SECONDS, 'NSDate'), in seconds since 2001-01-01 00:00 UTC"
    }
    return "write the date as CAST(\(FieldType.short(seconds)), 'NSDate'): seconds since 2001-01-01 00:00 UTC"
  }
}

extension FetchExpression {
  /// The attribute that names an object for people; nil where there is none.
  fileprivate static func nameAttribute(of entity: Entity) -> String? {
    let unique = entity.uniquenessConstraints.first { $0.count == 1 }?.first
    return entity.attribute("name") != nil ? "name" : unique ?? entity.storedAttributes.first?.name
  }
}
