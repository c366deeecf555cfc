public import Foundation

/// A property of an entity, as Core Data's code makes and reads it: a class.
///
/// It may be changed until the model that has it is used; after that a change stops the program, as Core Data raises an
/// exception. A program changes it on one thread before it shares the model. `AttributeDefinition` and
/// `RelationshipDefinition` are the same as values, for code that compares and edits whole models.
public class PropertyDescription: Hashable, @unchecked Sendable {
  // Nothing below changes once the property belongs to a finished model, whatever thread asks.

  /// The description that was given the property, while it is still in use.
  private weak var owner: EntityDescription?
  /// The entity of a finished model.
  private(set) var declaringEntity: Entity?
  /// Whether it stands in a composite attribute, where names are others than those of the entity.
  var isElement = false

  init() {}

  /// Unique among the entity's properties.
  public var name: String {
    get { preconditionFailure("a kind of property without a name") }
    set { preconditionFailure("a kind of property without a name: \(newValue)") }
  }
  /// Whether null is allowed, or no object at the other end. Always true of a fetched property.
  public var isOptional: Bool {
    get { true }
    set { precondition(newValue, "a fetched property is optional") }
  }
  /// Whether it lives in objects only and is not stored. Always true of a fetched property.
  public var isTransient: Bool {
    get { true }
    set { precondition(newValue, "a fetched property is transient") }
  }
  /// Text that enters the version hash, to make versions differ that otherwise would not.
  public var versionHashModifier: String? {
    get { nil }
    set { precondition(newValue == nil, "a fetched property has no version hash to modify") }
  }
  /// The property's name in the version before a rename; the name itself where there is none, as in Core Data.
  public var renamingIdentifier: String? {
    get { name }
    set { precondition(newValue == name, "a fetched property is not stored, so that nothing renames it") }
  }
  /// Free entries of the model's author. They are texts: others are kept as the texts that describe them.
  public var userInfo: [AnyHashable: Any]? {
    get { entries }
    set { entries = UserInfo.texts(newValue) }
  }
  var entries: [String: String] {
    get { [:] }
    set { preconditionFailure("a kind of property without entries: \(newValue)") }
  }

  /// The entity that declares it. A property that no entity has been given stops the program.
  public var entity: EntityDescription {
    guard let entity = owner ?? declaringEntity?.described else {
      preconditionFailure("the property \(name) is of no entity")
    }
    return entity
  }
  /// The 32 bytes with which it enters the version hash of its entity; none of a fetched property. It makes the model
  /// final.
  public var versionHash: Data { Data() }

  /// A property that says the same and is of no entity.
  public func copy() -> Any { preconditionFailure("a kind of property without copies") }

  /// Equal are a property and itself, and two that describe one property of one model.
  public static func == (left: PropertyDescription, right: PropertyDescription) -> Bool {
    if left === right { return true }
    guard let entity = left.declaringEntity, !left.isElement, !right.isElement else { return false }
    return entity == right.declaringEntity && left.name == right.name
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Stops the program where the model is in use; called before each change.
  final func requireChangeable() {
    precondition(
      declaringEntity == nil, "\(name) belongs to a model in use, which does not change; change a copy() of the model")
  }

  /// Makes it a property of an entity, or of none.
  func belong(to entity: EntityDescription?) {
    precondition(
      entity == nil || owner == nil || owner === entity,
      "\(name) is a property of \(owner?.name ?? ""), and cannot be one of \(entity?.name ?? "") as well; give it a copy()"
    )
    owner = entity
  }

  /// Makes it a property of a finished model.
  func attach(to entity: Entity) { declaringEntity = entity }
}

/// Entries of a model's author.
enum UserInfo {
  static func texts(_ entries: [AnyHashable: Any]?) -> [String: String] {
    Dictionary((entries ?? [:]).map { ("\($0.key.base)", "\($0.value)") }, uniquingKeysWith: { first, _ in first })
  }
}
