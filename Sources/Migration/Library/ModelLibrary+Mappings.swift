public import ObjectModel

extension ModelLibrary.Mapping {
  /// Whether the mapping model is for these two models: every entity that it maps has the hash in both.
  package func fits(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> Bool {
    !mappingModel.entityMappings.isEmpty
      && mappingModel.entityMappings.allSatisfy { mapping in
        let source = mapping.sourceEntityName.map { name in
          older[name].map { $0.versionHash == mapping.sourceEntityVersionHash ?? $0.versionHash } ?? false
        }
        let destination = mapping.destinationEntityName.map { name in
          newer[name].map { $0.versionHash == mapping.destinationEntityVersionHash ?? $0.versionHash } ?? false
        }
        return source ?? true && destination ?? true
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
