import ObjectModel

/// The entities and properties of a version that are left after inferred steps: their present names, by their first
/// names.
struct RemainingSchema {
  private var entities: [String: EntitySuccession]

  /// All that a model has. Abstract entities have no objects, and what they declare their sub-entities have.
  init(of model: ManagedObjectModel) {
    entities = model.successions(in: model).filter { name, _ in model[name]?.isAbstract == false }
  }

  /// The schema that is left after one more step.
  /// - Parameter step: the successors of the entities of the version that it begins at.
  func after(_ step: [String: EntitySuccession]) -> RemainingSchema {
    var result = self
    result.entities = entities.compactMapValues { present in
      step[present.entity].map { next in
        EntitySuccession(
          entity: next.entity, properties: present.properties.compactMapValues { next.properties[$0] })
      }
    }
    return result
  }

  /// The first names of what is here and not in another, such as `Note` for an entity with all its properties, and
  /// `Note.text`.
  func names(missingIn other: RemainingSchema) -> [String] {
    entities.keys.sorted().flatMap { name -> [String] in
      guard let left = other.entities[name] else { return [name] }
      return (entities[name]?.properties.keys.sorted() ?? []).filter { left.properties[$0] == nil }.map {
        "\(name).\($0)"
      }
    }
  }

  /// How many entities and properties go in a step; with an entity all of its properties go.
  func lossCount(_ step: [String: EntitySuccession]) -> Int {
    let left = after(step).entities
    return entities.reduce(0) { sum, entity in
      guard let next = left[entity.key] else { return sum + 1 + entity.value.properties.count }
      return sum + entity.value.properties.keys.count { next.properties[$0] == nil }
    }
  }

  /// Whether something of the version that comes next in the chain, by its name there, is left of the first one.
  func has(_ entity: String, _ property: String?) -> Bool {
    entities.values.contains { present in
      present.entity == entity && (property.map { present.properties.values.contains($0) } ?? true)
    }
  }

  /// The losses of a step that concern entities and properties of the first version, not ones that a later version
  /// added.
  /// - Parameter model: the version that the step begins at.
  func concerned(
    of losses: [LightweightMigration.Item], _ step: [String: EntitySuccession], from model: ManagedObjectModel
  ) -> [LightweightMigration.Item] {
    let left = after(step).entities
    var lost: Set<[String]> = []
    for (name, present) in entities {
      guard let entity = model[present.entity] else { continue }
      guard let next = left[name] else {
        lost.insert([entity.name])
        continue
      }
      for (first, property) in present.properties where next.properties[first] == nil {
        // A loss names the entity that declares the property, or, where that entity keeps it, the entity itself, each
        // by its newer name.
        let owner = entity.declaring(property)
        lost.insert([step[owner.name]?.entity ?? owner.name, property])
        lost.insert([next.entity, property])
      }
    }
    return losses.filter { lost.contains([$0.entity] + ($0.property.map { [$0] } ?? [])) }
  }
}
