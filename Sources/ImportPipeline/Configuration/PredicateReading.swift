import ObjectModel
import Predicates
import StoreInterface

/// Reads predicates of pipeline files and command lines, and checks them against the entity that they are about.
enum PredicateReading {
  /// - Parameter code: of the error.
  /// - Throws: `RunError` when the text is no predicate, or does not fit the entity.
  static func read(_ text: String, of entity: Entity, code: String) throws(RunError) -> FetchPredicate {
    func refuse(_ message: String, _ hint: String?) -> RunError {
      RunError(
        .badPipeline, code: code, "\(message), in the predicate \(RecordExpressionFailure.quoted(text))", hint: hint)
    }
    let predicate: FetchPredicate
    do {
      predicate = try FetchPredicate(format: text)
    } catch {
      throw refuse("\(error.message) (column \(error.column))", error.hint)
    }
    do {
      var request = FetchRequest(entity)
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

  /// What may have been meant by the first name that is none of the entity's, or by a text where a date belongs.
  private static func hint(for predicate: FetchPredicate, _ entity: Entity) -> String? {
    switch predicate {
    case .and(let parts), .or(let parts):
      return parts.lazy.compactMap { hint(for: $0, entity) }.first
    case .not(let part): return hint(for: part, entity)
    case .compare(let comparison):
      return hint(for: comparison.left, entity) ?? hint(for: comparison.right, entity)
        ?? dateHint(comparison.left, comparison.right, entity)
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
        return near ?? Lint.list("\(text)properties of \(current.name)", names)
      }
    }
    return nil
  }

  /// How a date that was written as text is written in the format language.
  private static func dateHint(
    _ left: FetchExpression, _ right: FetchExpression, _ entity: Entity
  ) -> String? {
    let scope = ExpressionScope(entity)
    guard case .constant(.string(let text)) = right, let type = try? left.type(in: scope),
      case .attribute(.date) = type.element
    else { return nil }
    guard let parser = try? DateParser(format: nil, timeZone: "UTC"), let seconds = parser.parse(text) else {
      return "dates are written as CAST(SECONDS, 'NSDate'), in seconds since 2001-01-01 00:00 UTC"
    }
    return "write the date as CAST(\(FieldType.short(seconds)), 'NSDate'): seconds since 2001-01-01 00:00 UTC"
  }
}
