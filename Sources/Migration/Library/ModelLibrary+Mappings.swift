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
    mistakes.isEmpty
      && mappingModel.entityMappings.allSatisfy { mapping in
        guard let name = mapping[keyPath: name] else { return true }
        return model[name].map { $0.versionHash == mapping[keyPath: hash] ?? $0.versionHash } ?? false
      }
  }

  /// Whether the mapping model, which has mistakes, is for two models as far as its entities are there: one at least
  /// has the hash, and none another.
  func isMeant(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> Bool {
    if mistakes.isEmpty { return false }
    var isMeant = false
    for mapping in mappingModel.entityMappings {
      for (model, name, hash) in [
        (older, mapping.sourceEntityName, mapping.sourceEntityVersionHash),
        (newer, mapping.destinationEntityName, mapping.destinationEntityVersionHash),
      ] {
        guard let name, let hash else { continue }
        guard model[name]?.versionHash == hash else { return false }
        isMeant = true
      }
    }
    return isMeant
  }

  /// The entities of the older model that have objects and a successor in the newer one, and that the mapping model
  /// does not speak of: Core Data brings objects over by entity mappings alone, so theirs go, whether or not the entity
  /// changes.
  package func uncovered(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> [String] {
    let covered = Set(mappingModel.entityMappings.compactMap(\.sourceEntityName))
    let left = older.entities.filter { !$0.isAbstract && !covered.contains($0.name) }
    if left.isEmpty { return [] }
    let successions = older.successions(in: newer)
    return left.map(\.name).filter { successions[$0] != nil }
  }

  /// Whether it maps an entity that differs between the two models. A mapping model that maps no such entity fits the
  /// two by chance, and is meant for other versions.
  func changesSomething(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> Bool {
    mappingModel.entityMappings.contains { mapping in
      let source = mapping.sourceEntityName.flatMap { older[$0] }
      let destination = mapping.destinationEntityName.flatMap { newer[$0] }
      return source?.name != destination?.name || source?.versionHash != destination?.versionHash
    }
  }
}

extension ModelLibrary {
  /// The mapping model between two models: the one that leaves the fewest entities out.
  public func mapping(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> Mapping? {
    mappings.filter { $0.fits(from: older, to: newer) }
      .min { $0.uncovered(from: older, to: newer).count < $1.uncovered(from: older, to: newer).count }
  }
}
