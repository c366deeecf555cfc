public import ObjectGraph
public import ObjectModel

// Inside the package, an entity is an `Entity`: a light handle. Core Data's code has one class for it. A program that
// imports `Seedbed` finds that class here, under the names of the members that have handles inside. Swift takes these
// before those, which still answer where a program asks for an `Entity`.

extension ManagedObject {
  /// The object's own entity.
  public var entity: EntityDescription { objectID.space.entity.described }
  /// The entity of the class: in the model of the context inside whose `perform` this is called, otherwise in the one
  /// model whose container has the class. Where there is none, or containers with several models have it, it is a
  /// mistake of the program: ask the model, or a context.
  public static func entity() -> EntityDescription {
    let entity: Entity = self.entity()
    return entity.described
  }
}

extension ObjectID {
  /// The object's own entity (not an ancestor).
  public var entity: EntityDescription { space.entity.described }
}

extension ManagedObjectModel {
  /// The entities. A model that is not in use yet can be given others.
  public var entities: [EntityDescription] {
    get { entityDescriptions }
    set { edit { $0.entities = newValue } }
  }
  /// `entities`, by their names.
  public var entitiesByName: [String: EntityDescription] {
    Dictionary(entityDescriptions.map { ($0.name, $0) }) { first, _ in first }
  }
  /// The entities of a configuration, sorted by name; all of them for nil, nil for an unknown configuration.
  public func entities(forConfigurationName name: String?) -> [EntityDescription]? {
    guard let name, name != ManagedObjectModel.defaultConfigurationName else { return entityDescriptions }
    if let entities = open({ $0.configurations[name] }) { return entities }
    return entities(inConfiguration: name)?.map(\.described)
  }
  /// Gives a model that is not in use yet a configuration.
  public func setEntities(_ entities: [EntityDescription], forConfigurationName name: String) {
    edit { $0.configurations[name] = entities }
  }
}

extension FetchRequest {
  /// The entity of the selected objects; looked up by name or class when it is first used.
  public var entity: EntityDescription? {
    get { entityDescription }
    set { entityDescription = newValue }
  }
}

extension BatchInsertRequest {
  /// The entity of the new objects; looked up by name when it is first used.
  public var entity: EntityDescription? { knownEntity?.described }
}

extension BatchUpdateRequest {
  /// The entity of the updated objects; looked up by name when it is first used.
  public var entity: EntityDescription? { knownEntity?.described }
}
