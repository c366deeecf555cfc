import CoreDataLayout
import Foundation
import ObjectModel
package import SQLMigration

/// An inferred step that is done by SQL in the store's own file.
struct InPlaceMigrationStep {
  let step: MigrationChain.Step
  let mapping: MappingModel
  let options: StoreMigration.Options

  init(_ step: MigrationChain.Step, _ mapping: MappingModel, _ options: StoreMigration.Options) {
    self.step = step
    self.mapping = mapping
    self.options = options
  }

  @discardableResult
  func run(at path: String, busyTimeout: TimeInterval) throws -> MigrationReport {
    var options = options
    options.modelCache = try ModelCache.content(of: step.destination.model)
    options.busyTimeoutMilliseconds = Int32((min(max(busyTimeout, 0), 1_000_000) * 1_000).rounded())
    return try StoreMigration.run(
      storeAt: path, from: step.source.model, to: step.destination.model, mapping: mapping, options: options)
  }
}

extension MigrationCondition {
  /// The same condition, with the name of the step that it was met in.
  package func inStep(_ step: String) -> MigrationCondition {
    var condition = self
    condition.step = step
    return condition
  }
}
