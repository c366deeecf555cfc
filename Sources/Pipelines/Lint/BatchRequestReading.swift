package import ObjectModel
import Predicates
package import StoreInterface

/// Reads what a command line says of a batch request, and checks it against the entity that it is about.
package enum BatchRequestReading {
  /// The objects of an entity that meet a predicate.
  /// - Parameter order: attributes or key paths to sort by, descending after a minus sign.
  /// - Throws: `RunError` for a predicate or an order that does not fit the entity.
  package static func selection(
    of entity: Entity, where text: String, order: [String] = [], limit: Int? = nil
  ) throws(RunError) -> FetchSpecification {
    var selection = FetchSpecification(entity)
    selection.predicate = try PredicateReading.read(text, of: entity, code: "batch.predicate")
    selection.sortDescriptors = order.map { text in
      FetchSortDescriptor(key: String(text.drop { $0 == "-" }), ascending: !text.hasPrefix("-"))
    }
    selection.fetchLimit = limit ?? 0
    do {
      try selection.checkKeyPaths()
    } catch {
      throw RunError(.badPipeline, code: "batch.order", error.errorDescription ?? "\(error)")
    }
    return selection
  }

  /// The update of some objects.
  /// - Parameter assignments: each `attribute = expression`.
  /// - Throws: `RunError` for an assignment that is malformed, that does not fit the entity, or whose constant breaks a
  ///   rule.
  package static func update(
    _ selection: FetchSpecification, set assignments: [String]
  ) throws(RunError) -> BatchUpdate {
    var update = BatchUpdate(selection, assignments: [:])
    for text in assignments {
      let (path, expression) = try assignment(text)
      if update.assignments.updateValue(expression, forKey: path) != nil {
        throw RunError(.badPipeline, code: "batch.set", "\(path) is set twice")
      }
    }
    do {
      _ = try BatchAssignment.all(update)
    } catch StoreError.failure(let message) {
      let entity = selection.entity
      let names = entity.storedAttributes.map(\.name)
      let unknown = update.assignments.keys.sorted().first { !names.contains($0) }
      throw RunError(
        .badPipeline, code: "batch.set", message, hint: unknown.flatMap { Suggestion.hint(for: $0, among: names) })
    } catch {
      throw RunError(any: error, store: "")
    }
    return update
  }

  private static func assignment(_ text: String) throws(RunError) -> (path: String, FetchExpression) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let path = parts[0].trimmed
    guard parts.count == 2, !path.isEmpty, !parts[1].trimmed.isEmpty, !parts[1].hasPrefix("=") else {
      throw RunError(
        .badPipeline, code: "batch.set", "\"\(text)\" sets nothing",
        hint: "write ATTRIBUTE = EXPRESSION, as in \"wins = wins + 1\" or \"note = NULL\"")
    }
    do {
      return (path, try FetchExpression(parsing: parts[1].trimmed))
    } catch {
      throw RunError(
        .badPipeline, code: "batch.set", "\(error.message), in the expression \"\(parts[1].trimmed)\"", hint: error.hint
      )
    }
  }
}

extension String {
  /// Without blanks around it.
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
