import Foundation
package import ModelFiles
import ObjectModel
import Pipelines
package import SQLMigration

/// The model that a store was made with, and the one that it is to be migrated to.
package struct MigrationModels {
  /// The model that the store was made with.
  package let source: ModelFile
  /// The model that is wanted.
  package let target: ModelFile

  /// A warning when it is not sure that `source` is the store's model.
  package private(set) var doubt: String?

  /// Whether there is nothing to do.
  package var isUpToDate: Bool {
    source.model.entityVersionHashesByName == target.model.entityVersionHashesByName
  }

  /// Looks for the version with the store's hashes in the model's folder, else for the model that the store carries.
  /// - Parameters:
  ///   - target: the version that is wanted.
  ///   - modelPath: the folder that has it.
  /// - Throws: `ModelError` when a version cannot be read and no other fits; `RunError` when the store's model is not
  ///   known, or is not among the versions and has what the wanted one has not, so that the store is probably newer;
  ///   `StoreError` when the store cannot be read.
  package init(storePath: String, target: ModelFile, modelPath: String) throws {
    let origin = try StoreOrigin(storePath: storePath, modelPath: modelPath)
    let hashes = origin.hashes
    if target.model.entityVersionHashesByName == hashes,
      origin.carried != nil || target.model.ruledVersionHashes == hashes
    {
      (source, self.target) = (target, target)
      return
    }
    let search = origin.search()
    let fitting = origin.fitting(target, search)
    if fitting.model.entityVersionHashesByName == hashes {
      // A version whose own hashes equal the store's is preferred to one that takes the store's.
      let isOther = !search.names.isEmpty && !search.names.contains(target.versionName)
      (source, self.target) = isOther ? (search.file ?? fitting, target) : (fitting, fitting)
      doubt = origin.doubt(source, search)
      return
    }
    self.target = fitting
    if let known = search.file {
      source = known
      doubt = origin.doubt(known, search)
      return
    }
    do {
      source = try Self.carried(by: storePath, hashes, fitting, modelPath)
    } catch {
      // The store's version may be the one that cannot be read.
      throw search.failure ?? error
    }
  }

  private static func carried(
    by storePath: String, _ hashes: [String: Data], _ target: ModelFile, _ modelPath: String
  ) throws -> ModelFile {
    let carried = (try? StoreModel.readCached(storePath: storePath))?.takingUnconfirmedHashes(from: hashes)
    guard let carried, carried.model.compareVersionHashes(with: hashes).isCompatible else {
      throw RunError(
        .badPipeline, code: "migration.source",
        "\(storePath) was made with none of the versions of \(modelPath), and carries no model that fits it",
        hint:
          "give the model of the app that made the store; seedbed inspect \(FilePath.argument(storePath)) shows its version hashes"
      )
    }
    // Unknown parts may belong to a newer version, so the migration is refused and nothing is dropped.
    let losses = carried.model.lightweightMigration(to: target.model).losses
    guard losses.isEmpty else {
      throw RunError(
        .badPipeline, code: "migration.newer",
        "\(storePath) was made with a version that \(modelPath) does not have, perhaps a newer one: "
          + losses.map(\.description).joined(separator: "; "),
        hint: "give the newest version of the app's model")
    }
    return carried
  }

  /// How a store is migrated to `target`, with the model that it then carries.
  package func options() throws -> StoreMigration.Options {
    var options = StoreMigration.Options()
    options.modelCache = try StoreModel.cacheContent(of: target)
    return options
  }
}
