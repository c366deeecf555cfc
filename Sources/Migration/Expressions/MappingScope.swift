import ObjectModel

/// What the expressions of one entity mapping can speak of.
struct MappingScope {
  let mapping: EntityMapping
  let mappingModel: MappingModel
  let sourceModel: ManagedObjectModel
  let destinationModel: ManagedObjectModel
  /// The selectors that the manager answers.
  let managerFunctions: Set<String>
  /// The selectors that the mapping's policy answers; nil where it has none of its own.
  let policyFunctions: Set<String>?
  /// The property that the expression is for; nil for the source expression.
  var property: String?

  var sourceEntity: Entity? { mapping.sourceEntityName.flatMap { sourceModel[$0] } }
  var destinationEntity: Entity? { mapping.destinationEntityName.flatMap { destinationModel[$0] } }

  /// An error about the expression.
  func error(_ message: String, hint: String? = nil, _ code: MigrationError.Code = .mappingModel) -> MigrationError {
    MigrationError(
      code, message, mapping: mapping.name, entity: mapping.destinationEntityName ?? mapping.sourceEntityName,
      property: property, hint: hint)
  }
}
