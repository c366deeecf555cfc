import Foundation
public import ObjectModel

extension ModelLibrary.Mapping {
  /// Whether the mapping model is for these two models: every entity that it maps has the hash in both.
  package func fits(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> Bool {
    begins(at: older) && ends(at: newer)
  }

  /// Whether the entities that the mapping model begins at have the hash in a model.
  func begins(at model: ManagedObjectModel) -> Bool { has(model, \.sourceEntityName, \.sourceEntityVersionHash) }

  /// Whether the entities that the mapping model leads to have the hash in a model.
  func ends(at model: ManagedObjectModel) -> Bool {
    has(model, \.destinationEntityName, \.destinationEntityVersionHash)
  }

  private func has(
    _ model: ManagedObjectModel, _ name: KeyPath<EntityMapping, String?>, _ hash: KeyPath<EntityMapping, Data?>
  ) -> Bool {
    !mappingModel.entityMappings.isEmpty
      && mappingModel.entityMappings.allSatisfy { mapping in
        guard let name = mapping[keyPath: name] else { return true }
        return model[name].map { $0.versionHash == mapping[keyPath: hash] ?? $0.versionHash } ?? false
      }
  }

  /// The entities of the older model that have objects and that the mapping model does not speak of: their objects are not
  /// brought over.
  package func uncovered(from older: ManagedObjectModel) -> [String] {
    let covered = Set(mappingModel.entityMappings.compactMap(\.sourceEntityName))
    return older.entities.filter { !$0.isAbstract && !covered.contains($0.name) }.map(\.name)
  }
}

extension ModelLibrary {
  /// The mapping model between two models: the one that leaves the fewest entities out.
  public func mapping(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> Mapping? {
    mappings.filter { $0.fits(from: older, to: newer) }
      .min { $0.uncovered(from: older).count < $1.uncovered(from: older).count }
  }
}
