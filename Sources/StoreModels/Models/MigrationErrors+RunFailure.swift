import ObjectModel
package import Pipelines
import SQLMigration

extension StoreMigrationError: RunFailure {
  package func runError(store path: String) -> RunError {
    switch self {
    case .conditions(_, let conditions):
      RunError(.badData, code: "migration.conditions", errorDescription ?? "", hint: Self.hint(conditions))
    case .sourceModel:
      RunError(.badPipeline, code: "migration.source", errorDescription ?? "", hint: recoverySuggestion)
    }
  }
}

extension StoreMigrationError {
  /// What to do about the obstacles, of which there may be several kinds.
  private static func hint(_ conditions: [MigrationCondition]) -> String {
    var hints: [String] = []
    if conditions.contains(where: { $0.kind == .duplicateKeys }) {
      hints.append("see --duplicates of migrate for values that are there more than once")
    }
    let unresolved: [MigrationCondition.Kind] = [.unresolvedDuplicates, .emptiedRelationship]
    if conditions.contains(where: { unresolved.contains($0.kind) }) {
      hints.append("another policy for duplicates may do, or make these objects differ with the app's present version")
    }
    if conditions.contains(where: { $0.kind == .unreadableValue }) {
      hints.append("put the files back, or save the objects with another value; seedbed check names all such values")
    }
    if conditions.contains(where: { $0.kind == .nameTaken }) {
      hints.append("give what does not belong to the model another name")
    }
    if conditions.contains(where: { $0.kind == .foreignIndex }) {
      hints.append("drop the unique indexes that do not belong to the model")
    }
    if conditions.contains(where: { $0.kind == .sidesDisagree }) {
      hints.append("take one of the two sides from nothing, by a mapping model or a name without renaming identifier")
    }
    let ofOwnHint = [.sidesDisagree, .duplicateKeys, .unreadableValue, .nameTaken, .foreignIndex] + unresolved
    if conditions.contains(where: { !ofOwnHint.contains($0.kind) }) {
      hints.append("mend the data with the app's present version, or use a mapping model")
    }
    return hints.joined(separator: "; ")
  }
}

extension MappingInferenceError: RunFailure {
  package func runError(store path: String) -> RunError {
    RunError(.badPipeline, code: "migration.not-inferred", errorDescription ?? "", hint: recoverySuggestion)
  }
}
