package import ObjectModel

/// A stored derived attribute with what its expression means in the model: the same to every store.
package struct AttributeDerivation: Sendable {
  package enum Formula: Sendable {
    /// The moment of the save that inserts or changes the object.
    case now
    /// An attribute at the end of to-one relationships, or of the object itself.
    case value(path: [Relationship], attribute: String, function: DerivationFormula.TextFunction?)
    /// The number of members that meet the filter; the sum of their attribute when one is named.
    case aggregate(Relationship, summed: String?, filter: ModelPredicate?)
  }

  /// The entity that declares the attribute.
  package var entity: Entity
  package var attribute: AttributeDefinition
  /// Nil when there is an obstacle.
  package var formula: Formula?
  /// Why the value is not computed.
  package var obstacle: String?

  /// The derived attributes that entities declare, in an order in which each comes after those that it is computed
  /// from.
  package static func all(of entities: [Entity]) -> [AttributeDerivation] {
    var waiting = entities.flatMap { entity in
      entity.definition.attributes.compactMap { AttributeDerivation($0, of: entity) }
    }
    var sorted: [AttributeDerivation] = []
    while !waiting.isEmpty {
      let open = Set(waiting.filter { $0.formula != nil }.map(\.target))
      let ready = waiting.filter { $0.sources.isDisjoint(with: open) }
      if ready.isEmpty {
        // The remaining derivations form a cycle, or depend on one.
        for var derivation in waiting {
          derivation.formula = nil
          derivation.obstacle = "it depends, by way of others, on a derived attribute that depends on itself"
          sorted.append(derivation)
        }
        break
      }
      sorted += ready
      let done = Set(ready.map(\.target))
      waiting.removeAll { done.contains($0.target) }
    }
    return sorted
  }

  /// Nil for an attribute that is not derived, or not stored.
  private init?(_ attribute: AttributeDefinition, of entity: Entity) {
    guard !attribute.isTransient, let derivation = attribute.derivation else { return nil }
    self.entity = entity
    self.attribute = attribute
    do {
      formula = try Self.formula(of: derivation, for: attribute, of: entity)
    } catch {
      obstacle = error.message
    }
  }

  /// Whether the value is computed and can be computed again at any time, as the moment of a save cannot.
  package var followsFromContents: Bool {
    switch formula {
    case .now, nil: false
    case .value, .aggregate: true
    }
  }

  /// A sentence about the obstacle; nil where there is none.
  package var note: String? {
    obstacle.map {
      "Derived attribute \(entity.name).\(attribute.name) (\(attribute.derivation?.expression ?? "")) is not computed: "
        + "\($0)."
    }
  }

  // MARK: - Dependencies

  private struct Property: Hashable {
    var entity: Int
    var name: String

    init(_ name: String, seenFrom entity: Entity) {
      var declaring = entity
      while !declaring.definition.attributes.contains(where: { $0.name == name }), let parent = declaring.superentity {
        declaring = parent
      }
      self.entity = declaring.index
      self.name = name
    }
  }

  private var target: Property { Property(attribute.name, seenFrom: entity) }

  /// The attributes that the value is computed from.
  private var sources: Set<Property> {
    switch formula {
    case .value(let path, let name, _): [Property(name, seenFrom: path.last?.destination ?? entity)]
    case .aggregate(let relationship, let summed, let filter):
      Set(Self.read(summed, filter).map { Property($0, seenFrom: relationship.destination) })
    case .now, nil: []
    }
  }

  /// The members' attributes that a count or sum looks at.
  package static func read(_ summed: String?, _ filter: ModelPredicate?) -> Set<String> {
    var names = filter?.keyPaths ?? []
    if let summed { names.insert(summed) }
    return names
  }
}
