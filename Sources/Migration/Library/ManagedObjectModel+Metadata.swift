public import Foundation
import ModelFiles
public import ObjectModel
import StoreInterface

extension ManagedObjectModel {
  /// The model that a store was made with, by the version hashes in its metadata: a version of a model in these
  /// bundles, or several of them as one; nil where none fits. What cannot be read is passed over.
  /// - Parameters:
  ///   - bundles: nil for the main one.
  ///   - metadata: what `PersistentStoreCoordinator.metadataForPersistentStore(type:at:)` gives.
  public static func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> ManagedObjectModel? {
    var models: [ManagedObjectModel] = []
    for url in urls(in: bundles) {
      // Mapping models are not asked about.
      let library = try? ModelLibrary(modelURL: url, mappingModelURLs: [])
      for version in library?.versions ?? [] {
        if version.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return version.model }
        models.append(version.model)
      }
    }
    return ManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
  }

  /// The model that a store was made with, by the version hashes in its metadata: those of the models all of whose
  /// entities the store has, as one (see `init(byMerging:)`); nil where that does not fit.
  /// - Parameter metadata: what `PersistentStoreCoordinator.metadataForPersistentStore(type:at:)` gives.
  public convenience init?(byMerging models: [ManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
    guard let hashes = metadata[StoreMetadataKey.modelVersionHashes] as? [String: Data] else { return nil }
    self.init(
      byMerging: models.filter { model in
        let entities: [Entity] = model.entities
        return entities.allSatisfy { hashes[$0.name] == $0.versionHash }
      })
    if !isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return nil }
  }
}
