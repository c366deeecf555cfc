import Foundation
public import ObjectGraph
public import ObjectModel

/// Brings the objects of a store of one model into a store of another, as a mapping model says: Core Data's
/// `NSMigrationManager`.
///
/// Three passes go over all entity mappings, in their order: objects with their attributes, relationships, validation.
/// Before the first every expression of the mapping model is read and checked. Saves in between do not validate; at the
/// end every object of the result must meet the model's rules.
///
/// Objects come in batches, which are saved and let go. What stays in memory is the association table, some 150 bytes
/// for each pair of objects, and whatever policies keep.
///
/// A manager belongs to one thread and does one migration at a time. Subclasses may add functions that expressions
/// call.
open class MigrationManager {
  /// A function of `$manager` that an expression calls; see `EntityMigrationPolicy.Function`.
  public typealias Function = EntityMigrationPolicy.Function

  /// The model of the source store.
  public let sourceModel: ManagedObjectModel
  /// The model of the destination store.
  public let destinationModel: ManagedObjectModel
  /// The policies that mapping models name.
  public var migrationPolicies = MigrationPolicies()
  /// What the program and its policies keep with the manager.
  public var userInfo: [AnyHashable: Any] = [:]
  /// How many source objects are worked on between two saves.
  public var batchSize = 1_000
  /// Called with `migrationProgress` whenever it has changed by a hundredth or more.
  public var progressHandler: ((Double) -> Void)?

  /// The mapping model that is being carried out.
  public internal(set) var mappingModel: MappingModel?
  /// The entity mapping that is being carried out.
  public internal(set) var currentEntityMapping: EntityMapping?
  /// The contexts of both stores. Nil while nothing is being migrated.
  var openSourceContext: ManagedObjectContext?
  var openDestinationContext: ManagedObjectContext?
  /// The context of the source store, which is read-only. Only policies and subclasses have a use for it: to ask for it
  /// while nothing is being migrated is a mistake of the program and stops it.
  public var sourceContext: ManagedObjectContext { duringMigration(openSourceContext) }
  /// The context of the destination store, during a migration as `sourceContext`.
  public var destinationContext: ManagedObjectContext { duringMigration(openDestinationContext) }
  /// How much is done, from 0 to 1; 1 while nothing is being migrated.
  public internal(set) var migrationProgress = 1.0 {
    didSet { tellProgress() }
  }

  var plan: MappingPlan?
  var associations = AssociationTable()
  /// Objects that were associated and have no permanent ids yet.
  var waitingAssociations: [(source: ManagedObject, destination: ManagedObject, mapping: String)] = []
  var cancellation: (any Error)?
  /// What went wrong where a policy asked for instances and nothing could be thrown.
  var lookUpError: (any Error)?
  private(set) lazy var knownFunctions = functions
  private var toldProgress = 1.0

  /// A manager between two models.
  public init(sourceModel: ManagedObjectModel, destinationModel: ManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
  }

  /// The functions that value expressions call as `FUNCTION($manager, "selector:", …)` beside those that every manager
  /// has, by selector with its colons. The property is read once.
  open var functions: [String: Function] { [:] }

  /// Ends the migration with an error as soon as the object is done that is being worked on.
  public func cancelMigrationWithError(_ error: any Error) { cancellation = error }

  /// Empties the association tables. The contexts keep their objects.
  open func reset() {
    associations.removeAll()
    waitingAssociations = []
  }

  private func duringMigration(_ context: ManagedObjectContext?) -> ManagedObjectContext {
    guard let context else { preconditionFailure("a migration manager has contexts only while it migrates a store") }
    return context
  }

  private func tellProgress() {
    guard let progressHandler, abs(migrationProgress - toldProgress) >= 0.01 || migrationProgress == 1 else { return }
    toldProgress = migrationProgress
    progressHandler(migrationProgress)
  }

  // MARK: - Associations

