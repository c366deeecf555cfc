import ObjectModel
import StoreInterface

/// What contexts need to know of an entity, computed once per container.
final class EntityRuntime: Sendable {
  let layout: EntityLayout
  private let attributeNames: AttributeNames
  let validators: [AttributeValidator]
  /// The rule that decides most values, for each attribute.
  let plainRules: [AttributeValidator.PlainRule]
  /// For each attribute, whether `normalized` may change a value.
  let isNormalized: [Bool]
  let defaultValues: [Value]
  let objectClass: ManagedObject.Type
  /// Whether the count of members (or the presence of a destination) of each relationship is limited.
  let hasCountLimit: [Bool]
  /// Facts about a relationship that are needed often.
  struct Link {
    let isToMany: Bool
    let isOptional: Bool
    /// `Entity.index` of the destination.
    let destinationIndex: Int
    let isInverseToMany: Bool
    /// The position of the inverse among the relationships of the destination.
    let inverseIndex: Int?
  }
  let links: [Link]
  /// Whether the store computes some of the values.
  let hasDerivedAttributes: Bool
  let hasBinaryAttributes: Bool
  /// The destinations of a new object: nil for every relationship.
  let emptyDestinations: [ObjectID?]
  /// The member lists of a new object: an empty list for every to-many relationship.
  let emptyMemberLists: [MemberList?]
  /// Whether there is a to-many relationship.
  let hasToMany: Bool
  /// Positions of transient attributes.
  let transientAttributes: [Int]
  let transientProperties: PropertySet
  /// Whether a `PropertySet` can name every property of an object, because they are few enough and each is one column.
  let tellsPropertiesApart: Bool
  /// Whether objects are of a subclass, which may override hooks.
  let hasSubclass: Bool

  var entity: Entity { layout.entity }

  /// The position of the attribute of that name; nil where there is none.
  @inline(__always) func attributeIndex(_ name: String) -> Int? {
    attributeNames.position(name) ?? layout.attributeIndexes[name]
  }

  init(_ layout: EntityLayout, classes: [String: ManagedObject.Type]) throws(ModelError) {
    self.layout = layout
    attributeNames = AttributeNames(layout.attributes.map(\.name))
    var validators: [AttributeValidator] = []
    for attribute in layout.attributes { validators.append(try AttributeValidator(attribute)) }
    self.validators = validators
    plainRules = validators.map(\.plainRule)
    isNormalized = layout.attributes.map { $0.type == .float || $0.composite != nil }
    defaultValues = layout.attributes.map(\.initialValue)
    let description = layout.entity.description
    objectClass =
      description.managedObjectClassName.flatMap { classes[$0] } ?? classes[description.name] ?? ManagedObject.self
    transientAttributes = layout.attributes.indices.filter { layout.attributes[$0].isTransient }
    var transients = PropertySet()
    for index in transientAttributes { transients.insert(attribute: index) }
    transientProperties = transients
    emptyDestinations = Array(repeating: nil, count: layout.relationships.count)
    emptyMemberLists = layout.relationships.map { $0.isToMany ? MemberList(stored: []) : nil }
    hasToMany = layout.relationships.contains(where: \.isToMany)
    tellsPropertiesApart =
      layout.attributes.count <= PropertySet.capacity && layout.relationships.count <= PropertySet.capacity
      && layout.attributes.allSatisfy { $0.composite == nil }
    hasSubclass = objectClass != ManagedObject.self
    hasDerivedAttributes = layout.attributes.contains { $0.derivation != nil }
    hasBinaryAttributes = layout.attributes.contains { attribute in
      StoredAttribute.leaves(of: attribute).contains { [.binary, .transformable].contains($0.attribute.type) }
    }
    links = layout.relationships.enumerated().map { index, relationship in
      let inverse = layout.inverses[index]
      let destination = relationship.destination
      return Link(
        isToMany: relationship.isToMany, isOptional: relationship.description.isOptional,
        destinationIndex: destination.index, isInverseToMany: inverse?.isToMany ?? false,
        inverseIndex: inverse.flatMap { inverse in destination.relationships.firstIndex { $0.name == inverse.name } })
    }
    hasCountLimit = layout.relationships.map { relationship in
      let rules = relationship.description
      return rules.isToMany && (rules.minimumCount > 0 || rules.maximumCount > 0)
    }
  }

  /// Whether the entity, or its class in the model, has the name of a class.
  func isNamed(_ objectClass: ManagedObject.Type) -> Bool {
    let name = "\(objectClass)"
    return entity.name == name || entity.description.managedObjectClassName == name
  }

  /// The position of the relationship in the entity's own layout.
  func index(of relationship: Relationship) -> Int? { layout.relationshipIndexes[relationship.name] }
}
