import ObjectGraph
package import Pipelines

extension SaveConflictError: RunFailure {
  package func runError(store path: String) -> RunError {
    constraintConflicts.isEmpty
      ? RunError(.internal, code: "store.conflict", "\(path): \(self)")
      : RunError(.badData, code: "store.constraint", "\(path): \(self)", hint: "match by the constraint")
  }
}
