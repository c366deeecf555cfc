public import Foundation

/// How objects of one model become objects of another, entity by entity, as in a mapping model of Core Data.
public struct MappingModel: Sendable, Hashable {
  /// The mappings in the order in which they are carried out. Their names are unique.
  public var entityMappings: [EntityMapping]

  /// A mapping model of these parts.
  public init(entityMappings: [EntityMapping]) { self.entityMappings = entityMappings }

  /// The mappings by their names.
  public var entityMappingsByName: [String: EntityMapping] {
    Dictionary(entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

/// How objects of one entity become objects of another.
public struct EntityMapping: Sendable, Hashable {
  /// What a mapping does. Raw values are those of compiled mapping models.
  public enum MappingType: Int, Sendable, Hashable, CaseIterable {
    /// The program creates the instances.
    case undefined = 0
    /// A migration policy does.
    case custom = 1
    /// The entity is new: there is nothing that its objects could come from.
    case add = 2
    /// The entity is gone.
    case remove = 3
    /// Objects are mapped, and their entity stays as it is.
    case copy = 4
    /// Objects are mapped.
    case transform = 5
  }

  /// Unique in the mapping model, such as `NoteToNote`.
  public var name: String
  /// The type of the mapping.
  public var mappingType: MappingType
  /// Nil for a new entity.
  public var sourceEntityName: String?
  /// Nil for one that is gone.
  public var destinationEntityName: String?
  /// The version hash of the source entity, 32 bytes, where it is known.
  public var sourceEntityVersionHash: Data?
  /// The version hash of the destination entity, 32 bytes, where it is known.
  public var destinationEntityVersionHash: Data?
  /// The expression of the source instances, in the format language; nil for none.
  public var sourceExpression: String?
  /// The class of the migration policy as the file has it; nil for the default one.
  public var entityMigrationPolicyClassName: String?
  /// The values for the attributes of a new object, sorted by name without regard to case.
  public var attributeMappings: [PropertyMapping] = []
  /// The values for its relationships, sorted likewise.
  public var relationshipMappings: [PropertyMapping] = []
  /// Free entries of the author.
  public var userInfo: [String: String] = [:]

  /// A mapping without properties yet.
  public init(
    _ name: String, _ type: MappingType, from sourceEntityName: String? = nil, to destinationEntityName: String? = nil
  ) {
    self.name = name
    mappingType = type
    self.sourceEntityName = sourceEntityName
    self.destinationEntityName = destinationEntityName
  }
}

/// The value for a property of a new object.
public struct PropertyMapping: Sendable, Hashable {
  /// The property of the destination entity.
  public var name: String
  /// The value in the format language, over `$source`, `$manager` and the like; nil leaves the property as it is.
  public var valueExpression: String?

  /// A mapping of a property.
  public init(_ name: String, _ valueExpression: String? = nil) {
    self.name = name
    self.valueExpression = valueExpression
  }
}
