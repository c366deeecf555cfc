import Foundation

extension ManagedObjectModel {
  /// The mapping by which objects of this model become those of `newer`, inferred from the two, in the form of Core
  /// Data's inferred mapping models.
  ///
  /// Every concrete entity has one entity mapping, in the order of the newer names, removed ones last; they are called
  /// `IEM_Add_X`, `IEM_Copy_X` (the version hash stays), `IEM_Transform_X` and `IEM_Remove_X`. Each lists the stored
  /// properties of its entity, inherited ones included. A property without value expression has no predecessor, or is
  /// derived: it keeps its default, or what the inverse gives it. An attribute that becomes mandatory keeps its default
  /// where the source has no value.
  /// - Parameters:
  ///   - newer: the model that objects are brought to.
  ///   - mergesHierarchies: whether entities that had no common ancestor may get one, for which Core Data infers
  ///     nothing.
  /// - Throws: `MappingInferenceError` with everything that cannot be inferred.
  /// - Complexity: O(entities · properties).
  public func inferredMappingModel(
    to newer: ManagedObjectModel, mergesHierarchies: Bool = false
  ) throws(MappingInferenceError) -> MappingModel {
    var inference = MappingInference(older: self, newer: newer)
    inference.run()
    let result = inference.result
    guard mergesHierarchies ? result.isPossibleWithMerging : result.isPossible else {
      let pardoned = mergesHierarchies ? Set(result.mergedHierarchies) : []
      throw MappingInferenceError(obstacles: result.obstacles.filter { !pardoned.contains($0) })
    }
    return inference.mappingModel()
  }
}

/// Why no mapping can be inferred from two models.
public struct MappingInferenceError: Error, Sendable, Hashable {
  /// Each change that stands in the way, entity by entity; at least one.
  public let obstacles: [LightweightMigration.Item]
}

extension MappingInferenceError: BridgedError, CustomStringConvertible {
  /// The obstacles, one per line.
  public var description: String {
    (["no mapping can be inferred from the two models:"] + obstacles.map { "  \($0)" }).joined(separator: "\n")
  }
  /// The description, under Foundation's name.
  public var errorDescription: String? { description }
  /// What can be done instead, the same for all obstacles.
  public var recoverySuggestion: String? {
    "write a mapping model for these entities, or go through a version in between, if there is one"
  }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// Core Data's code for mappings that cannot be inferred.
  public var errorCode: Int { CoreDataErrorCode.inferredMappingModel }
}

extension MappingInference {
  /// The result of `run` as a mapping model.
  fileprivate func mappingModel() -> MappingModel {
    var mappings = added.filter { !$0.isAbstract }.map { mapping(nil, $0) }
    mappings += pairs.filter { !($0.old.isAbstract && $0.new.isAbstract) }.map { mapping($0.old, $0.new) }
    mappings = mappings.sortedByCodePoint { $0.destinationEntityName ?? "" }
    for entity in removed where !entity.isAbstract {
      var mapping = EntityMapping("IEM_Remove_" + entity.name, .remove, from: entity.name)
      mapping.sourceEntityVersionHash = entity.versionHash
      mapping.sourceExpression = Self.fetch(entity.name)
      mappings.append(mapping)
    }
    nameTargets(&mappings)
    return MappingModel(entityMappings: mappings)
  }

  private func mapping(_ old: Entity?, _ new: Entity) -> EntityMapping {
    let type: EntityMapping.MappingType =
      old.map { $0.versionHash == new.versionHash ? .copy : .transform } ?? .add
    let verb =
      switch type {
      case .add: "Add"
      case .copy: "Copy"
      default: "Transform"
      }
    var mapping = EntityMapping("IEM_\(verb)_\(new.name)", type, from: old?.name, to: new.name)
    mapping.sourceEntityVersionHash = old?.versionHash
    mapping.destinationEntityVersionHash = new.versionHash
    mapping.sourceExpression = old.map { Self.fetch($0.name) }
    let taken = old == nil ? [:] : sources[new.name] ?? [:]
    mapping.attributeMappings = Self.sorted(
      new.storedAttributes.map { PropertyMapping($0.name, taken[$0.name].map { "$source." + $0 }) })
    mapping.relationshipMappings = Self.sorted(
      new.relationships.filter { !$0.definition.isTransient }
        .map { PropertyMapping($0.name, taken[$0.name].map { "$source." + $0 }) })
    return mapping
  }

  /// Gives relationships the look-up of what their sources became: by the one mapping that makes their destination,
  /// else by all of them.
  private func nameTargets(_ mappings: inout [EntityMapping]) {
    let nameByDestination = Dictionary(
      mappings.compactMap { mapping in mapping.destinationEntityName.map { ($0, mapping.name) } },
      uniquingKeysWith: { first, _ in first })
    let newByName = Dictionary(
      (pairs.map(\.new) + added).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for index in mappings.indices {
      guard let entity = mappings[index].destinationEntityName.flatMap({ newByName[$0] }) else { continue }
      for position in mappings[index].relationshipMappings.indices {
        let property = mappings[index].relationshipMappings[position]
        guard let source = property.valueExpression, let target = entity.relationship(property.name)?.destination
        else { continue }
        let single = target.subentities.isEmpty ? nameByDestination[target.name] : nil
        let look =
          single.map { ("EntityMappingNamed", $0) } ?? ("SourceRelationshipNamed", String(source.dropFirst(8)))
        mappings[index].relationshipMappings[position].valueExpression =
          "FUNCTION($manager, \"destinationInstancesFor\(look.0):sourceInstances:\", \"\(look.1)\", \(source))"
      }
    }
  }

  private static func fetch(_ entity: String) -> String {
    "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"\(entity)\", \"TRUEPREDICATE\"), "
      + "$manager.sourceContext, NO)"
  }

  /// The mappings by name without regard to case, as compiled mapping models have them.
  private static func sorted(_ mappings: [PropertyMapping]) -> [PropertyMapping] {
    mappings.sortedByCodePoint(\.name).sortedByCodePoint { $0.name.lowercased() }
  }
}