  /// Notes that an entity mapping made a destination object from a source object. Policies that make objects themselves
  /// call it.
  public func associate(
    sourceInstance source: ManagedObject, withDestinationInstance destination: ManagedObject,
    for mapping: EntityMapping
  ) {
    waitingAssociations.append((source, destination, mapping.name))
  }

  /// The objects that an entity mapping made from source objects, in their order; without source objects, all that the
  /// mapping made. A name that no mapping has and an error of the store end the migration with that error; there are no
  /// objects then.
  public func destinationInstances(
    forEntityMappingName name: String, sourceInstances: [ManagedObject]?
  ) -> [ManagedObject] {
    orEndingMigration { try destinations(ofMapping: name, from: sourceInstances) }
  }

  /// The source objects from which an entity mapping made destination objects, in their order; without destination
  /// objects, all source objects of the mapping. Errors are those of
  /// `destinationInstances(forEntityMappingName:sourceInstances:)`.
  public func sourceInstances(
    forEntityMappingName name: String, destinationInstances: [ManagedObject]?
  ) -> [ManagedObject] {
    orEndingMigration { try sources(ofMapping: name, to: destinationInstances) }
  }

  private func orEndingMigration(_ find: () throws -> [ManagedObject]) -> [ManagedObject] {
    do {
      return try find()
    } catch {
      if lookUpError == nil { lookUpError = error }
      return []
    }
  }

  /// - Throws: `MigrationError` when there is no mapping of that name; what the store throws.
  func destinations(ofMapping name: String, from sourceInstances: [ManagedObject]?) throws -> [ManagedObject] {
    try requireMapping(name)
    try identifyAssociated()
    let ids =
      sourceInstances.map { $0.flatMap { associations.destinations(of: $0.objectID, mapping: name) } }
      ?? associations.destinations(mapping: name)
    return try objects(ids, openDestinationContext)
  }

  /// - Throws: `MigrationError` when there is no mapping of that name; what the store throws.
  func sources(ofMapping name: String, to destinationInstances: [ManagedObject]?) throws -> [ManagedObject] {
    try requireMapping(name)
    try identifyAssociated()
    let ids =
      destinationInstances.map { $0.flatMap { associations.sources(of: $0.objectID, mapping: name) } }
      ?? associations.sources(mapping: name)
    return try objects(ids, openSourceContext)
  }

  /// The objects that any mapping made from source objects, as far as a relationship of the new object can lead to
  /// them.
  func destinationInstances(
    leadingFrom relationship: Relationship?, sourceInstances: [ManagedObject]
  ) throws -> [ManagedObject] {
    try identifyAssociated()
    var seen: Set<ObjectID> = []
    let names = mappingModel?.entityMappings.map(\.name) ?? []
    let ids = sourceInstances.flatMap { source in
      names.flatMap { associations.destinations(of: source.objectID, mapping: $0) }
    }
    let fitting = ids.filter { id in
      seen.insert(id).inserted && relationship.map { id.entity.isKind(of: $0.destination) } ?? true
    }
    return try objects(fitting, openDestinationContext)
  }

  private func requireMapping(_ name: String) throws(MigrationError) {
    if mappingModel?.entityMappings.contains(where: { $0.name == name }) == true { return }
    throw MigrationError(.mappingModel, "there is no entity mapping \"\(name)\"")
  }

  private func objects(_ ids: [ObjectID], _ context: ManagedObjectContext?) throws -> [ManagedObject] {
    guard let context, !ids.isEmpty else { return [] }
    return try context.objects(with: ids).filter { !$0.isDeleted }
  }

  /// Gives associated objects their permanent ids, under which they are looked up.
  func identifyAssociated() throws {
    if waitingAssociations.isEmpty { return }
    let pairs = waitingAssociations
    waitingAssociations = []
    try openDestinationContext?.obtainPermanentIDs(for: pairs.map(\.destination))
    for pair in pairs where pair.destination.managedObjectContext != nil {
      associations.associate(pair.source.objectID, pair.destination.objectID, mapping: pair.mapping)
    }
  }
}
