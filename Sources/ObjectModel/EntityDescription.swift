/// An entity as a model declares it: its own properties only. `Entity` is the same entity inside a validated
/// model, with what it inherits.
public struct EntityDescription: Sendable, Hashable {
  public var name: String
  public var managedObjectClassName: String?
  /// "class", "category", or nil for manual code.
  public var codeGenerationType: String?
  public var isAbstract = false
  public var superentityName: String?
  public var attributes: [AttributeDescription] = []
  public var relationships: [RelationshipDescription] = []
  public var fetchedProperties: [FetchedPropertyDescription] = []
  /// Each constraint is a list of names of attributes or to-one relationships.
  public var uniquenessConstraints: [[String]] = []
  public var fetchIndexes: [FetchIndexDescription] = []
  /// Legacy compound indexes: lists of property names.
  public var compoundIndexes: [[String]] = []
  public var versionHashModifier: String?
  public var renamingIdentifier: String?
  public var userInfo: [String: String] = [:]

  public init(_ name: String) {
    self.name = name
  }
}
