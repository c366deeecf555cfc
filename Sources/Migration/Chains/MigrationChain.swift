package import CoreDataLayout
public import ObjectModel

/// The steps by which a store comes from one model to another.
public struct MigrationChain: Sendable {
  /// How a step is done.
  public enum Way: Sendable {
    /// By a mapping that is inferred from the two models.
    case inferred(MappingModel)
    /// By a mapping model.
    case mapped(ModelLibrary.Mapping)
  }

  /// From one version to another.
  public struct Step: Sendable {
    /// Where the store is before.
    public let source: ModelLibrary.Version
    /// Where it is afterwards.
    public let destination: ModelLibrary.Version
    /// How it comes there.
    public let way: Way
    /// What goes for good: properties and entities without successor, and entities that the mapping model leaves out.
    public internal(set) var losses: [String]
    /// Triggers of a SQLite store that no model explains, each with its table, such as `audit on ZNOTE`: they go in this step.
    public internal(set) var droppedTriggers: [String] = []

    package init(
      source: ModelLibrary.Version, destination: ModelLibrary.Version, way: Way, losses: [String]
    ) {
      self.source = source
      self.destination = destination
      self.way = way
      self.losses = losses
    }
  }

  /// In the order in which they are carried out; none for a store of the wanted model.
  public internal(set) var steps: [Step]

  /// Whether every step is inferred.
  public var isLightweight: Bool {
    steps.allSatisfy { if case .inferred = $0.way { true } else { false } }
  }
}

extension MigrationChain {
  /// Notes what the steps do not bring along of what lies in a SQLite store beside the model: triggers on its tables go in the
  /// first step, everything else where a mapping model has the store made anew.
  mutating func note(_ foreign: ForeignObjects) {
    if steps.isEmpty { return }
    steps[0].droppedTriggers = foreign.triggers
    let anew = steps.firstIndex { if case .mapped = $0.way { true } else { false } }
    guard let anew else { return }
    steps[anew].losses += foreign.others.map { "the \($0), which is none of the model's" }
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

  /// What goes for good, triggers too.
  package var lostTexts: [String] {
    losses + droppedTriggers.map { "the trigger \($0), which is none of the model's" }
  }

  /// What happens to the objects of each entity.
  /// - Parameter rows: how many objects an entity has, by its name; empty where that is not known.
  package func entities(rows: [String: Int]) -> [MigrationPlan.EntityStep] {
    let mapping =
      switch way {
      case .inferred(let model): model
      case .mapped(let mapping): mapping.mappingModel
      }
    return mapping.entityMappings.map { entity in
      MigrationPlan.EntityStep(
        source: entity.sourceEntityName, destination: entity.destinationEntityName, type: entity.mappingType,
        rows: entity.sourceEntityName.flatMap { rows[$0] })
    }
  }
}
