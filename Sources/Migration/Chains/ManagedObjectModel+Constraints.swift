import ObjectModel

extension ManagedObjectModel {
  /// The same without uniqueness constraints, in which objects are made before duplicates are resolved; nil where there
  /// are none.
  func withoutConstraints() throws -> ManagedObjectModel? {
    guard definitions.contains(where: { !$0.uniquenessConstraints.isEmpty }) else { return nil }
    var entities = definitions
    for index in entities.indices { entities[index].uniquenessConstraints = [] }
    return try ManagedObjectModel(entities: entities)
  }
}

extension MappingModel {
  /// The same for a destination whose entities have other hashes than its author knew.
  var withoutDestinationHashes: MappingModel {
    var model = self
    for index in model.entityMappings.indices { model.entityMappings[index].destinationEntityVersionHash = nil }
    return model
  }
}
