import Foundation
import ObjectModel
package import SQLMigration

/// The rules that the data of a SQLite store will break in the steps of a chain, as far as they are known before the
/// first step.
///
/// For each inferred step up to the first one that a mapping model makes, the mappings are put together to one from the
/// store's own model, and the rules of the step's model are tried on the store. When a step's default fills an
/// attribute that a later step makes mandatory, no value is missing there. Other rules that such values break are not
/// found, and neither is the effect of duplicates that an earlier step removes.
package struct ChainOutlook {
  /// For each step of the chain, the conditions that no earlier step has; empty for steps that cannot be checked ahead.
  package private(set) var conditions: [[MigrationCondition]]

  /// Looks at a store.
  /// - Throws: what reading the store throws.
  package init(_ chain: MigrationChain, storeAt path: String) throws {
    conditions = chain.steps.map { _ in [] }
    guard let model = chain.steps.first?.source.model else { return }
    var whole: MappingModel?
    var known: Set<MigrationCondition> = []
    var filled: Set<[String]> = []
    for (index, step) in chain.steps.enumerated() {
      guard case .inferred(let inferred) = step.way else { return }
      let mapping = whole?.composed(with: inferred) ?? inferred
      whole = mapping
      let plan = try StoreMigration.plan(storeAt: path, from: model, to: step.destination.model, mapping: mapping)
      filled = inferred.filled(in: step.destination.model, after: filled)
      conditions[index] = plan.conditions.filter { condition in
        !Self.isFilled(condition, filled, step.destination.model) && known.insert(condition).inserted
      }
    }
  }

  /// Whether an attribute that the store has no values for gets them on the way, in all that have it.
  private static func isFilled(
    _ condition: MigrationCondition, _ filled: Set<[String]>, _ model: ManagedObjectModel
  ) -> Bool {
    guard condition.kind == .missingValue, let property = condition.property, let entity = model[condition.entity]
    else {
      return false
    }
    return model.entities.allSatisfy {
      $0.isAbstract || !$0.isKind(of: entity) || filled.contains([$0.name, property])
    }
  }
}

extension MappingModel {
  /// Composes this mapping and the one after it into one. Neither computes values.
  fileprivate func composed(with next: MappingModel) -> MappingModel {
    let first = Dictionary(
      entityMappings.compactMap { mapping in mapping.destinationEntityName.map { ($0, mapping) } },
      uniquingKeysWith: { first, _ in first })
    var mappings = next.entityMappings.map { mapping in
      var mapping = mapping
      guard let between = mapping.sourceEntityName.flatMap({ first[$0] }) else { return mapping }
      mapping.sourceEntityName = between.sourceEntityName
      mapping.sourceEntityVersionHash = between.sourceEntityVersionHash
      if between.sourceEntityName == nil { mapping.mappingType = mapping.destinationEntityName == nil ? .remove : .add }
      mapping.attributeMappings = Self.follow(between.attributeMappings, mapping.attributeMappings)
      mapping.relationshipMappings = Self.follow(between.relationshipMappings, mapping.relationshipMappings)
      return mapping
    }
    // An entity that the first adds and the second removes needs no mapping.
    mappings.removeAll { $0.sourceEntityName == nil && $0.destinationEntityName == nil }
    mappings += entityMappings.filter { $0.destinationEntityName == nil }
    return MappingModel(entityMappings: mappings)
  }

  /// Attributes that have values whatever the store's first model was, by entity and name: a default filled them, in
  /// this step or in one before that left `earlier`.
  fileprivate func filled(in model: ManagedObjectModel, after earlier: Set<[String]>) -> Set<[String]> {
    var result: Set<[String]> = []
    for mapping in entityMappings {
      guard let name = mapping.destinationEntityName, let entity = model[name] else { continue }
      for property in mapping.attributeMappings {
        guard let attribute = entity.attribute(property.name) else { continue }
        let before = mapping.sourceEntityName.flatMap { source in property.sourcePropertyName.map { [source, $0] } }
        let takesDefault = attribute.defaultValue != .null && (before == nil || !attribute.isOptional)
        if takesDefault || before.map(earlier.contains) == true { result.insert([name, property.name]) }
      }
    }
    return result
  }

  private static func follow(_ first: [PropertyMapping], _ second: [PropertyMapping]) -> [PropertyMapping] {
    second.map { property in
      let between = property.sourcePropertyName.flatMap { name in first.first { $0.name == name } }
      return PropertyMapping(property.name, between?.valueExpression)
    }
  }
}
