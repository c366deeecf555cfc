public import Foundation
import Synchronization

/// An entity, as Core Data's code makes and reads it: a class.
///
/// It may be changed until the model that has it is used; after that a change stops the program, as Core Data raises an
/// exception. A program changes it on one thread before it shares the model. `EntityDefinition` is the same as a value,
/// for code that compares and edits whole models; `Entity` is a light handle of one in a finished model.
public final class EntityDescription: Hashable, @unchecked Sendable {
  // What is not behind a lock does not change once the entity belongs to a finished model.

  /// What it says by itself; its properties, indexes and parent are below.
  private var own: EntityDefinition
  private var children: [EntityDescription] = []
  // Strong, because an entity without its parent would be another one; cut when the model is finished.
  private var parent: EntityDescription?
  private var constraints: [[Any]] = []
  private var fetchIndexes: [FetchIndexDescription]?
  /// The properties declared here; nil until the properties of a finished model's entity are asked for.
  private let declared: Mutex<[PropertyDescription]?>
  /// The model that it was put into and that is not in use yet.
  private weak var openModel: ManagedObjectModel?
  private var attached: Entity?

  /// An entity without properties. A model refuses one without a name.
  public init() {
    own = EntityDefinition()
    declared = Mutex([])
  }

  /// The description of an entity of a finished model.
  init(_ entity: Entity) {
    own = entity.definition
    declared = Mutex(nil)
    attached = entity
  }

  /// A description that may be changed and says what a definition does, but for its parent.
  init(copying definition: EntityDefinition) {
    own = definition
    declared = Mutex(nil)
  }

  /// Gives what was copied its links: constraints and indexes to properties, relationships to entities.
  func link(_ entities: [String: EntityDescription]) {
    let properties = propertiesByName
    constraints = own.uniquenessConstraints.map { names in
      names.map { name in
        if let property = properties[name] { return property }
        return name
      }
    }
    fetchIndexes = own.fetchIndexes.map { FetchIndexDescription($0, of: self) }
    for property in ownProperties { (property as? RelationshipDescription)?.link(entities) }
  }

  // MARK: - What it says

  /// Unique in its model.
  public var name: String {
    get { own.name }
    set { change { $0.name = newValue } }
  }
  /// The class of the entity's objects in the app, as the model spells it.
  public var managedObjectClassName: String {
    get { own.managedObjectClassName ?? "NSManagedObject" }
    set { change { $0.managedObjectClassName = newValue } }
  }
  /// Whether only sub-entities have objects.
  public var isAbstract: Bool {
    get { own.isAbstract }
    set { change { $0.isAbstract = newValue } }
  }
  /// Text that enters the version hash, to make versions differ that otherwise would not.
  public var versionHashModifier: String? {
    get { own.versionHashModifier }
    set { change { $0.versionHashModifier = newValue } }
  }
  /// The entity's name in the version before a rename; the name itself where there is none, as in Core Data.
  public var renamingIdentifier: String? {
    get { own.renamingIdentifier ?? own.name }
    set { change { $0.renamingIdentifier = newValue } }
  }
  /// Free entries of the model's author. They are texts: others are kept as the texts that describe them.
  public var userInfo: [AnyHashable: Any]? {
    get { own.userInfo }
    set { change { $0.userInfo = UserInfo.texts(newValue) } }
  }
  /// Each constraint is a list of names of attributes or to-one relationships, or of these themselves. An entity of a
  /// finished model has those of its ancestors, too.
  public var uniquenessConstraints: [[Any]] {
    get { attached?.uniquenessConstraints ?? constraints }
    set {
      requireChangeable()
      constraints = newValue
    }
  }
  /// The fetch indexes declared here.
  public var indexes: [FetchIndexDescription] {
    get { fetchIndexes ?? own.fetchIndexes.map { FetchIndexDescription($0, of: self).finished() } }
    set {
      requireChangeable()
      fetchIndexes = newValue
    }
  }

  // MARK: - Its place among the entities

  /// The direct parent, nil for a root.
  public var superentity: EntityDescription? { attached.map { $0.superentity?.described } ?? parent }
  /// The entities that inherit from it directly. To set them makes this one their parent.
  public var subentities: [EntityDescription] {
    get { attached?.subentities.map(\.described) ?? children }
    set {
      requireChangeable()
      for child in children where child.parent === self { child.parent = nil }
      children = newValue
      for child in children {
        child.requireChangeable()
        child.parent = self
      }
    }
  }
  /// `subentities`, by their names.
  public var subentitiesByName: [String: EntityDescription] {
    Dictionary(subentities.map { ($0.name, $0) }) { first, _ in first }
  }
  /// Whether it is `entity` or descends from it. O(depth).
  public func isKindOf(entity: EntityDescription) -> Bool {
    self == entity || superentity?.isKindOf(entity: entity) == true
  }
  /// The model that it is in. An entity outside a model has none, and stops the program.
  public var managedObjectModel: ManagedObjectModel {
    guard let model = attached?.model ?? openModel ?? parent?.managedObjectModel else {
      preconditionFailure("\(own.name) is in no model")
    }
    return model
  }
  /// The 32 bytes by which Core Data decides whether a store fits. It makes the model final.
  public var versionHash: Data { handle.versionHash }

