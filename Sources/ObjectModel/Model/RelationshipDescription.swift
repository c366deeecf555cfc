public import Foundation

/// A relationship, as Core Data's code makes and reads it.
///
/// While a model is put together it leads to descriptions, `destinationEntity` and `inverseRelationship`; in a finished
/// model both are found by their names.
public final class RelationshipDescription: PropertyDescription, @unchecked Sendable {
  private var stored: RelationshipDefinition
  // Descriptions of a model that is being put together hold each other; the links are cut when it is finished.
  private var destination: EntityDescription?
  private var inverse: RelationshipDescription?

  /// An optional to-one relationship. A model refuses one without a name or a destination.
  public override init() { stored = RelationshipDefinition("", toOne: "") }

  init(_ definition: RelationshipDefinition) { stored = definition }

  /// The definition: this description as a value, which can be compared, edited and sent anywhere.
  public var definition: RelationshipDefinition {
    var whole = stored
    if let destination { whole.destinationEntityName = destination.name }
    if let inverse { whole.inverseName = inverse.name }
    return whole
  }

  private func change(_ edit: (inout RelationshipDefinition) -> Void) {
    requireChangeable()
    edit(&stored)
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

  public override var versionHash: Data { entity.handle.versionHash(ofRelationship: name) }
  public override func copy() -> Any { RelationshipDescription(definition) }

  /// The least number of objects.
  public var minCount: Int {
    get { stored.minimumCount }
    set { change { $0.minimumCount = newValue } }
  }
  /// The greatest number of objects: 1 makes a to-one relationship, 0 a to-many one without a limit.
  public var maxCount: Int {
    get { stored.maximumCount }
    set {
      change {
        $0.maximumCount = newValue
        $0.isToMany = newValue != 1
      }
    }
  }
  /// Whether it leads to any number of objects.
  public var isToMany: Bool { stored.isToMany }
  /// Whether the objects of a to-many relationship have an order of their own.
  public var isOrdered: Bool {
    get { stored.isOrdered }
    set { change { $0.isOrdered = newValue } }
  }
  /// What a deletion does to the objects at the other end.
  public var deleteRule: DeleteRule {
    get { stored.deleteRule }
    set { change { $0.deleteRule = newValue } }
  }

  /// The entity that it leads to.
  public var destinationEntity: EntityDescription? {
    get {
      if let destination { return destination }
      guard let model = declaringEntity?.model else { return nil }
      return model[stored.destinationEntityName].map { model.entityDescription(at: $0.index) }
    }
    set {
      requireChangeable()
      destination = newValue
      if newValue == nil { stored.destinationEntityName = "" }
    }
  }
  /// The relationship that leads back. Each of the two has to be told the other, as in Core Data.
  public var inverseRelationship: RelationshipDescription? {
    get { inverse ?? stored.inverseName.flatMap { destinationEntity?.relationshipsByName[$0] } }
    set {
      requireChangeable()
      inverse = newValue
      if newValue == nil { stored.inverseName = nil }
    }
  }

  /// Links it to the destination and the inverse that it names, among the entities of a model that may be changed.
  func link(_ entities: [String: EntityDescription]) {
    destination = entities[stored.destinationEntityName]
    inverse = stored.inverseName.flatMap { destination?.relationshipsByName[$0] }
  }

  /// From then on it names its destination and inverse, and does not hold them.
  override func attach(to entity: Entity) {
    stored = definition
    super.attach(to: entity)
    destination = nil
    inverse = nil
  }
}
