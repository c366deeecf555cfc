import Foundation
import ObjectModel
import Predicates

/// A mapping model whose every expression is read and checked: what a migration works through.
struct MappingPlan {
  /// One entity mapping.
  struct Step {
    let mapping: EntityMapping
    let policy: EntityMigrationPolicy
    let sourceEntity: Entity?
    let destinationEntity: Entity?
    /// What gives the source objects; nil for none.
    let source: MappingExpression?
    let attributes: [Attribute]
    let relationships: [Reference]
  }

  struct Attribute {
    let description: AttributeDescription
    let expression: MappingExpression
  }

  struct Reference {
    let relationship: Relationship
    let expression: MappingExpression
  }

  /// In the order in which they are carried out.
  let steps: [Step]
  private let positions: [String: Int]

  /// - Throws: `MigrationError` with the first mistake.
  init(
    _ model: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel,
    policies: MigrationPolicies, managerFunctions: Set<String>
  ) throws(MigrationError) {
    var steps: [Step] = []
    var positions: [String: Int] = [:]
    for mapping in model.entityMappings {
      guard positions.updateValue(steps.count, forKey: mapping.name) == nil else {
        throw MigrationError(.mappingModel, "two entity mappings have this name", mapping: mapping.name)
      }
      let policy = try Self.policy(of: mapping, policies)
      let scope = MappingScope(
        mapping: mapping, mappingModel: model, sourceModel: source, destinationModel: destination,
        managerFunctions: managerFunctions,
        policyFunctions: mapping.entityMigrationPolicyClassName == nil ? nil : Set(policy.knownFunctions.keys))
      steps.append(try Self.step(scope, policy))
    }
    self.steps = steps
    self.positions = positions
  }

  subscript(name: String) -> Step? { positions[name].map { steps[$0] } }

  private static func policy(
    of mapping: EntityMapping, _ policies: MigrationPolicies
  ) throws(MigrationError) -> EntityMigrationPolicy {
    guard let name = mapping.entityMigrationPolicyClassName else {
      if mapping.mappingType == .custom {
        throw MigrationError(.policy, "the mapping is custom and names no migration policy", mapping: mapping.name)
      }
      return EntityMigrationPolicy()
    }
    guard let policy = policies[name] else {
      let known = policies.names.isEmpty ? "none is" : "known are \(policies.names.joined(separator: ", "))"
      throw MigrationError(
        .policy, "the migration policy \(name) is not registered", mapping: mapping.name,
        entity: mapping.destinationEntityName, hint: "give the class to migrationPolicies; \(known)")
    }
    return policy.init()
  }

  private static func step(_ scope: MappingScope, _ policy: EntityMigrationPolicy) throws(MigrationError) -> Step {
    let mapping = scope.mapping
    try check(mapping.sourceEntityName, mapping.sourceEntityVersionHash, scope.sourceModel, "source", scope)
    try check(
      mapping.destinationEntityName, mapping.destinationEntityVersionHash, scope.destinationModel, "destination", scope)
    // The objects of an entity that is gone are not mapped.
    let isRemoval = mapping.mappingType == .remove
    if scope.destinationEntity == nil && !isRemoval {
      throw scope.error("the mapping has no destination entity")
    }
    let source = isRemoval ? nil : mapping.sourceExpression
    var attributes: [Attribute] = []
    var relationships: [Reference] = []
    if let entity = scope.destinationEntity, !isRemoval {
      for property in mapping.attributeMappings {
        if let attribute = try attribute(property, entity, scope) { attributes.append(attribute) }
      }
      for property in mapping.relationshipMappings {
        if let reference = try reference(property, entity, scope) { relationships.append(reference) }
      }
      if entity.isAbstract, source != nil, mapping.entityMigrationPolicyClassName == nil {
        throw scope.error("the entity is abstract in the destination model, and has no objects of its own")
      }
    }
    return Step(
      mapping: mapping, policy: policy, sourceEntity: scope.sourceEntity, destinationEntity: scope.destinationEntity,
      source: try source.map { text throws(MigrationError) in try MappingExpression(text, in: scope) },
      attributes: attributes, relationships: relationships)
  }

  private static func check(
    _ name: String?, _ hash: Data?, _ model: ManagedObjectModel, _ side: String, _ scope: MappingScope
  ) throws(MigrationError) {
    guard let name else { return }
    guard let entity = model[name] else {
      throw scope.error("the \(side) model has no entity \(name)", hint: "the mapping model is for other versions")
    }
    if let hash, hash != entity.versionHash {
      throw scope.error(
        "\(name) of the \(side) model is another than the mapping was made for",
        hint: "bring the mapping model up to date: its copy of the \(side) model is of another version")
    }
  }

  private static func attribute(
    _ property: PropertyMapping, _ entity: Entity, _ scope: MappingScope
  ) throws(MigrationError) -> Attribute? {
    var scope = scope
    scope.property = property.name
    guard let description = entity.attribute(property.name) else {
      throw scope.error("\(entity.name) of the destination model has no such attribute")
    }
    // What is derived is computed anew.
    guard let text = property.valueExpression, description.derivation == nil else { return nil }
    let expression = try MappingExpression(text, in: scope)
    // A policy may have its own way.
    if scope.policyFunctions == nil, case .attribute(let type)? = expression.type?.element,
      !AttributeConversion.isPossible(from: type, to: description.type)
    {
      throw scope.error(
        "a value of the type \(type.name) cannot become one of the type \(description.type.name)",
        hint: "compute it in a function of a migration policy", .value)
    }
    return Attribute(description: description, expression: expression)
  }

  private static func reference(
    _ property: PropertyMapping, _ entity: Entity, _ scope: MappingScope
  ) throws(MigrationError) -> Reference? {
    var scope = scope
    scope.property = property.name
    guard let relationship = entity.relationship(property.name) else {
      throw scope.error("\(entity.name) of the destination model has no such relationship")
    }
    guard let text = property.valueExpression else { return nil }
    return Reference(relationship: relationship, expression: try MappingExpression(text, in: scope))
  }
}
