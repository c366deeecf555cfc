public import ObjectModel
package import SQLMigration

/// The steps by which a store comes from one model to another.
public struct MigrationChain: Sendable {
  /// How a step is done.
  public enum Way: Sendable {
    /// The step follows a mapping that is inferred from the two models.
    case inferred(MappingModel)
    /// The step follows a mapping model.
    case mapped(ModelLibrary.Mapping)
  }

  /// A step from one version to another.
  public struct Step: Sendable {
    /// The store's version before the step.
    public let source: ModelLibrary.Version
    /// The store's version after the step.
    public let destination: ModelLibrary.Version
    /// How the step is done.
    public let way: Way
    /// The data that the step deletes: properties and entities without successor, and entities that the mapping model
    /// leaves out.
    public internal(set) var losses: [String]
    /// The effects on objects of a SQLite store that do not belong to the model.
    package internal(set) var foreign = ForeignObjectChanges()

    package init(
      source: ModelLibrary.Version, destination: ModelLibrary.Version, way: Way, losses: [String]
    ) {
      self.source = source
      self.destination = destination
      self.way = way
      self.losses = losses
    }
  }

  /// The steps in the order in which they are carried out; none for a store of the wanted model.
  public internal(set) var steps: [Step]

  /// Whether every step is inferred.
  public var isLightweight: Bool {
    steps.allSatisfy { if case .inferred = $0.way { true } else { false } }
  }
}

extension MigrationChain {
  /// Notes which objects outside the model of a SQLite store the steps drop: triggers on its tables go in the first
  /// step, indexes and columns where tables change, everything where a mapping model has the store made anew.
  mutating func note(_ foreign: ForeignObjects) throws {
    var foreign = foreign
    for (index, step) in steps.enumerated() {
      switch step.way {
      case .inferred(let mapping):
        steps[index].foreign = try foreign.carry(from: step.source.model, to: step.destination.model, mapping)
      case .mapped:
        let (changes, others) = foreign.leaveBehind()
        steps[index].foreign = changes
        steps[index].losses += others.map { "the \($0), which does not belong to the model" }
      }
    }
  }
}

extension MigrationChain: CustomStringConvertible {
  /// A line for each step, such as `Shop → Shop 2: inferred`, with what is lost.
  public var description: String {
    steps.map { step in
      ([step.description] + step.lostTexts.map { "  lost: \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}

extension MigrationChain.Step: CustomStringConvertible {
  /// Such as `Shop → Shop 2: inferred`.
  public var description: String {
    let way =
      switch way {
      case .inferred: "inferred"
      case .mapped(let mapping): "by \(mapping.name)"
      }
    return "\(source.name) → \(destination.name): \(way)"
  }

  /// All losses of the step, objects outside the model included.
  package var lostTexts: [String] { losses + foreign.lostTexts }

  /// The step with further indexes outside the model that go, as found during the work.
  package func losing(_ indexes: [String]) -> MigrationChain.Step {
    var step = self
    step.foreign.droppedIndexes += indexes.filter { !foreign.droppedIndexes.contains($0) }
    return step
  }

  /// What happens to the objects of each entity.
  /// - Parameter objectCounts: how many objects an entity has, by its name; empty where that is not known.
  package func entities(objectCounts: [String: Int]) -> [MigrationPlan.EntityStep] {
    let mapping =
      switch way {
      case .inferred(let model): model
      case .mapped(let mapping): mapping.mappingModel
      }
    return mapping.entityMappings.map { entity in
      MigrationPlan.EntityStep(
        source: entity.sourceEntityName, destination: entity.destinationEntityName, type: type(of: entity),
        rows: entity.sourceEntityName.flatMap { objectCounts[$0] }, isFiltered: entity.isFiltered)
    }
  }

  /// What happens to an entity's objects. A mapping model may call an entity copied and still leave a part of it out.
  private func type(of mapping: EntityMapping) -> EntityMapping.MappingType {
    guard mapping.mappingType == .copy, case .mapped = way, let before = mapping.sourceEntityName,
      let after = mapping.destinationEntityName, let older = source.model[before], let newer = destination.model[after]
    else { return mapping.mappingType }
    func stored(_ entity: Entity) -> Set<String> {
      Set(
        entity.storedAttributes.filter { $0.derivation == nil }.map(\.name)
          + entity.relationships.filter { !$0.definition.isTransient }.map(\.name))
    }
    let kept = (mapping.attributeMappings + mapping.relationshipMappings).filter { $0.sourcePropertyName == $0.name }
    let isWhole = stored(older) == stored(newer) && stored(older).isSubset(of: kept.map(\.name))
    return isWhole && mapping.entityMigrationPolicyClassName == nil ? .copy : .transform
  }
}

extension EntityMapping {
  /// Whether the source expression is another than the one that Xcode writes for all objects.
  fileprivate var isFiltered: Bool { sourceExpression.map { !$0.contains("\"TRUEPREDICATE\"") } ?? false }
}
