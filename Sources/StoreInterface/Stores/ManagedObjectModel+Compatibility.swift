package import Foundation
public import ObjectModel

extension ManagedObjectModel {
  /// Whether a store with that metadata can be opened with the entities of a configuration of this model: it has the
  /// same entities with the same version hashes.
  /// - Parameters:
  ///   - configuration: nil for all entities. False for one that the model does not have.
  ///   - metadata: what `PersistentStoreCoordinator.metadataForPersistentStore(type:at:)` gives.
  public func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    guard let entities = entities(inConfiguration: configuration),
      let stored = metadata[StoreMetadataKey.modelVersionHashes] as? [String: Data]
    else { return false }
    let hashes = entities.map { ($0.name, $0.versionHash) }
    return Dictionary(hashes, uniquingKeysWith: { first, _ in first }) == stored
  }

  /// Compares the version hashes of a store with the model's.
  /// - Throws: `StoreError.incompatibleModel`.
  package func requireVersionHashes(_ stored: [String: Data]) throws(StoreError) {
    let comparison = compareVersionHashes(with: stored)
    if comparison.isCompatible { return }
    throw .incompatibleModel(
      differing: comparison.different, missing: comparison.missing, extra: comparison.unknown)
  }
}
