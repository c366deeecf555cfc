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
  /// `noAction`
  public static var noActionDeleteRule: Self { .noAction }
  /// `nullify`
  public static var nullifyDeleteRule: Self { .nullify }
  /// `cascade`
  public static var cascadeDeleteRule: Self { .cascade }
  /// `deny`
  public static var denyDeleteRule: Self { .deny }
}

extension AttributeDescription {
  /// `type`
  public var attributeType: AttributeType {
    get { type }
    set { type = newValue }
  }
}

extension RelationshipDescription {
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

extension EntityDescription {
  /// `fetchIndexes`
  public var indexes: [FetchIndexDescription] {
    get { fetchIndexes }
    set { fetchIndexes = newValue }
  }
  /// Attributes, relationships and fetched properties together, in this order; setting them sorts them by kind.
  public var properties: [any PropertyDescription] {
    get { attributes as [any PropertyDescription] + relationships + fetchedProperties }
    set {
      attributes = newValue.compactMap { $0 as? AttributeDescription }
      relationships = newValue.compactMap { $0 as? RelationshipDescription }
      fetchedProperties = newValue.compactMap { $0 as? FetchedPropertyDescription }
    }
  }

  /// The attributes declared here, by their names.
  public var attributesByName: [String: AttributeDescription] {
    Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first }
  }
  /// The relationships declared here, by their names.
  public var relationshipsByName: [String: RelationshipDescription] {
    Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first }
  }
  /// `properties`, by their names.
  public var propertiesByName: [String: any PropertyDescription] {
    Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
  }
}

/// What attributes, relationships and fetched properties have in common. There are no others.
public protocol PropertyDescription: Sendable {
  /// Unique among the entity's properties.
  var name: String { get set }
  /// Free entries of the model's author.
  var userInfo: [String: String] { get set }
}

extension AttributeDescription: PropertyDescription {}
extension RelationshipDescription: PropertyDescription {}
extension FetchedPropertyDescription: PropertyDescription {}

/// Core Data's name of the elements of an index.
public typealias FetchIndexElementDescription = FetchIndexDescription.Element

extension FetchIndexDescription {
  /// An index over elements.
  public init(name: String, elements: [Element]?) { self.init(name, elements: elements ?? []) }
}
