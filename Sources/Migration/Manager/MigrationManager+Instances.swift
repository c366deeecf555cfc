import ObjectGraph
import ObjectModel
import Predicates

/// The default work of a migration policy.
extension MigrationManager {
  /// Makes a new object, sets its attributes and associates it.
  func createDestinationInstance(
    forSource source: ManagedObject, in mapping: EntityMapping, policy: EntityMigrationPolicy
  ) throws {
    guard let openDestinationContext, let step = plan?[mapping.name], let entity = step.destinationEntity else {
      throw MigrationError(
        .mappingModel, "the mapping does not belong to the migration that is under way", mapping: mapping.name)
    }
    if entity.isAbstract {
      throw MigrationError(
        .value, "the entity is abstract in the destination model", mapping: mapping.name, entity: entity.name,
        objectID: source.objectID)
    }
    let destination = openDestinationContext.insert(entity)
    var variables = MigrationVariables(manager: self, source: source, destination: destination, entityPolicy: policy)
    for attribute in step.attributes {
      let name = attribute.definition.name
      variables.property = name
      try naming(mapping, name, source.objectID) {
        try set(attribute.expression.value(variables), attribute, of: destination)
      }
    }
    associate(sourceInstance: source, withDestinationInstance: destination, for: mapping)
  }

  private func set(_ value: MappedValue, _ mapped: MappingPlan.Attribute, of object: ManagedObject) throws {
    let attribute = mapped.definition
    var plain: Value?
    switch value {
    case .plain(.value(let value)): plain = value
    case .plain: break
    case .object(let any):
      plain = Value(anyValue: any)
      if plain == nil, attribute.type == .transformable {
        return try object.setTransformedValue(any, for: attribute.name)
      }
    }
    guard let plain else { throw MigrationError(.value, "the expression gives no value that an attribute can have") }
    // As in inferred migrations: a mandatory attribute keeps its default where there was no value.
    if plain.isMissing, !attribute.isOptional, attribute.defaultValue != .null { return }
    object[attribute.name] = .some(
      try AttributeConversion.value(plain, for: attribute, of: mapped.expression.type))
  }

  /// Sets the relationships of a new object by the mapping's expressions.
  func createRelationships(
    forDestination destination: ManagedObject, in mapping: EntityMapping, policy: EntityMigrationPolicy
  ) throws {
    guard let step = plan?[mapping.name] else {
      throw MigrationError(
        .mappingModel, "the mapping does not belong to the migration that is under way", mapping: mapping.name)
    }
    if step.relationships.isEmpty { return }
    let source = try sources(ofMapping: mapping.name, to: [destination]).first
    var variables = MigrationVariables(manager: self, source: source, destination: destination, entityPolicy: policy)
    for reference in step.relationships {
      variables.property = reference.relationship.name
      try naming(mapping, reference.relationship.name, source?.objectID ?? destination.objectID) {
        let targets = try reference.expression.value(variables).objects(variables)
        try set(targets, reference.relationship, of: destination)
      }
    }
  }

  private func set(_ targets: [ManagedObject], _ relationship: Relationship, of object: ManagedObject) throws {
    // Without targets, the objects stay that the inverse or a policy has set.
    if targets.isEmpty { return }
    for target in targets where !target.entity.isKind(of: relationship.destination) {
      throw MigrationError(
        .value, "the expression gives a \(target.entity.name), where a \(relationship.destination.name) belongs")
    }
    guard relationship.isToMany else {
      let distinct = Set(targets)
      guard distinct.count == 1 else {
        throw MigrationError(
          .value, "the relationship is to-one, and the expression gives \(distinct.count) objects",
          hint: "have the expression choose one")
      }
      return object.setObject(targets[0], for: relationship.name)
    }
    let given = Set(targets)
    let others = try object.objects(for: relationship.name).filter { !given.contains($0) }
    try object.setObjects(targets + others, for: relationship.name)
  }

  /// Runs work, with its errors naming what they are about.
  func naming<Result>(
    _ mapping: EntityMapping, _ property: String? = nil, _ id: ObjectID? = nil, _ work: () throws -> Result
  ) throws -> Result {
    let entity = mapping.destinationEntityName ?? mapping.sourceEntityName
    do {
      return try work()
    } catch let error as MigrationError {
      throw error.about(mapping: mapping.name, entity: entity, property: property, objectID: id)
    } catch {
      let isPolicy = mapping.entityMigrationPolicyClassName.map { !migrationPolicies.isPlain($0) } ?? false
      throw MigrationError(
        isPolicy ? .policy : .value, isPolicy ? "the migration policy failed: \(error)" : "\(error)",
        mapping: mapping.name, entity: entity, property: property, objectID: id, underlying: error)
    }
  }
}
