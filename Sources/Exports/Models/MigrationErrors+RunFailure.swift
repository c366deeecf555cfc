import CoreDataLayout
import ObjectModel
package import Pipelines

extension StoreMigrationError: RunFailure {
  package func runError(store path: String) -> RunError {
    switch self {
    case .conditions:
      RunError(
        .badData, code: "migration.conditions", errorDescription ?? "",
        hint: "see --duplicates of migrate for values that are there more than once; other data must be mended first")
    case .sourceModel:
      RunError(.badPipeline, code: "migration.source", errorDescription ?? "", hint: recoverySuggestion)
    }
  }
}

extension MappingInferenceError: RunFailure {
  package func runError(store path: String) -> RunError {
    RunError(.badPipeline, code: "migration.not-inferred", errorDescription ?? "", hint: recoverySuggestion)
  }
}
