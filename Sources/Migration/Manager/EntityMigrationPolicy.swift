public import ObjectGraph
public import ObjectModel

/// How the objects of one entity mapping are made, in stages that a subclass may replace.
///
/// Each entity mapping has a policy of its own while a store is migrated. The stages come in this order: for every
/// mapping `begin`, `createDestinationInstances` of each source object, `endInstanceCreation`; then for every mapping
/// `createRelationships` of each new object, `endRelationshipCreation`; then for every mapping
/// `performCustomValidation`; last `end` for all. An error of a stage ends the migration, and the store stays as it
/// was.
open class EntityMigrationPolicy {
  /// A function that an expression calls. It gets the operands as key-value coding has them (objects, numbers as
  /// `NSNumber`, text, lists), and returns a value of that kind.
  public typealias Function = (_ operands: [Any?]) throws -> Any?

  /// Called by a migration for each mapping that names the policy.
  public required init() {}

  /// The functions that value expressions of the mapping call as `FUNCTION($entityPolicy, "selector:", …)`, by selector
  /// with its colons. The property is read once.
  open var functions: [String: Function] { [:] }

  /// The functions, asked once.
  private(set) final lazy var knownFunctions = functions

  /// Called before the mapping's objects are made. The default does nothing.
  open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

  /// Makes the new objects for a source object: the default inserts an object of the destination entity, sets its
  /// attributes by the mapping's expressions and associates the two. Objects that are made here and not associated get
  /// no relationships later.
  open func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try manager.createDestinationInstance(forSource: source, in: mapping, policy: self)
  }

  /// Called when all objects of the mapping are made. The default does nothing.
  open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Sets the relationships of a new object: the default by the mapping's expressions. The objects of an expression are
  /// added to those that the relationship has already by its inverse or a policy.
  open func createRelationships(
    forDestination destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try manager.createRelationships(forDestination: destination, in: mapping, policy: self)
  }

  /// Called when the relationships of all objects of the mapping are set. The default does nothing.
  open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Checks the mapping's new objects, before the model's own rules are checked. The default does nothing.
  open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

  /// Called when everything is done. The default does nothing.
  open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}

extension EntityMigrationPolicy: PolicyCalls {
  /// The result of a function.
  final func perform(_ selector: String, _ operands: [Any?]) throws -> Any? {
    guard let function = knownFunctions[selector] else {
      throw MigrationError(.policy, "the migration policy has no function \"\(selector)\"")
    }
    return try function(operands)
  }
}
