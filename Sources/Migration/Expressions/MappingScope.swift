import ObjectModel

/// What the policy of an entity mapping answers.
enum PolicyFunctions: Hashable {
  /// The mapping has no policy of its own.
  case none
  case known(Set<String>)
  /// The program may have the policy, and is not asked.
  case unknown
}

/// What the expressions of one entity mapping can speak of.
struct MappingScope {
  let mapping: EntityMapping
  let mappingModel: MappingModel
  let sourceModel: ManagedObjectModel
  let destinationModel: ManagedObjectModel
  /// The selectors that the manager answers; nil where they are not known.
  let managerFunctions: Set<String>?
  /// The selectors that the mapping's policy answers.
  let policyFunctions: PolicyFunctions
  /// The property that the expression is for; nil for the source expression.
  var property: String?

  var sourceEntity: Entity? { mapping.sourceEntityName.flatMap { sourceModel[$0] } }
  var destinationEntity: Entity? { mapping.destinationEntityName.flatMap { destinationModel[$0] } }

  /// An error about the expression.
  func error(_ message: String, hint: String? = nil, _ code: MigrationError.Code = .mappingModel) -> MigrationError {
    MigrationError(
      code, message, mapping: mapping.name as String, entity: mapping.destinationEntityName ?? mapping.sourceEntityName,
      property: property, hint: hint)
  }

  /// An error about a property that the destination entity does not have.
  func unknownProperty(_ kind: String, _ name: String, _ names: [String]) -> MigrationError {
    error(
      "\(destinationEntity?.name ?? "the destination") of the destination model has no such \(kind)",
      hint: Suggestion.hint(for: name, among: names) ?? Suggestion.list("it has", names))
  }
}
