/// An entity as a model declares it: its own properties only. `Entity` is the same entity inside a validated
/// model, with what it inherits.
public struct EntityDefinition: Sendable, Hashable {
  /// A letter or underscore, then letters, digits and underscores; unique in its model.
  public var name: String
  /// The class of the entity's objects in the app, as the model spells it (".Stop" is a class of the app's module).
  public var managedObjectClassName: String?
  /// "class", "category", or nil for manual code.
  public var codeGenerationType: String?
  /// Whether only sub-entities have objects.
  public var isAbstract = false
  /// Name of the parent entity.
  public var superentityName: String?
  /// The attributes declared here, in any order.
  public var attributes: [AttributeDefinition] = []
  /// The relationships declared here, in any order.
  public var relationships: [RelationshipDefinition] = []
  /// The fetched properties declared here, in any order.
  public var fetchedProperties: [FetchedPropertyDefinition] = []
  /// Each constraint is a list of names of attributes or to-one relationships.
  public var uniquenessConstraints: [[String]] = []
  /// The fetch indexes declared here, in any order.
  public var fetchIndexes: [FetchIndexDefinition] = []
  /// Legacy compound indexes: lists of property names.
  public var compoundIndexes: [[String]] = []
  /// Text that enters the version hash, to make versions differ that otherwise would not.
  public var versionHashModifier: String?
  /// The entity's name in the version before a rename.
  public var renamingIdentifier: String?
  /// Free entries of the model's author.
  public var userInfo: [String: String] = [:]

  /// An entity without properties. A model refuses one without a name.
  public init(_ name: String = "") {
    self.name = name
  }
}
