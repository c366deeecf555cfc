import CoreDataLayout
import Exports
import Foundation
import Migration
import ModelFiles
import ObjectModel
package import Pipelines
import StoreInterface

/// A migration that is more than one inferred step: through versions in between, or by mapping models.
struct MigrationSteps {
  let chain: MigrationChain
  private let migration: ProgressiveMigration
  private let store: URL
  private let target: ManagedObjectModel

  /// Nil where one inferred step does, and nothing else is asked for.
  /// - Parameter mappings: the mapping models that the user names; the model's folder is looked through when there are none.
  /// - Throws: `RunError` for mapping models that cannot be used, `ModelError`.
  init?(_ models: MigrationModels, store path: String, modelPath: String, mappings: [String]) throws {
    let (older, newer) = (models.source.model, models.target.model)
    let isInferred = (try? older.inferredMappingModel(to: newer, mergesHierarchies: true)) != nil
    let folder = Self.folder(of: modelPath)
    if isInferred, mappings.isEmpty, !Self.hasMappingModels(beside: folder) { return nil }
    for mapping in mappings where !FileManager.default.fileExists(atPath: mapping) {
      throw RunError(.missingInput, code: "migration.mapping", "\(mapping): there is no such mapping model")
    }
    let urls = mappings.isEmpty ? nil : mappings.map { URL(fileURLWithPath: $0) }
    let library = try ModelLibrary(modelURL: URL(fileURLWithPath: folder), mappingModelURLs: urls)
    store = URL(fileURLWithPath: path)
    target = newer
    migration = ProgressiveMigration(library: library)
    do {
      chain = try migration.chain(forStoreAt: store, type: .sqlite, to: newer)
    } catch let error as MigrationError where error.code == .missingMappingModel && mappings.isEmpty && !isInferred {
      // The reasons against one inferred step say more.
      return nil
    }
    try requireUse(of: mappings, library)
    if mappings.isEmpty, chain.steps.count == 1, chain.isLightweight { return nil }
  }

  /// A mapping model that the user names and that no step is done by is a mistake.
  private func requireUse(of mappings: [String], _ library: ModelLibrary) throws(RunError) {
    let used = chain.steps.compactMap { if case .mapped(let mapping) = $0.way { mapping.name } else { nil } }
    for mapping in mappings where !used.contains(URL(fileURLWithPath: mapping).path) {
      let reasons = library.warnings.filter { $0.contains(URL(fileURLWithPath: mapping).path) }
      throw RunError(
        .badPipeline, code: "migration.mapping",
        reasons.isEmpty
          ? "\(mapping) is for none of the steps: \(chain.description)" : reasons.joined(separator: "; "),
        hint: "seedbed inspect \(mapping) shows the entities that it is for")
    }
  }

  /// The folder with all versions, of one of which the path may be.
  private static func folder(of modelPath: String) -> String {
    let parent = (modelPath as NSString).deletingLastPathComponent
    return ["xcdatamodeld", "momd"].contains((parent as NSString).pathExtension) ? parent : modelPath
  }

  private static func hasMappingModels(beside model: String) -> Bool {
    let folder = URL(fileURLWithPath: model).deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { MappingModelReader.isMappingModel(path: "/" + $0) }
  }

  /// Brings the store to the wanted version.
  /// - Throws: `MigrationError`, `StoreMigrationError`, `StoreError`; the store is what it was then.
  func carryOut() throws { try migration.migrateStore(at: store, type: .sqlite, to: target) }
}

extension MigrationError: RunFailure {
  package func runError(store path: String) -> RunError {
    if let underlyingError, underlyingError is StoreError { return RunError(any: underlyingError, store: path) }
    let kind: RunError.Kind =
      switch code {
      case .mappingModel, .policy, .missingSourceModel, .missingMappingModel: .badPipeline
      case .value, .validation: .badData
      case .sourceStore, .destinationStore: .inputOutput
      case .cancelled, .program: .internal
      }
    return RunError(kind, code: "migration.\(code.rawValue)", errorDescription ?? message, hint: hint)
  }
}
