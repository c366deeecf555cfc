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
    guard let hashes = metadata[StoreMetadataKey.modelVersionHashes] as? [String: Data] else { return nil }
    // Versions all of whose entities the store has.
    var parts: [ManagedObjectModel] = []
    for url in urls(in: bundles) {
      // Mapping models are not asked about.
      let library = try? ModelLibrary(modelURL: url, mappingModelURLs: [])
      for version in library?.versions ?? [] {
        if version.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return version.model }
        let entities: [Entity] = version.model.entities
        if entities.allSatisfy({ hashes[$0.name] == $0.versionHash }) { parts.append(version.model) }
      }
    }
    guard let merged = ManagedObjectModel(byMerging: parts),
      merged.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    else { return nil }
    return merged
  }
}
