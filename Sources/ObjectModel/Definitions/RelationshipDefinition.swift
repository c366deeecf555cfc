/// What happens to the objects at the other end of a relationship when an object is deleted.
/// Raw values are those of compiled models.
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
  /// Nothing: they may keep pointing to the deleted object.
  case noActionDeleteRule = 0
  /// Their inverse is cleared.
  case nullifyDeleteRule = 1
  /// They are deleted too.
  case cascadeDeleteRule = 2
  /// The deletion is refused while there are any.
  case denyDeleteRule = 3
}

/// A relationship as a model declares it.
public struct RelationshipDefinition: Sendable, Hashable {
  /// A letter or underscore, then letters, digits and underscores; unique among the entity's properties.
  public var name: String
  /// Name of the entity that it leads to.
  public var destinationEntityName: String
  /// Name of the destination's relationship that leads back.
  public var inverseName: String?
  /// Whether it leads to any number of objects.
  public var isToMany = false
  /// Whether the objects of a to-many relationship have an order of their own.
  public var isOrdered = false
  /// Whether a to-one may be null, and a to-many empty in spite of a minimum count. One that may not be so demands
  /// nothing of a to-many without a minimum count (`isMandatory`).
  public var isOptional = true
  /// Whether it lives in objects only and is not stored.
  public var isTransient = false
  /// The least number of objects; of an optional relationship, when there are any.
  public var minimumCount = 0
  /// 1 for a to-one relationship; 0 for a to-many relationship without an upper limit. Models built in code may also
  /// say -1 for no limit, which gives another version hash.
  public var maximumCount = 1
  /// What a deletion does to the objects at the other end.
  public var deleteRule = DeleteRule.nullify
  /// Text that enters the version hash, to make versions differ that otherwise would not.
  public var versionHashModifier: String?
  /// The relationship's name in the version before a rename.
  public var renamingIdentifier: String?
  /// Free entries of the model's author.
  public var userInfo: [String: String] = [:]

  /// Whether every object needs a destination: not optional, and of a to-many a minimum count of at least 1.
  public var isMandatory: Bool { !isOptional && (!isToMany || minimumCount > 0) }

  /// A to-one relationship to the entity of that name.
  public init(_ name: String, toOne destination: String, inverse: String? = nil) {
    self.name = name
    self.destinationEntityName = destination
    self.inverseName = inverse
  }

  /// A to-many relationship without an upper limit.
  public init(_ name: String, toMany destination: String, inverse: String? = nil, ordered: Bool = false) {
    self.init(name, toOne: destination, inverse: inverse)
    self.isToMany = true
    self.isOrdered = ordered
    self.maximumCount = 0
  }
}
