public import ObjectGraph
public import ObjectModel
import Predicates

/// The functions of the manager that expressions of mapping models call.
extension MigrationManager: MigrationCalls {
  final func context(of model: ManagedObjectModel) -> ManagedObjectContext? {
    model === sourceModel ? openSourceContext : model === destinationModel ? openDestinationContext : nil
  }

  final func context(otherThan model: ManagedObjectModel) -> ManagedObjectContext? {
    model === sourceModel ? openDestinationContext : openSourceContext
  }

  /// The result of a function.
  func perform(_ selector: String, _ operands: [Any?], _ variables: MigrationVariables) throws -> Any? {
    switch ManagerFunction(rawValue: selector) {
    case .destinationInstancesForMapping:
      return try destinations(ofMapping: text(operands[0], selector), from: instances(operands[1], variables))
    case .sourceInstancesForMapping:
      return try sources(ofMapping: text(operands[0], selector), to: instances(operands[1], variables))
    case .destinationInstancesForRelationship:
      let relationship = variables.property.flatMap { variables.destination?.entity.relationship($0) }
      return try destinationInstances(
        leadingFrom: relationship, sourceInstances: instances(operands[1], variables))
    case .fetchRequest:
      return try fetchRequest(
        forSourceEntityNamed: text(operands[0], selector), predicateString: text(operands[1], selector))
    case .valueForKeyPath: return try value(forKeyPath: text(operands[0], selector))
    case nil:
      guard let function = knownFunctions[selector] else {
        throw MigrationError(.policy, "the migration manager has no function \"\(selector)\"")
      }
      return try function(operands)
    }
  }

  /// A request for the objects of this very entity of the source model, without those of its sub-entities, which have
  /// mappings of their own.
  func fetchRequest(
    forSourceEntityNamed name: String, predicateString: String
  ) throws -> FetchRequest<ManagedObject> {
    guard let entity = sourceModel[name] else {
      throw MigrationError(.mappingModel, "the source model has no entity \"\(name)\"")
    }
    let request = FetchRequest<ManagedObject>(entity: entity)
    request.predicate = try FetchPredicate(parsing: predicateString)
    request.includesSubentities = false
    return request
  }

  /// The result of `FETCH`.
  func fetch(_ request: Any?, in context: Any?, isCount: Bool, asIDs: Bool) throws -> Any? {
    guard let request = request as? FetchRequest<ManagedObject> else {
      throw MigrationError(.mappingModel, "what FETCH is given is no fetch request")
    }
    guard let context = context as? ManagedObjectContext else {
      throw MigrationError(.mappingModel, "what FETCH is given is no context", hint: "write $manager.sourceContext")
    }
    if let entity = request.entity, entity.model !== (context === openSourceContext ? sourceModel : destinationModel) {
      throw MigrationError(
        .mappingModel, "FETCH is given a request for \(entity.name) and the context of the other store",
        hint: "write $manager.sourceContext")
    }
    if isCount { return try context.count(for: request) }
    return asIDs ? try context.objectIDs(for: request) : try context.fetch(request)
  }

  private func value(forKeyPath path: String) throws -> Any? {
    let keys = path.split(separator: ".", maxSplits: 1).map(String.init)
    switch keys[0] {
    case "sourceContext" where keys.count == 1: return openSourceContext
    case "destinationContext" where keys.count == 1: return openDestinationContext
    case "userInfo" where keys.count == 2: return userInfo[keys[1]]
    default:
      throw MigrationError(
        .mappingModel, "$manager has no \"\(path)\"", hint: "it has sourceContext, destinationContext and userInfo.KEY")
    }
  }

  private func text(_ operand: Any?, _ selector: String) throws -> String {
    if let text = operand as? String { return text }
    throw MigrationError(.mappingModel, "an operand of \"\(selector)\" is no text")
  }

  /// No objects where an expression gives none: only programs may ask for all instances.
  private func instances(_ operand: Any?, _ variables: MigrationVariables) throws -> [ManagedObject] {
    try MappedValue.object(operand).objects(variables)
  }
}

extension MigrationManager {
  /// The result of a property mapping's expression for a source object, as key-value coding has it: for policies that
  /// make the objects themselves. Nil where the mapping leaves the property as it is.
  /// - Parameters:
  ///   - property: the property whose expression is computed.
  ///   - mapping: the entity mapping that the property's is part of.
  ///   - source: the value of `$source`.
  ///   - destination: the value of `$destination`, where the expression needs it.
  ///   - policy: the value of `$entityPolicy`, where the expression needs it.
  /// - Throws: `MigrationError` for a mapping that does not belong to the migration that is under way, and for what
  ///   cannot be computed.
  public func value(
    of property: PropertyMapping, in mapping: EntityMapping, forSource source: ManagedObject?,
    destination: ManagedObject? = nil, policy: EntityMigrationPolicy? = nil
  ) throws -> Any? {
    try naming(mapping, property.name, source?.objectID) {
      guard let step = plan?[mapping.name] else {
        throw MigrationError(.mappingModel, "the mapping does not belong to the migration that is under way")
      }
      let expression =
        step.attributes.first { $0.definition.name == property.name }?.expression
        ?? step.relationships.first { $0.relationship.name == property.name }?.expression
      guard let expression else { return nil }
      var variables = MigrationVariables(
        manager: self, source: source, destination: destination, entityPolicy: policy ?? step.policy)
      variables.property = property.name
      return try expression.value(variables).any(variables)
    }
  }
}
