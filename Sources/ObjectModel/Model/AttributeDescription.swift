public import Foundation

/// An attribute, as Core Data's code makes and reads it. It has the members of `AttributeDefinition`, too.
@dynamicMemberLookup
public class AttributeDescription: PropertyDescription, @unchecked Sendable {
  /// `AttributeType`, by the name that Swift gives to Core Data's.
  public typealias AttributeType = ObjectModel.AttributeType

  private var stored: AttributeDefinition

  /// An optional, stored attribute. A model refuses one without a name or a type.
  public override init() { stored = AttributeDefinition() }

  /// The definition: this description as a value, which can be compared, edited and sent anywhere.
  public final var definition: AttributeDefinition { currentDefinition }

  init(_ definition: AttributeDefinition) { stored = definition }

  var currentDefinition: AttributeDefinition { stored }

  final func change(_ edit: (inout AttributeDefinition) -> Void) {
    requireChangeable()
    edit(&stored)
  }

  /// A member of the definition.
  public final subscript<Member>(dynamicMember path: WritableKeyPath<AttributeDefinition, Member>) -> Member {
    get { stored[keyPath: path] }
    set { change { $0[keyPath: path] = newValue } }
  }

  public override var name: String {
    get { stored.name }
    set { change { $0.name = newValue } }
  }
  public override var isOptional: Bool {
    get { stored.isOptional }
    set { change { $0.isOptional = newValue } }
  }
  public override var isTransient: Bool {
    get { stored.isTransient }
    set { change { $0.isTransient = newValue } }
  }
  public override var versionHashModifier: String? {
    get { stored.versionHashModifier }
    set { change { $0.versionHashModifier = newValue } }
  }
  public override var renamingIdentifier: String? {
    get { stored.renamingIdentifier ?? stored.name }
    set { change { $0.renamingIdentifier = newValue } }
  }
  override var entries: [String: String] {
    get { stored.userInfo }
    set { change { $0.userInfo = newValue } }
  }

  // Members of the definition that Core Data's code also names in extensions, where dynamic members need a `self.` in
  // front.

  /// The type of the values.
  public final var attributeType: AttributeType {
    get { self[dynamicMember: \.attributeType] }
    set { self[dynamicMember: \.attributeType] = newValue }
  }
  /// Transformable: the name of the value transformer.
  public final var valueTransformerName: String? {
    get { self[dynamicMember: \.valueTransformerName] }
    set { self[dynamicMember: \.valueTransformerName] = newValue }
  }
  /// Whether large values are kept in files of their own beside the store.
  public final var allowsExternalBinaryDataStorage: Bool {
    get { self[dynamicMember: \.allowsExternalBinaryDataStorage] }
    set { self[dynamicMember: \.allowsExternalBinaryDataStorage] = newValue }
  }
  /// Whether history keeps the value of a deleted object.
  public final var preservesValueInHistoryOnDeletion: Bool {
    get { self[dynamicMember: \.preservesValueInHistoryOnDeletion] }
    set { self[dynamicMember: \.preservesValueInHistoryOnDeletion] = newValue }
  }

  /// The composite type of a `CompositeAttributeDescription`, whose `elements` are set; nil of others.
  public final var composite: AttributeDefinition.CompositeReference? { definition.composite }

  /// The class of the values, as the model names it or as values of the type have it: `NSString`, `NSNumber` and so on.
  /// Nil of a Transformable attribute, a composite and an attribute without a type for which the model names none.
  public final var attributeValueClassName: String? {
    get { stored.attributeValueClassName ?? stored.type.usualClassName }
    set { change { $0.attributeValueClassName = newValue == $0.type.usualClassName ? nil : newValue } }
  }

  /// The value of a new object, as `value(forKey:)` gives it. A value that no attribute can have stops the program; one
  /// that this attribute cannot have is a mistake of the model, which is found when that is finished.
  public final var defaultValue: Any? {
    get { stored.defaultValue.anyValue }
    set {
      guard let value = Value(anyValue: newValue) else {
        preconditionFailure("\(name) cannot have a default of the type \(Swift.type(of: newValue ?? ""))")
      }
      change { $0.defaultValue = value }
    }
  }
  public final override var versionHash: Data { HashRules.hash(of: definition.withConvertedLimits) }
  public final override func copy() -> Any { definition.described }

  override func attach(to entity: Entity) {
    stored = stored.withConvertedLimits
    super.attach(to: entity)
  }
}

/// An attribute whose value is computed from others when an object is saved.
public final class DerivedAttributeDescription: AttributeDescription, @unchecked Sendable {
  /// An attribute that has no `derivationExpression` yet.
  public override init() {
    super.init()
    change { $0.derivation = AttributeDefinition.Derivation(expression: "") }
  }

  override init(_ definition: AttributeDefinition) { super.init(definition) }

  /// The text of the derivation; empty until it is set.
  package var derivationText: String {
    get { definition.derivation?.expression ?? "" }
    set { change { $0.derivation?.expression = newValue } }
  }
}

/// An attribute made of others.
public final class CompositeAttributeDescription: AttributeDescription, @unchecked Sendable {
  private var parts: [AttributeDescription] = []

  /// A composite without elements. Its type has its name.
  public override init() {
    super.init()
    change { $0.type = .composite }
  }

  override init(_ definition: AttributeDefinition) {
    super.init(definition)
    parts = (definition.composite?.elements ?? []).map(\.described)
    for part in parts { part.isElement = true }
  }

  /// The attributes inside, composites among them.
  public var elements: [AttributeDescription] {
    get { parts }
    set {
      requireChangeable()
      for part in parts { part.isElement = false }
      parts = newValue
      for part in parts { part.isElement = true }
    }
  }

  override var currentDefinition: AttributeDefinition {
    var whole = super.currentDefinition
    let type = whole.composite?.name ?? whole.name
    whole.composite = AttributeDefinition.CompositeReference(name: type, elements: parts.map(\.definition))
    return whole
  }

  override func attach(to entity: Entity) {
    super.attach(to: entity)
    for part in parts { part.attach(to: entity) }
  }
}

extension AttributeDefinition {
  /// The same with defaults and limits of the attribute's own type, where they can be: 3 of a Double is 3.0.
  var withConvertedLimits: AttributeDefinition {
    var result = self
    result.defaultValue = converted(defaultValue) ?? defaultValue
    if type != .string {
      result.minimumValue = converted(minimumValue) ?? minimumValue
      result.maximumValue = converted(maximumValue) ?? maximumValue
    }
    if let elements = composite?.elements { result.composite?.elements = elements.map(\.withConvertedLimits) }
    return result
  }

  /// The same as a class of its kind.
  var described: AttributeDescription {
    if composite != nil { return CompositeAttributeDescription(self) }
    return derivation == nil ? AttributeDescription(self) : DerivedAttributeDescription(self)
  }
}
