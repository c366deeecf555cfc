import ObjectModel
import Predicates

/// The objects of an entity itself that a filter lets in.
struct MappedSelection: Hashable {
  let entity: String
  let filter: String

  /// The objects that an entity mapping has; nil where they are not those of the usual fetch.
  init?(_ mapping: EntityMapping) {
    guard let entity = mapping.sourceEntityName, let filter = FilteredObjects.filter(of: mapping) else { return nil }
    self.init(entity, filter)
  }

  init(_ entity: String, _ filter: String = FilteredObjects.everything) {
    self.entity = entity
    self.filter = filter
  }
}

/// The expressions that bring the references of a relationship of the older model along.
struct RelationshipCarriers {
  /// An expression of an entity mapping.
  struct Carrier {
    /// The objects that it is computed for.
    let sources: MappedSelection
    /// The objects that it finds the successors of; nil for all.
    let targets: [MappedSelection]?
    /// The names of the entity mappings that it looks into.
    let names: [String]

    /// Whether it finds all mapped objects of an entity.
    func finds(_ entity: String, of selections: [MappedSelection]) -> Bool {
      guard let targets else { return true }
      return targets.contains(MappedSelection(entity)) || selections.allSatisfy(targets.contains)
    }
  }

  private(set) var all: [Carrier] = []

  /// - Returns: nil where an expression does something of its own with what it reads.
  init?(_ relationship: Relationship, _ model: MappingModel, _ older: ManagedObjectModel) {
    let owner = relationship.declaringEntity
    for mapping in model.entityMappings where mapping.mappingType != .remove {
      guard let entity = mapping.sourceEntityName.flatMap({ older[$0] }) else { continue }
      if SourceReads(mapping, entity).remote.contains([owner.name, relationship.name]) { return nil }
      guard entity.isKind(of: owner) else { continue }
      for property in mapping.relationshipMappings {
        var single = mapping
        single.attributeMappings = []
        single.relationshipMappings = [property]
        guard SourceReads(single, entity).properties.contains(relationship.name) else { continue }
        guard let sources = MappedSelection(mapping), let text = property.valueExpression,
          let names = Self.names(in: text, reading: relationship.name)
        else { return nil }
        var targets: [MappedSelection] = []
        for name in names ?? [] {
          guard let target = model.entityMappings.first(where: { $0.name == name }),
            let selection = MappedSelection(target)
          else { return nil }
          targets.append(selection)
        }
        all.append(Carrier(sources: sources, targets: names == nil ? nil : targets, names: names ?? []))
      }
    }
  }

  /// The entity mappings that an expression looks into for what became of the objects of a relationship, where its
  /// result is nothing but that.
  /// - Returns: nil for any other expression; no names where it looks into all entity mappings.
  private static func names(in text: String, reading relationship: String) -> [String]?? {
    guard let expression = try? CallingExpression(parsing: text) else { return nil }
    var names: [String] = []
    var looksIntoAll = false
    for call in expression.calls {
      guard case .method(let selector) = call.kind, call.operands.count == 3,
        call.operands[0] == .variable(MigrationVariableName.manager),
        call.operands[2] == .path(of: .variable(MigrationVariableName.source), [relationship])
      else { return nil }
      switch ManagerFunction(rawValue: selector) {
      case .destinationInstancesForRelationship: looksIntoAll = true
      case .destinationInstancesForMapping:
        guard case .constant(.string(let name)) = call.operands[1] else { return nil }
        names.append(name)
      default: return nil
      }
    }
    guard !expression.calls.isEmpty, isUnion(expression.result) else { return nil }
    return .some(looksIntoAll ? nil : names)
  }

  private static func isUnion(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .variable: true
    case .set(.union, let left, let right): isUnion(left) && isUnion(right)
    default: false
    }
  }
}
