import ObjectModel
import Pipelines

/// The entities and properties of two stores to compare, by their models.
struct ComparisonPlan {
  let entities: [ComparedEntity]
  /// The parts that the models do not have in common.
  let notes: [String]

  /// - Throws: `RunError` for an entity or a property that the models do not have.
  init(_ left: ManagedObjectModel, _ right: ManagedObjectModel, _ options: ComparisonOptions) throws {
    try Self.check(options, left, right)
    var notes: [String] = []
    var entities: [ComparedEntity] = []
    func note(_ what: String, _ store: String) { notes.append("only the \(store) store has \(what)") }
    for entity in right.entities.sortedByCodePoint(\.name) where left[entity.name] == nil {
      note("the entity \(entity.name)", "second")
    }
    for entity in left.entities.sortedByCodePoint(\.name) {
      guard let other = right[entity.name] else {
        note("the entity \(entity.name)", "first")
        continue
      }
      let properties = CommonProperties(entity, other, isIgnored: { options.ignores($0, of: entity) })
      notes += properties.notes
      let chosen = Self.chosenKey(options.keys, entity)
      entities.append(
        ComparedEntity(
          number: entities.count, left: entity, right: other,
          isReported: options.entities.isEmpty || options.entities.contains { left[$0].map(entity.isKind) ?? false },
          key: chosen ?? Self.constraint(entity, other) ?? [], isKeyGiven: chosen != nil,
          attributes: properties.attributes, toOne: properties.toOne, toMany: properties.toMany))
    }
    self.entities = entities
    // An inherited property is reported for each sub-entity.
    var seen: Set<String> = []
    self.notes = notes.filter { seen.insert($0).inserted }
  }

  /// The key that the caller chose for an entity or the nearest of its ancestors.
  private static func chosenKey(_ keys: [String: [String]], _ entity: Entity) -> [String]? {
    var candidate: Entity? = entity
    while let here = candidate {
      if let key = keys[here.name] { return key }
      candidate = here.superentity
    }
    return nil
  }

  /// The first constraint of both models that rows can be looked up by.
  private static func constraint(_ left: Entity, _ right: Entity) -> [String]? {
    left.uniquenessConstraints.first { names in
      right.uniquenessConstraints.contains { Set($0) == Set(names) } && names.allSatisfy { isKeyPart($0, left, right) }
    }
  }

  /// Whether an attribute is one column in both stores, with values of one type.
  private static func isKeyPart(_ name: String, _ left: Entity, _ right: Entity) -> Bool {
    guard let first = left.attributesByName[name], let second = right.attributesByName[name] else { return false }
    return !first.isTransient && !second.isTransient && first.type == second.type && first.type != .composite
  }

  private static func check(
    _ options: ComparisonOptions, _ left: ManagedObjectModel, _ right: ManagedObjectModel
  ) throws {
    func refuse(_ message: String, _ hint: String) -> RunError {
      RunError(.badPipeline, code: "diff.options", message, hint: hint)
    }
    func known(_ name: String) throws -> (Entity, Entity) {
      guard let first = left[name], let second = right[name] else {
        let common = left.entities.map(\.name).filter { right[$0] != nil }.sorted()
        throw refuse(
          "the stores have no entity \(name) in common", "both have " + common.joined(separator: ", "))
      }
      return (first, second)
    }
    for name in options.entities { _ = try known(name) }
    for (name, key) in options.keys {
      let (first, second) = try known(name)
      for attribute in key where !isKeyPart(attribute, first, second) {
        throw refuse(
          "\(name).\(attribute) cannot be part of a key",
          "a key is made of stored attributes that both models have with the same type")
      }
    }
    for ignored in options.ignoredProperties {
      let parts = ignored.split(separator: ".", maxSplits: 1).map(String.init)
      let entities =
        parts.count == 2 ? [left[parts[0]], right[parts[0]]].compactMap(\.self) : left.entities + right.entities
      let name = parts.last ?? ignored
      guard entities.contains(where: { $0.attributesByName[name] != nil || $0.relationshipsByName[name] != nil }) else {
        throw refuse("no entity has the property \(ignored) that is to be ignored", "write property or Entity.property")
      }
    }
  }
}

extension ComparisonOptions {
  fileprivate func ignores(_ property: String, of entity: Entity) -> Bool {
    ignoredProperties.contains { ignored in
      let parts = ignored.split(separator: ".", maxSplits: 1).map(String.init)
      if parts.count == 1 { return ignored == property }
      return parts[1] == property && entity.model[parts[0]].map { entity.isKind(of: $0) } ?? false
    }
  }
}
