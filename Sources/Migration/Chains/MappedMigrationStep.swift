import Foundation
import ObjectGraph

/// A step by a mapping model, looked at before anything is done.
struct MappedMigrationStep {
  let source: ModelLibrary.Version
  let destination: ModelLibrary.Version
  let mapping: ModelLibrary.Mapping
  let policies: MigrationPolicies

  /// Nil for a step that is inferred.
  init?(_ step: MigrationChain.Step, _ policies: MigrationPolicies) {
    guard case .mapped(let mapping) = step.way else { return nil }
    source = step.source
    destination = step.destination
    self.mapping = mapping
    self.policies = policies
  }

  /// - Parameter managerFunctions: the selectors that the manager answers; nil where they are not known.
  /// - Throws: `MigrationError` with everything that is wrong with the mapping model.
  func requireSound(managerFunctions: Set<String>?) throws(MigrationError) {
    let plan = MappingPlan(
      checking: mapping.mappingModel, from: source.model, to: destination.model, policies, managerFunctions,
      requiresPolicies: false)
    guard let first = plan.mistakes.first else { return }
    if plan.mistakes.count == 1 { throw first.about(mappingModel: mapping.name) }
    var error = MigrationError(
      .mappingModel,
      "it has \(plan.mistakes.count) mistakes:\n"
        + plan.mistakes.map { "  " + $0.sentence + ($0.hint.map { " (\($0))" } ?? "") }.joined(separator: "\n"))
    error.mappingModel = mapping.name
    throw error
  }

  /// The objects that filters leave out, and the references that look-ups do not find.
  /// - Parameter store: the store that the step begins with; nil where it is not there yet.
  func dataLosses(_ store: MigrationStore?) throws -> [String] {
    let filtered = FilteredObjects(mapping.mappingModel, from: source.model, policies)
    let references = PartialReferences(mapping.mappingModel, from: source.model, policies)
    if filtered.isEmpty, references.isEmpty { return [] }
    guard let store else { return filtered.possibleLosses + references.possibleLosses }
    let coordinator = try store.open(source.model, isReadOnly: true)
    defer { try? coordinator.closeStores() }
    let context = ManagedObjectContext(coordinator: coordinator, name: "migration plan")
    return try context.performAndWait { try filtered.losses(in: context) + references.losses(in: context) }
  }
}
