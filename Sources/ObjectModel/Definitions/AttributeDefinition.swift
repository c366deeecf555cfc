/// An attribute as a model declares it. In a composite attribute, `elements` are its leaf and nested attributes.
public struct AttributeDefinition: Sendable, Hashable {
  /// A letter or underscore, then letters, digits and underscores; unique among the entity's properties.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether null is allowed.
  public var isOptional = true
  /// Whether the value lives in objects only and is not stored.
  public var isTransient = false
  /// The value of a new object; of the attribute's type, or null.
  public var defaultValue: Value = .null
  /// Numbers: the smallest value. String: the smallest length in characters. Date: the earliest date.
  public var minimumValue: Value = .null
  /// Numbers: the largest value. String: the greatest length in characters. Date: the latest date.
  public var maximumValue: Value = .null
  /// An ICU regular expression that the whole string must match.
  public var regularExpression: String?
  /// Conditions of the program's own that every value must meet. Model files do not keep them. Batch requests assign
  /// the elements of a composite attribute, and check the rules of those alone.
  public var validationRules: [ValidationRule] = []
  /// Whether large values may be kept in files beside the store.
  public var allowsExternalBinaryDataStorage = false
  /// Whether the history keeps the value of a deleted object.
  public var preservesValueInHistoryOnDeletion = false
  /// Whether generated accessors use the scalar type, such as `Int64`.
  public var usesScalarValueType = false
  /// Transformable: the name of the value transformer.
  public var valueTransformerName: String?
  /// Transformable: the class of the values in the app.
  public var attributeValueClassName: String?
  /// The legacy per-attribute `indexed` flag.
  public var isIndexed = false
  /// Set for derived attributes: how the value is computed.
  public var derivation: Derivation?
  /// Set for composite attributes: the composite type's name and its elements.
  public var composite: CompositeReference?
  /// Text that enters the version hash, to make versions differ that otherwise would not.
  public var versionHashModifier: String?
  /// The attribute's name in the version before a rename.
  public var renamingIdentifier: String?
  /// Free entries of the model's author.
  public var userInfo: [String: String] = [:]

  /// An optional, stored attribute without a default. A model refuses one without a name or type.
  public init(_ name: String = "", _ type: AttributeType = .undefined) {
    self.name = name
    self.type = type
  }

  /// A condition that every value of an attribute must meet; null is not checked.
  public struct ValidationRule: Sendable, Hashable {
    /// A predicate, as text, in which `SELF` is the value: `SELF BEGINSWITH "A"`.
    public var predicate: String
    /// What is said of a value that does not meet it; nil for a text made of the predicate.
    public var warning: String?

    /// A rule by its predicate.
    public init(predicate: String, warning: String? = nil) {
      self.predicate = predicate
      self.warning = warning
    }
  }

  /// How a derived attribute is computed.
  public struct Derivation: Sendable, Hashable {
    /// A derivation expression in predicate-format text, such as `count:(pages)` or `canonical:(name)`.
    public var expression: String
    /// A predicate, as text, that the objects counted or summed must meet.
    public var filteringPredicate: String?

    /// A derivation by its expression.
    public init(expression: String, filteringPredicate: String? = nil) {
      self.expression = expression
      self.filteringPredicate = filteringPredicate
    }
  }

  /// The composite type that an attribute of type Composite has.
  public struct CompositeReference: Sendable, Hashable {
    /// Name of the composite type, unique among those of the model.
    public var name: String
    /// The attributes inside, composites among them, in any order.
    public var elements: [AttributeDefinition]

    /// A composite type with its elements.
    public init(name: String, elements: [AttributeDefinition]) {
      self.name = name
      self.elements = elements
    }
  }
}
