/// Core Data's names of what an entity of a model has.
extension Entity {
  /// `model`
  public var managedObjectModel: ManagedObjectModel { model }
  /// The class of the entity's objects in the app, as the model spells it.
  public var managedObjectClassName: String? { definition.managedObjectClassName }
  /// `subentities`, by their names.
  public var subentitiesByName: [String: Entity] {
    Dictionary(subentities.map { ($0.name, $0) }) { first, _ in first }
  }
  /// The attributes and relationships, inherited ones too, and the fetched properties declared here.
  public var properties: [any PropertyDefinition] {
    attributes as [any PropertyDefinition] + relationships.map(\.definition) + definition.fetchedProperties
  }
  /// `properties`, by their names.
  public var propertiesByName: [String: any PropertyDefinition] {
    Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
  }
  /// The fetch indexes declared here.
  public var indexes: [FetchIndexDefinition] { definition.fetchIndexes }
  /// Free entries of the model's author.
  public var userInfo: [String: String] { definition.userInfo }
  /// The entity's name in the version before a rename.
  public var renamingIdentifier: String? { definition.renamingIdentifier }
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
  public var deleteRule: DeleteRule { definition.deleteRule }
  /// Whether a to-one may be null, and a to-many empty in spite of a minimum count.
  public var isOptional: Bool { definition.isOptional }
  /// The least number of objects.
  public var minCount: Int { definition.minimumCount }
  /// The greatest number of objects; 0 without a limit.
  public var maxCount: Int { definition.maximumCount }
  /// Free entries of the model's author.
  public var userInfo: [String: String] { definition.userInfo }
}

extension ManagedObjectModel {
  /// `entities(inConfiguration:)`
  @_disfavoredOverload public func entities(forConfigurationName name: String?) -> [Entity]? {
    entities(inConfiguration: name)
  }
  /// `fetchRequestTemplates`
  public var fetchRequestTemplatesByName: [String: FetchRequestTemplate] { fetchRequestTemplates }
  /// `versionIdentifier` as a set, empty where there is none. A model that is not in use yet can be given another one;
  /// model files have room for one.
  public var versionIdentifiers: Set<AnyHashable> {
    get {
      let identifier = open(\.versionIdentifier) ?? versionIdentifier
      return identifier.isEmpty ? [] : [identifier]
    }
    set {
      precondition(newValue.count < 2, "a model has one version identifier, and was given \(newValue.count)")
      let identifier = newValue.first.map { "\($0.base)" } ?? ""
      edit { $0.versionIdentifier = identifier }
    }
  }
}
