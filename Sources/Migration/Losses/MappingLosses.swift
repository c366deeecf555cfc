import ObjectModel

/// The entities and properties of the older model that no entity mapping reads, so that a mapping model loses them.
///
/// A policy may read any property, so no losses are reported for properties of entities with a policy other than
/// `EntityMigrationPolicy` itself.
struct MappingLosses {
  /// An entity or a property that goes, by its names in the older model.
  struct Item: Hashable {
    /// The name of the entity; of several entities with the property the one that declares it.
    var entity: String
    /// Nil for all objects of the entity.
    var property: String?
    /// Whether the newer model has it, and the mapping model does not mention it.
    var isLeftOut: Bool
    /// How it is lost, in words without the names.
    var message: String

    /// Such as `Note.image: the mapping model leaves it out, and its values go`.
    var description: String { entity + (property.map { "." + $0 } ?? "") + ": " + message }
  }

  /// The losses in the order of the older model's entities.
  private(set) var items: [Item] = []

  private let older: ManagedObjectModel
  private let newer: ManagedObjectModel
  /// What becomes of each entity by names and renaming identifiers alone.
  private let successions: [String: EntitySuccession]
  /// The entity mappings that objects of an entity are read by, with what these take, by the entity's name.
  private var readers: [String: [(mapping: EntityMapping, reads: SourceReads)]] = [:]
  /// Entities whose objects are passed to the program's own code.
  private var opaque: Set<String> = []
  private var remote: Set<[String]> = []

  /// - Parameter policies: those that the program has.
  init(
    _ model: MappingModel, from older: ManagedObjectModel, to newer: ManagedObjectModel, _ policies: MigrationPolicies
  ) {
    self.older = older
    self.newer = newer
    successions = older.successions(in: newer)
    for mapping in model.entityMappings where mapping.mappingType != .remove {
      guard let entity = mapping.sourceEntityName.flatMap({ older[$0] }) else { continue }
      let reads = SourceReads(mapping, entity)
      let hasPolicy = mapping.entityMigrationPolicyClassName.map { !policies.isPlain($0) } ?? false
      if hasPolicy || reads.callsProgram { opaque.insert(entity.name) }
      if hasPolicy || mapping.sourceExpression != nil { readers[entity.name, default: []].append((mapping, reads)) }
      remote.formUnion(reads.remote)
    }
    for entity in older.entities where !entity.isAbstract { note(entity) }
    items = joined()
  }

  // MARK: - What stays

  /// The successors of the older model's entities and properties, by their names, without the ones that are left out. A
  /// property that the mapping model fills with another value on purpose counts as kept.
  var kept: [String: EntitySuccession] {
    let gone = Set(items.filter { $0.isLeftOut || $0.property == nil })
    var result: [String: EntitySuccession] = [:]
    for entity in older.entities {
      if entity.isAbstract { result[entity.name] = successions[entity.name] }
      guard let readers = readers[entity.name],
        let name = successions[entity.name]?.entity ?? readers.first?.mapping.destinationEntityName
      else { continue }
      var properties = successions[entity.name]?.properties ?? [:]
      let isOpaque = opaque.contains(entity.name)
      for (mapping, reads) in readers where mapping.destinationEntityName == name {
        properties.merge(reads.takers) { known, _ in known }
      }
      for property in entity.storedAttributes.map(\.name) + entity.relationships.map(\.name) {
        let owner = entity.declaring(property).name
        if gone.contains(where: { $0.property == property && ($0.entity == entity.name || $0.entity == owner) }) {
          properties[property] = nil
        } else if isOpaque, properties[property] == nil, let next = newer[name] {
          let isThere = next.attribute(property) != nil || next.relationship(property) != nil
          properties[property] = isThere ? property : nil
        }
      }
      result[entity.name] = EntitySuccession(entity: name, properties: properties)
    }
    return result
  }

  // MARK: - What goes

  private mutating func note(_ entity: Entity) {
    guard let readers = readers[entity.name] else {
      let isLeftOut = successions[entity.name] != nil
      return items.append(
        Item(
          entity: entity.name, property: nil, isLeftOut: isLeftOut,
          message: isLeftOut ? "the mapping model leaves it out, and its objects go" : "removed, its objects go"))
    }
    if opaque.contains(entity.name) { return }
    let read = readers.reduce(into: Set<String>()) { $0.formUnion($1.reads.properties) }
    func isRead(_ name: String) -> Bool { read.contains(name) || remote.contains([entity.declaring(name).name, name]) }
    for attribute in entity.storedAttributes where attribute.derivation == nil && !isRead(attribute.name) {
      items.append(item(entity, attribute.name, "values"))
    }
    for relationship in entity.relationships where !relationship.definition.isTransient {
      if isRead(relationship.name) || relationship.inverse.map(isTaken) == true { continue }
      items.append(item(entity, relationship.name, "references"))
    }
  }

  /// Whether a relationship that leads back is read: it brings the other side along.
  private func isTaken(_ relationship: Relationship) -> Bool {
    if remote.contains([relationship.declaringEntity.name, relationship.name]) { return true }
    return older.entities.contains { entity in
      entity.isKind(of: relationship.declaringEntity)
        && (opaque.contains(entity.name)
          || readers[entity.name]?.contains { $0.reads.properties.contains(relationship.name) } == true)
    }
  }

  private func item(_ entity: Entity, _ property: String, _ what: String) -> Item {
    var item = Item(entity: entity.name, property: property, isLeftOut: false, message: "removed, its \(what) go")
    if let next = successions[entity.name]?.properties[property] {
      let isGiven = readers[entity.name]?.contains { $0.reads.given.contains(next) } == true
      item.isLeftOut = !isGiven
      item.message =
        isGiven
        ? "the mapping model gives \(next) something else, and the \(what) go"
        : "the mapping model leaves it out, and its \(what) go"
    }
    return item
  }

  /// A loss of all entities that have a property is reported once, for the entity that declares it.
  private func joined() -> [Item] {
    var result: [Item] = []
    var told: Set<Item> = []
    for item in items {
      var item = item
      if let property = item.property, let owner = older[item.entity]?.declaring(property) {
        let alike = items.filter { $0.property == property && $0.message == item.message }.map(\.entity)
        let others = older.entities.filter { !$0.isAbstract && $0.isKind(of: owner) && readers[$0.name] != nil }
        if others.allSatisfy({ alike.contains($0.name) }) { item.entity = owner.name }
      }
      if told.insert(item).inserted { result.append(item) }
    }
    return result
  }
}

extension MigrationPolicies {
  /// Whether the policy of a name does only what the mapping's expressions say.
  func isPlain(_ name: String) -> Bool { self[name] == EntityMigrationPolicy.self }
}
