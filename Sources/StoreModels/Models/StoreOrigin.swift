import CoreDataLayout
package import Foundation
package import ModelFiles
package import ObjectModel
import Pipelines

/// Finds the version of a model that a store was made with, by its version hashes. Where these rest on rules that no
/// store of Apple's has confirmed, the model that the store carries decides, and in a store without one the columns of
/// its tables.
package struct StoreOrigin {
  private let source: SourceVersion
  /// The store's version hashes by entity.
  package var hashes: [String: Data] { source.hashes }
  /// The model that the store carries, as far as it is sound and has its hashes.
  package var carried: ManagedObjectModel? { source.carried }
  private let storePath: String
  private let modelPath: String

  /// Reads the version hashes of a store, and its model or the shape of its tables.
  /// - Throws: `StoreError`.
  package init(storePath: String, modelPath: String) throws {
    self.storePath = storePath
    self.modelPath = modelPath
    source = try SourceVersion(storeAt: storePath)
  }

  /// The versions of the model's folder by whose hashes the store was made.
  package func search() -> VersionSearch {
    VersionSearch(path: VersionSearch.folder(ofModelAt: modelPath), source)
  }

  /// A version whose uncertain hashes are replaced by those of the store, where the store was made with that version.
  package func fitting(_ file: ModelFile, _ search: @autoclosure () -> VersionSearch) -> ModelFile {
    if carried != nil { return file.takingUnconfirmedHashes(from: hashes, carrying: carried) }
    guard file.model.entities.contains(where: \.restsOnUnconfirmedHashRule) else { return file }
    let search = search()
    if let other = search.file, !search.names.contains(file.versionName) {
      return file.takingUnconfirmedHashes(from: hashes, carrying: other.model)
    }
    let known = source.shape?.entities(of: file.model)
    return file.takingUnconfirmedHashes(from: hashes.filter { known?.contains($0.key) ?? true })
  }

  /// The warning about a version that is chosen by the store's columns alone.
  package func doubt(_ file: ModelFile, _ search: VersionSearch) -> String? {
    let ruled = file.model.ruledVersionHashes
    guard carried == nil, !search.isSure, ruled != hashes else { return nil }
    if search.names.isEmpty, let own = try? StoreModel.readFile(path: modelPath),
      own.model.entityVersionHashesByName == hashes
    {
      return nil
    }
    let entities = hashes.keys.filter { ruled[$0] != hashes[$0] }.sorted()
    let others = search.names.filter { $0 != file.versionName }
    let version = file.versionName.isEmpty ? "the given model" : file.versionName
    return
      "\(FilePath.shown(storePath)) carries no model, and its version hashes of \(entities.joined(separator: ", ")) cannot be "
      + "computed for sure: by the columns of its tables it is taken for one of \(version)"
      + (others.isEmpty ? "" : ", as it could be for one of \(others.joined(separator: ", "))")
  }
}