  // MARK: - Properties

  /// The properties, inherited ones too. To set them replaces those declared here.
  public var properties: [PropertyDescription] {
    get { (superentity?.properties ?? []) + ownProperties }
    set {
      requireChangeable()
      let inherited = Set((parent?.properties ?? []).map { ObjectIdentifier($0) })
      let declared = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
      let former = ownProperties
      for property in former { property.belong(to: nil) }
      for property in declared {
        property.requireChangeable()
        property.belong(to: self)
      }
      self.declared.withLock { $0 = declared }
    }
  }
  /// `properties`, by their names.
  public var propertiesByName: [String: PropertyDescription] { byName(properties) }
  /// The attributes, inherited ones too, by their names.
  public var attributesByName: [String: AttributeDescription] { byName(properties) }
  /// The relationships, inherited ones too, by their names.
  public var relationshipsByName: [String: RelationshipDescription] { byName(properties) }
  /// The relationships that lead to an entity.
  public func relationships(forDestination entity: EntityDescription) -> [RelationshipDescription] {
    properties.compactMap { $0 as? RelationshipDescription }.filter { $0.destinationEntity == entity }
  }

  private var ownProperties: [PropertyDescription] {
    declared.withLock { declared in
      if let declared { return declared }
      let made =
        own.attributes.map(\.described) as [PropertyDescription]
        + own.relationships.map { RelationshipDescription($0) }
        + own.fetchedProperties.map { FetchedPropertyDescription($0) }
      for property in made {
        property.belong(to: self)
        if let attached { property.attach(to: attached) }
      }
      declared = made
      return made
    }
  }

  private func byName<Property: PropertyDescription>(_ properties: [PropertyDescription]) -> [String: Property] {
    let kind = properties.compactMap { $0 as? Property }
    return Dictionary(kind.map { ($0.name, $0) }) { first, _ in first }
  }

  // MARK: - Definitions and handles

  /// An entity that says the same and is in no model, with copies of the properties declared here, without a parent and
  /// without sub-entities.
  public func copy() -> Any {
    let copy = EntityDescription(copying: definition)
    copy.link([:])
    return copy
  }

  /// The same as a value, with what is declared here only.
  public var definition: EntityDefinition {
    if let attached { return attached.definition }
    var whole = own
    whole.superentityName = parent?.own.name
    let properties = ownProperties
    whole.attributes = properties.compactMap { ($0 as? AttributeDescription)?.definition.withConvertedLimits }
    whole.relationships = properties.compactMap { ($0 as? RelationshipDescription)?.definition }
    whole.fetchedProperties = properties.compactMap { ($0 as? FetchedPropertyDescription)?.definition }
    whole.fetchIndexes = (fetchIndexes ?? []).map(\.definition)
    whole.uniquenessConstraints = constraints.map { constraint in
      constraint.map { ($0 as? PropertyDescription)?.name ?? "\($0)" }
    }
    return whole
  }

  /// The same entity as the light handle that most of the package takes. It makes a model final that is being put
  /// together; an entity outside a model stops the program.
  public var handle: Entity {
    if let attached { return attached }
    (openModel ?? parent?.openModel)?.finish()
    guard let attached else { preconditionFailure("the entity \(own.name) is in no model") }
    return attached
  }

  /// It and what descends from it.
  var family: [EntityDescription] { [self] + children.flatMap(\.family) }

  /// Stops the program where another model has it.
  func requireFree(for model: ManagedObjectModel?) {
    precondition(
      attached == nil && (openModel == nil || openModel === model),
      "\(own.name) is an entity of another model; take it out of a copy() of that, or copy() it")
  }

  func belong(to model: ManagedObjectModel?) {
    if model != nil { requireFree(for: model) }
    openModel = model
  }

  /// Makes it an entity of a finished model.
  func attach(to entity: Entity, _ definition: EntityDefinition) {
    let properties = ownProperties
    own = definition
    attached = entity
    for property in properties { property.attach(to: entity) }
    for index in fetchIndexes ?? [] { index.finish() }
    children = []
    parent = nil
    openModel = nil
  }

  /// Equal are an entity and itself, and two that describe one entity of one model.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left === right || left.attached != nil && left.attached == right.attached
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(own.name) }

  private func requireChangeable() {
    precondition(
      attached == nil, "\(own.name) belongs to a model in use, which does not change; change a copy() of the model")
  }

  private func change(_ edit: (inout EntityDefinition) -> Void) {
    requireChangeable()
    edit(&own)
  }
}

extension Entity {
  /// The description of this entity.
  package var described: EntityDescription { model.entityDescription(at: index) }
}

extension EntityDescription: CustomStringConvertible {
  /// The name and the names of its properties.
  public var description: String {
    "<EntityDescription: name \(own.name), properties (\(properties.map(\.name).joined(separator: ", ")))>"
  }
}
