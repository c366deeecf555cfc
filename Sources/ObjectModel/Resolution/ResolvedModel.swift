/// The tables that `ManagedObjectModel` computes once: parents, children, inherited properties, inverses.
///
/// It is built from validated definitions only; every name in it is known to exist.
struct ResolvedModel: Sendable {
  /// A relationship as an entity has it, with names replaced by positions.
  struct ResolvedRelationship: Sendable {
    var definition: RelationshipDefinition
    var declaringEntity: Int
    var destination: Int
    /// Position in the destination's `relationships`.
    var inverse: Int?
  }

  /// The properties of one entity, inherited ones included.
  struct ResolvedEntity: Sendable {
    var parent: Int?
    var children: [Int] = []
    var root: Int
    var attributes: [AttributeDefinition] = []
    var attributeIndex: [String: Int] = [:]
    var relationships: [ResolvedRelationship] = []
    var relationshipIndex: [String: Int] = [:]
    var uniquenessConstraints: [[String]] = []
    var storedAttributes: [AttributeDefinition] = []
    var storedLeaves: [StoredAttribute] = []
  }

  let indexByName: [String: Int]
  private(set) var entities: [ResolvedEntity]

  init(_ definitions: [EntityDefinition], parent: [Int?], indexByName: [String: Int]) {
    self.indexByName = indexByName
    entities = definitions.indices.map { ResolvedEntity(parent: parent[$0], root: $0) }
    for (index, above) in parent.enumerated() {
      if let above { entities[above].children.append(index) }
    }
    for index in Self.parentsFirst(parent) { inherit(index, from: definitions) }
    for index in entities.indices { resolveInverses(of: index) }
  }

  /// Positions of the entities, each after its parent. Entities in or below a cycle of parents are left out.
  static func parentsFirst(_ parent: [Int?]) -> [Int] {
    var children = [[Int]](repeating: [], count: parent.count)
    var order: [Int] = []
    for (index, above) in parent.enumerated() {
      if let above { children[above].append(index) } else { order.append(index) }
    }
    var next = 0
    while next < order.count {
      order += children[order[next]]
      next += 1
    }
    return order
  }

  private mutating func inherit(_ index: Int, from definitions: [EntityDefinition]) {
    let own = definitions[index]
    var entity = entities[index]
    if let above = entity.parent {
      entity.root = entities[above].root
      entity.attributes = entities[above].attributes
      entity.relationships = entities[above].relationships
      entity.uniquenessConstraints = entities[above].uniquenessConstraints
    }
    entity.attributes = (entity.attributes + own.attributes).sortedByCodePoint(\.name)
    let declared = own.relationships.compactMap { relationship in
      indexByName[relationship.destinationEntityName].map {
        ResolvedRelationship(definition: relationship, declaringEntity: index, destination: $0)
      }
    }
    entity.relationships = (entity.relationships + declared).sortedByCodePoint(\.definition.name)
    for (position, attribute) in entity.attributes.enumerated() { entity.attributeIndex[attribute.name] = position }
    for (position, relationship) in entity.relationships.enumerated() {
      entity.relationshipIndex[relationship.definition.name] = position
    }
    entity.uniquenessConstraints += own.uniquenessConstraints
    entity.storedAttributes = entity.attributes.filter { !$0.isTransient }
    entity.storedLeaves = entity.storedAttributes.flatMap { StoredAttribute.leaves(of: $0) }
    entities[index] = entity
  }

  private mutating func resolveInverses(of index: Int) {
    for position in entities[index].relationships.indices {
      let relationship = entities[index].relationships[position]
      guard let name = relationship.definition.inverseName else { continue }
      entities[index].relationships[position].inverse =
        entities[relationship.destination].relationshipIndex[name]
    }
  }
}
