import Foundation
import ObjectModel
import Predicates

/// A mapping model with all its expressions parsed and checked, ready to be carried out.
struct MappingPlan {
  /// One entity mapping with what is needed to carry it out.
  struct Step {
    let mapping: EntityMapping
    let policy: EntityMigrationPolicy
    let sourceEntity: Entity?
    let destinationEntity: Entity?
    /// The expression of the source objects; nil for none.
    let source: MappingExpression?
    let attributes: [Attribute]
    let relationships: [Reference]
  }

  struct Attribute {
    let definition: AttributeDefinition
    let expression: MappingExpression
  }

  struct Reference {
    let relationship: Relationship
    let expression: MappingExpression
  }

  /// The steps in the order in which they are carried out.
  let steps: [Step]
  /// What is wrong, in the order of the mappings. With any, the plan cannot be carried out.
  let mistakes: [MigrationError]
  private let positions: [String: Int]

  /// - Throws: `MigrationError` with the first mistake.
  init(
    _ model: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel,
    policies: MigrationPolicies, managerFunctions: Set<String>
  ) throws(MigrationError) {
    self.init(checking: model, from: source, to: destination, policies, managerFunctions, requiresPolicies: true)
    if let mistake = mistakes.first { throw mistake }
  }

  /// Reads and checks all of a mapping model.
  /// - Parameters:
  ///   - managerFunctions: the selectors that the manager answers; nil where they are not known.
  ///   - requiresPolicies: whether a policy that is not there is a mistake; where not, what its functions are is not
  ///     known.
  init(
    checking model: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel,
    _ policies: MigrationPolicies, _ managerFunctions: Set<String>?, requiresPolicies: Bool
  ) {
    var steps: [Step] = []
    var positions: [String: Int] = [:]
    var mistakes = MappingMistakes()
    for mapping in model.entityMappings {
      if positions.updateValue(steps.count, forKey: mapping.name) != nil {
        mistakes.note(MigrationError(.mappingModel, "two entity mappings have this name", mapping: mapping.name))
      }
      let policyName = mapping.entityMigrationPolicyClassName
      let isMissing = policyName.map { policies[$0] == nil } ?? false
      var functions = PolicyFunctions.none
      var policy = EntityMigrationPolicy()
      if isMissing, !requiresPolicies {
        functions = .unknown
      } else {
        let found = mistakes.following { () throws(MigrationError) in try Self.policy(of: mapping, policies) }
        guard let found else { continue }
        policy = found
        if let policyName, !policies.isPlain(policyName) { functions = .known(Set(found.knownFunctions.keys)) }
      }
      let scope = MappingScope(
        mapping: mapping, mappingModel: model, sourceModel: source, destinationModel: destination,
        managerFunctions: managerFunctions, policyFunctions: functions)
      steps.append(Self.step(scope, policy, &mistakes))
    }
    self.steps = steps
    self.positions = positions
    self.mistakes = mistakes.found
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

  private static func step(
    _ scope: MappingScope, _ policy: EntityMigrationPolicy, _ mistakes: inout MappingMistakes
  ) -> Step {
    let mapping = scope.mapping
    mistakes.following { () throws(MigrationError) in
      try check(mapping.sourceEntityName, mapping.sourceEntityVersionHash, scope.sourceModel, "source", scope)
    }
    mistakes.following { () throws(MigrationError) in
      try check(
        mapping.destinationEntityName, mapping.destinationEntityVersionHash, scope.destinationModel, "destination",
        scope)
    }
    // The objects of a removed entity are not mapped.
    let isRemoval = mapping.mappingType == .remove
    if mapping.destinationEntityName == nil && !isRemoval {
      mistakes.note(scope.error("the mapping has no destination entity"))
    }
    let source = isRemoval ? nil : mapping.sourceExpression
    var attributes: [Attribute] = []
    var relationships: [Reference] = []
    if let entity = scope.destinationEntity, !isRemoval {
      for property in mapping.attributeMappings {
        mistakes.following { () throws(MigrationError) in
          if let attribute = try Self.attribute(property, entity, scope) { attributes.append(attribute) }
        }
      }
      for property in mapping.relationshipMappings {
        mistakes.following { () throws(MigrationError) in
          if let reference = try Self.reference(property, entity, scope) { relationships.append(reference) }
        }
      }
      for name in repeated(mapping.attributeMappings + mapping.relationshipMappings) {
        var scope = scope
        scope.property = name
        mistakes.note(scope.error("the property is mapped twice", hint: "leave one of the two out"))
      }
      if entity.isAbstract, source != nil, scope.policyFunctions == .none {
        mistakes.note(scope.error("the entity is abstract in the destination model, and has no objects of its own"))
      }
    }
    let expression = source.flatMap { text in
      mistakes.following { () throws(MigrationError) in
        let expression = try MappingExpression(text, in: scope)
        try scope.requireSources(expression.type)
        return expression
      }
    }
    return Step(
      mapping: mapping, policy: policy, sourceEntity: scope.sourceEntity, destinationEntity: scope.destinationEntity,
      source: expression, attributes: attributes, relationships: relationships)
  }

  private static func repeated(_ properties: [PropertyMapping]) -> [String] {
    Dictionary(grouping: properties, by: \.name).filter { $0.value.count > 1 }.keys.sorted()
  }

  private static func check(
    _ name: String?, _ hash: Data?, _ model: ManagedObjectModel, _ side: String, _ scope: MappingScope
  ) throws(MigrationError) {
    guard let name else { return }
    guard let entity = model[name] else {
      throw scope.error(
        "the \(side) model has no entity \(name)",
        hint: Suggestion.hint(for: name, among: model.entities.map(\.name)) ?? "the mapping model is for other versions"
      )
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
    guard let definition = entity.attribute(property.name) else {
      throw scope.unknownProperty("attribute", property.name, entity.attributes.map(\.name))
    }
    // A derived attribute is computed anew.
    guard let text = property.valueExpression, definition.derivation == nil else { return nil }
    let expression = try MappingExpression(text, in: scope)
    try scope.requireValue(expression.type, for: definition)
    return Attribute(definition: definition, expression: expression)
  }

  private static func reference(
    _ property: PropertyMapping, _ entity: Entity, _ scope: MappingScope
  ) throws(MigrationError) -> Reference? {
    var scope = scope
    scope.property = property.name
    guard let relationship = entity.relationship(property.name) else {
      throw scope.unknownProperty("relationship", property.name, entity.relationships.map(\.name))
    }
    guard let text = property.valueExpression else { return nil }
    let expression = try MappingExpression(text, in: scope)
    try scope.requireObjects(expression.type, for: relationship)
    return Reference(relationship: relationship, expression: expression)
  }
}

/// Mistakes that are gathered on the way through a mapping model.
struct MappingMistakes {
  private(set) var found: [MigrationError] = []

  mutating func note(_ mistake: MigrationError) { found.append(mistake) }

  /// Does a part of the work; what it throws is noted.
  @discardableResult
  mutating func following<Result>(_ work: () throws(MigrationError) -> Result) -> Result? {
    do throws(MigrationError) {
      return try work()
    } catch {
      note(error)
      return nil
    }
  }
}
