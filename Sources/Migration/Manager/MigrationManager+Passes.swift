import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface

/// The three passes.
extension MigrationManager {
  /// Carries out a mapping model between two coordinators with one store each.
  func migrate(
    _ model: MappingModel, from source: PersistentStoreCoordinator, to destination: PersistentStoreCoordinator
  ) throws {
    guard openSourceContext == nil else {
      throw MigrationError(.program, "the manager is busy with another migration", hint: "make another manager")
    }
    plan = try MappingPlan(
      model, from: sourceModel, to: destinationModel, policies: migrationPolicies,
      managerFunctions: Set(knownFunctions.keys))
    mappingModel = model
    reset()
    cancellation = nil
    lookUpError = nil
    openSourceContext = ManagedObjectContext(coordinator: source, name: "migration source")
    let context = ManagedObjectContext(coordinator: destination, name: "migration destination")
    context.validatesBeforeSaving = false
    context.updatesOwners = false
    context.stalenessInterval = 0
    openSourceContext?.stalenessInterval = 0
    openDestinationContext = context
    migrationProgress = 0
    defer { finish() }
    let steps = plan?.steps ?? []
    var done = 0.0
    func advance() {
      done += 1
      migrationProgress = min(done / Double(3 * max(steps.count, 1)), 0.99)
    }
    let log = MigrationLog()
    for step in steps {
      try log.following(step.mapping, "objects") {
        let read = try createInstances(step)
        return "\(read) read, \(associations.destinations(mapping: step.mapping.name).count) made"
      }
      advance()
    }
    for step in steps {
      try log.following(step.mapping, "relationships") { "of \(try createRelationships(step)) objects" }
      advance()
    }
    for step in steps {
      try inStep(step) { try step.policy.performCustomValidation(forMapping: step.mapping, manager: self) }
      advance()
    }
    try log.following(nil, "validation") { "of \(try validate()) objects" }
    for step in steps { try inStep(step) { try step.policy.end(step.mapping, manager: self) } }
  }

  private func finish() {
    openSourceContext = nil
    openDestinationContext = nil
    currentEntityMapping = nil
    plan = nil
    reset()
    migrationProgress = 1
  }

  // MARK: - Contexts

  /// Runs work inside both contexts and saves its changes; afterwards objects that nothing else holds are released.
  private func inContexts(_ work: () throws -> Void) throws {
    guard let openSourceContext, let openDestinationContext else { return }
    try openSourceContext.performAndWait {
      try openDestinationContext.performAndWait {
        try work()
        try throwIfCancelled()
        try identifyAssociated()
        try openDestinationContext.save()
      }
    }
  }

  private func inStep(_ step: MappingPlan.Step, _ work: () throws -> Void) throws {
    currentEntityMapping = step.mapping
    try naming(step.mapping) { try inContexts(work) }
  }

  private func throwIfCancelled() throws {
    if let lookUpError { throw lookUpError }
    guard let cancellation else { return }
    throw MigrationError(.cancelled, "the migration was cancelled: \(cancellation)", underlying: cancellation)
  }

  private func inBatches(of ids: [ObjectID], _ step: MappingPlan.Step, _ work: ([ObjectID]) throws -> Void) throws {
    var start = 0
    while start < ids.count {
      let end = min(start + max(batchSize, 1), ids.count)
      try inStep(step) { try work(Array(ids[start..<end])) }
      start = end
    }
  }

  // MARK: - Passes

  /// - Returns: how many source objects there were.
  private func createInstances(_ step: MappingPlan.Step) throws -> Int {
    try inStep(step) { try step.policy.begin(step.mapping, with: self) }
    var ids: [ObjectID] = []
    try inStep(step) { ids = try sourceIDs(step) }
    try inBatches(of: ids, step) { batch in
      for source in try openSourceContext?.objects(with: batch) ?? [] {
        try naming(step.mapping, nil, source.objectID) {
          try step.policy.createDestinationInstances(forSource: source, in: step.mapping, manager: self)
        }
        try throwIfCancelled()
      }
    }
    try inStep(step) { try step.policy.endInstanceCreation(forMapping: step.mapping, manager: self) }
    return ids.count
  }

  private func sourceIDs(_ step: MappingPlan.Step) throws -> [ObjectID] {
    guard let source = step.source else { return [] }
    var variables = MigrationVariables(manager: self, entityPolicy: step.policy)
    variables.wantsIDs = true
    let value = try source.value(variables)
    let ids =
      if case .object(let ids as [ObjectID]) = value { ids } else { try value.objects(variables).map(\.objectID) }
    if let other = ids.first(where: { $0.entity.model !== sourceModel }) {
      throw MigrationError(
        .value, "the source expression gives a \(other.entity.name) that is no object of the source store")
    }
    return ids
  }

  /// - Returns: how many destination objects there are.
  private func createRelationships(_ step: MappingPlan.Step) throws -> Int {
    let ids = associations.destinations(mapping: step.mapping.name)
    try inBatches(of: ids, step) { batch in
      for destination in try openDestinationContext?.objects(with: batch) ?? [] where !destination.isDeleted {
        try naming(step.mapping, nil, destination.objectID) {
          try step.policy.createRelationships(forDestination: destination, in: step.mapping, manager: self)
        }
        try throwIfCancelled()
      }
    }
    try inStep(step) { try step.policy.endRelationshipCreation(forMapping: step.mapping, manager: self) }
    return ids.count
  }

  /// Checks every object of the destination by the model's rules.
  /// - Returns: how many there are.
  private func validate() throws -> Int {
    var count = 0
    for entity in destinationModel.entities where !entity.isAbstract {
      let request = FetchRequest<ManagedObject>(entity: entity)
      request.includesSubentities = false
      var ids: [ObjectID] = []
      try inContexts { ids = try openDestinationContext?.objectIDs(for: request) ?? [] }
      var start = 0
      while start < ids.count {
        let end = min(start + max(batchSize, 1), ids.count)
        try inContexts {
          for object in try openDestinationContext?.objects(with: Array(ids[start..<end])) ?? [] {
            try validate(object)
          }
        }
        start = end
      }
      count += ids.count
    }
    return count
  }

  private func validate(_ object: ManagedObject) throws {
    do {
      try object.validateAsNew()
    } catch let error as ValidationError {
      let problem = error.problems.first
      throw MigrationError(
        .validation, "the object breaks the newer model's rules: \(problem?.message ?? "\(error)")",
        mapping: mapping(of: object)?.name, entity: object.entity.name, property: problem?.property,
        objectID: source(of: object) ?? object.objectID,
        hint: "correct the value in the older store, by the mapping or in a migration policy", underlying: error)
    }
  }

  private func mapping(of object: ManagedObject) -> EntityMapping? {
    mappingModel?.entityMappings.first { !associations.sources(of: object.objectID, mapping: $0.name).isEmpty }
  }

  private func source(of object: ManagedObject) -> ObjectID? {
    mapping(of: object).flatMap { associations.sources(of: object.objectID, mapping: $0.name).first }
  }
}
