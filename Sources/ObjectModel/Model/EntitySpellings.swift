/// Core Data's names of what an entity of a model has.
extension Entity {
  /// `model`
  public var managedObjectModel: ManagedObjectModel { model }
  /// The class of the entity's objects in the app, as the model spells it.
  public var managedObjectClassName: String? { description.managedObjectClassName }
  /// `subentities`, by their names.
  public var subentitiesByName: [String: Entity] {
    Dictionary(subentities.map { ($0.name, $0) }) { first, _ in first }
  }
  /// The attributes and relationships, inherited ones too, and the fetched properties declared here.
  public var properties: [any PropertyDescription] {
    attributes as [any PropertyDescription] + relationships.map(\.description) + description.fetchedProperties
  }
  /// `properties`, by their names.
  public var propertiesByName: [String: any PropertyDescription] {
    Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
  }
  /// The fetch indexes declared here.
  public var indexes: [FetchIndexDescription] { description.fetchIndexes }
  /// Free entries of the model's author.
  public var userInfo: [String: String] { description.userInfo }
  /// The entity's name in the version before a rename.
  public var renamingIdentifier: String? { description.renamingIdentifier }
  /// `isKind(of:)`
  public func isKindOf(entity: Entity) -> Bool { isKind(of: entity) }
}

/// Core Data's names of what a relationship of a model has.
extension Relationship {
  /// `destination`
  public var destinationEntity: Entity { destination }
  /// `inverse`
  public var inverseRelationship: Relationship? { inverse }
  /// What a deletion does to the objects at the other end.
  public var deleteRule: DeleteRule { description.deleteRule }
  /// Whether a to-one may be null, and a to-many empty in spite of a minimum count.
  public var isOptional: Bool { description.isOptional }
  /// The least number of objects.
  public var minCount: Int { description.minimumCount }
  /// The greatest number of objects; 0 without a limit.
  public var maxCount: Int { description.maximumCount }
  /// Free entries of the model's author.
  public var userInfo: [String: String] { description.userInfo }
}

extension ManagedObjectModel {
  /// `entities(inConfiguration:)`
  public func entities(forConfigurationName name: String?) -> [Entity]? { entities(inConfiguration: name) }
  /// `fetchRequestTemplates`
  public var fetchRequestTemplatesByName: [String: FetchRequestTemplate] { fetchRequestTemplates }
  /// `versionIdentifier`, alone or not at all.
  public var versionIdentifiers: Set<AnyHashable> { versionIdentifier.isEmpty ? [] : [versionIdentifier] }
}
