/// An attribute as a model declares it. In a composite attribute, `elements` are its leaf and nested attributes.
public struct AttributeDescription: Sendable, Hashable {
  public var name: String
  public var type: AttributeType
  public var isOptional = true
  public var isTransient = false
  public var defaultValue: Value = .null
  /// Numbers: the smallest value. String: the smallest length in characters. Date: the earliest date.
  public var minimumValue: Value = .null
  /// Numbers: the largest value. String: the greatest length in characters. Date: the latest date.
  public var maximumValue: Value = .null
  /// An ICU regular expression that the whole string must match.
  public var regularExpression: String?
  public var allowsExternalBinaryDataStorage = false
  public var preservesValueInHistoryOnDeletion = false
  public var usesScalarValueType = false
  public var valueTransformerName: String?
  public var attributeValueClassName: String?
  /// The legacy per-attribute `indexed` flag.
  public var isIndexed = false
  /// Set for derived attributes: how the value is computed.
  public var derivation: Derivation?
  /// Set for composite attributes: the composite type's name and its elements.
  public var composite: CompositeReference?
  public var versionHashModifier: String?
  public var renamingIdentifier: String?
  public var userInfo: [String: String] = [:]

  public init(_ name: String, _ type: AttributeType) {
    self.name = name
    self.type = type
  }

  /// How a derived attribute is computed.
  public struct Derivation: Sendable, Hashable {
    /// A derivation expression in predicate-format text, such as `count:(pages)` or `canonical:(name)`.
    public var expression: String
    public var filteringPredicate: String?
    public init(expression: String, filteringPredicate: String? = nil) {
      self.expression = expression
      self.filteringPredicate = filteringPredicate
    }
  }

  /// The composite type that an attribute of type Composite has.
  public struct CompositeReference: Sendable, Hashable {
    public var name: String
    public var elements: [AttributeDescription]
    public init(name: String, elements: [AttributeDescription]) {
      self.name = name
      self.elements = elements
    }
  }
}

/// What happens to the objects at the other end of a relationship when an object is deleted.
/// Raw values are those of compiled models.
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
  case noAction = 0
  case nullify = 1
  case cascade = 2
  case deny = 3
}

/// A relationship as a model declares it.
public struct RelationshipDescription: Sendable, Hashable {
  public var name: String
  public var destinationEntityName: String
  public var inverseName: String?
  public var isToMany = false
  public var isOrdered = false
  public var isOptional = true
  public var isTransient = false
  public var minimumCount = 0
  /// 1 for a to-one relationship; 0 for a to-many relationship without an upper limit.
  public var maximumCount = 1
  public var deleteRule = DeleteRule.nullify
  public var versionHashModifier: String?
  public var renamingIdentifier: String?
  public var userInfo: [String: String] = [:]

  /// A to-one relationship.
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

/// A fetched property: a named fetch request that hangs on an entity. It is never stored and never hashed.
public struct FetchedPropertyDescription: Sendable, Hashable {
  public var name: String
  public var fetchRequest: FetchRequestTemplate
  public var userInfo: [String: String] = [:]
  public init(_ name: String, fetchRequest: FetchRequestTemplate) {
    self.name = name
    self.fetchRequest = fetchRequest
  }
}

/// A fetch request that a model holds by name, with its predicate as text.
public struct FetchRequestTemplate: Sendable, Hashable {
  public var name: String
  public var entityName: String
  public var predicate: String?
  public var fetchLimit = 0
  public var fetchBatchSize = 0
  /// Raw result type: 0 objects, 1 object ids, 2 dictionaries, 4 count.
  public var resultType = 0
  public var includesSubentities = true
  public var includesPropertyValues = true
  public var includesPendingChanges = true
  public var returnsObjectsAsFaults = true
  public var returnsDistinctResults = false
  public init(_ name: String, entityName: String, predicate: String? = nil) {
    self.name = name
    self.entityName = entityName
    self.predicate = predicate
  }
}

/// A fetch index: a named database index over one or more elements.
public struct FetchIndexDescription: Sendable, Hashable {
  public var name: String
  public var elements: [Element]
  public var partialIndexPredicate: String?
  public init(_ name: String, elements: [Element], partialIndexPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialIndexPredicate = partialIndexPredicate
  }

  /// One element of a fetch index.
  public struct Element: Sendable, Hashable {
    public enum Kind: Int, Sendable, Hashable {
      case binary = 0
      case rTree = 1
    }
    /// The element is a property, or an expression such as `self` or `entity`.
    public enum Content: Sendable, Hashable {
      case property(String)
      case expression(String, type: String?)
    }
    public var content: Content
    public var kind: Kind
    public var isAscending: Bool
    public init(_ content: Content, kind: Kind = .binary, isAscending: Bool = true) {
      self.content = content
      self.kind = kind
      self.isAscending = isAscending
    }
  }
}
