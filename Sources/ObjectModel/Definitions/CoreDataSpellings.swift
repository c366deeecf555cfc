/// Core Data's longer names.
extension AttributeType {
  /// `undefined`
  public static var undefinedAttributeType: Self { .undefined }
  /// `integer16`
  public static var integer16AttributeType: Self { .integer16 }
  /// `integer32`
  public static var integer32AttributeType: Self { .integer32 }
  /// `integer64`
  public static var integer64AttributeType: Self { .integer64 }
  /// `decimal`
  public static var decimalAttributeType: Self { .decimal }
  /// `double`
  public static var doubleAttributeType: Self { .double }
  /// `float`
  public static var floatAttributeType: Self { .float }
  /// `string`
  public static var stringAttributeType: Self { .string }
  /// `boolean`
  public static var booleanAttributeType: Self { .boolean }
  /// `date`
  public static var dateAttributeType: Self { .date }
  /// `binary`
  public static var binaryData: Self { .binary }
  /// `binary`
  public static var binaryDataAttributeType: Self { .binary }
  /// `uuid`
  public static var UUIDAttributeType: Self { .uuid }
  /// `uri`
  public static var URIAttributeType: Self { .uri }
  /// `transformable`
  public static var transformableAttributeType: Self { .transformable }
  /// `objectID`
  public static var objectIDAttributeType: Self { .objectID }
  /// `composite`
  public static var compositeAttributeType: Self { .composite }
}

extension DeleteRule {
  /// `noActionDeleteRule`
  public static var noAction: Self { .noActionDeleteRule }
  /// `nullifyDeleteRule`
  public static var nullify: Self { .nullifyDeleteRule }
  /// `cascadeDeleteRule`
  public static var cascade: Self { .cascadeDeleteRule }
  /// `denyDeleteRule`
  public static var deny: Self { .denyDeleteRule }
}

extension DeleteRule: CustomStringConvertible {
  /// The shorter name: `nullify`.
  public var description: String {
    switch self {
    case .noActionDeleteRule: "noAction"
    case .nullifyDeleteRule: "nullify"
    case .cascadeDeleteRule: "cascade"
    case .denyDeleteRule: "deny"
    }
  }
}

extension EntityMapping.MappingType {
  /// `undefined`
  public static var undefinedEntityMappingType: Self { .undefined }
  /// `custom`
  public static var customEntityMappingType: Self { .custom }
  /// `add`
  public static var addEntityMappingType: Self { .add }
  /// `remove`
  public static var removeEntityMappingType: Self { .remove }
  /// `copy`
  public static var copyEntityMappingType: Self { .copy }
  /// `transform`
  public static var transformEntityMappingType: Self { .transform }
}

extension AttributeDefinition {
  /// `type`
  public var attributeType: AttributeType {
    get { type }
    set { type = newValue }
  }
}

extension RelationshipDefinition {
  /// `minimumCount`
  public var minCount: Int {
    get { minimumCount }
    set { minimumCount = newValue }
  }
  /// `maximumCount`
  public var maxCount: Int {
    get { maximumCount }
    set { maximumCount = newValue }
  }
}

extension EntityDefinition {
  /// `fetchIndexes`
  public var indexes: [FetchIndexDefinition] {
    get { fetchIndexes }
    set { fetchIndexes = newValue }
  }
  /// Attributes, relationships and fetched properties together, in this order; setting them sorts them by kind.
  public var properties: [any PropertyDefinition] {
    get { attributes as [any PropertyDefinition] + relationships + fetchedProperties }
    set {
      attributes = newValue.compactMap { $0 as? AttributeDefinition }
      relationships = newValue.compactMap { $0 as? RelationshipDefinition }
      fetchedProperties = newValue.compactMap { $0 as? FetchedPropertyDefinition }
    }
  }

  /// The attributes declared here, by their names.
  public var attributesByName: [String: AttributeDefinition] {
    Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first }
  }
  /// The relationships declared here, by their names.
  public var relationshipsByName: [String: RelationshipDefinition] {
    Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first }
  }
  /// `properties`, by their names.
  public var propertiesByName: [String: any PropertyDefinition] {
    Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
  }
}

/// What attributes, relationships and fetched properties have in common. There are no others.
public protocol PropertyDefinition: Sendable {
  /// Unique among the entity's properties.
  var name: String { get set }
  /// Free entries of the model's author.
  var userInfo: [String: String] { get set }
}

extension AttributeDefinition: PropertyDefinition {}
extension RelationshipDefinition: PropertyDefinition {}
extension FetchedPropertyDefinition: PropertyDefinition {}

extension FetchIndexDefinition {
  /// An index over elements.
  public init(name: String, elements: [Element]?) { self.init(name, elements: elements ?? []) }
}
