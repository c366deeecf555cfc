package import ObjectModel
package import TestSupport

/// Random links among objects, both sides of each in agreement.
package struct RandomLinks {
  package struct End: Hashable {
    package var entity: Entity
    package var key: Int64

    package init(entity: Entity, key: Int64) {
      self.entity = entity
      self.key = key
    }
  }

  package struct Side: Hashable {
    package var owner: End
    package var name: String

    package init(owner: End, name: String) {
      self.owner = owner
      self.name = name
    }
  }

  package private(set) var toOne: [Side: End] = [:]
  /// What to-one relationships do not say.
  package private(set) var toMany: [(side: Side, members: [End])] = []

  package init(
    _ model: ManagedObjectModel, _ objects: [(entity: Entity, key: Int64)], _ random: inout SeededGenerator
  ) {
    var generator = random
    defer { random = generator }
    let ends = objects.map { End(entity: $0.entity, key: $0.key) }
    func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    for entity in model.entities {
      for relationship in entity.relationships where relationship.declaringEntity == entity {
        // One of two sides makes the links of both.
        if relationship.name.hasPrefix("s") { continue }
        let sources = ends.filter { $0.entity.isKind(of: entity) }
        if relationship.inverse?.name == relationship.name {
          linkAmongThemselves(sources, relationship, &generator)
          continue
        }
        var free = ends.filter { $0.entity.isKind(of: relationship.destination) }.shuffled(using: &generator)
        let destinations = free
        var members: [Side: [End]] = [:]
        for source in sources {
          let side = Side(owner: source, name: relationship.name)
          let inverse = relationship.inverse
          switch (relationship.isToMany, inverse) {
          case (false, let inverse):
            if isOneOf(3) { continue }
            let isTaken = inverse.map { !$0.isToMany } == true
            guard let end = isTaken ? free.popLast() : destinations.randomElement(using: &generator) else { continue }
            toOne[side] = end
            guard let inverse else { continue }
            let back = Side(owner: end, name: inverse.name)
            if inverse.isToMany { members[back, default: []].append(source) } else { toOne[back] = source }
          case (true, nil):
            // An object is in one such list at most.
            let count = Int.random(in: 0...min(free.count, 3), using: &generator)
            toMany.append((side, Array(free.suffix(count))))
            free.removeLast(count)
          case (true, let inverse?):
            let chosen = destinations.filter { _ in isOneOf(3) }.shuffled(using: &generator)
            toMany.append((side, chosen))
            for end in chosen { members[Side(owner: end, name: inverse.name), default: []].append(source) }
            // Owners without members lose theirs too.
            for end in destinations { members[Side(owner: end, name: inverse.name), default: []] += [] }
          }
        }
        guard let inverse = relationship.inverse, inverse.isToMany else { continue }
        if !relationship.isToMany && !inverse.isOrdered { continue }
        for (side, list) in members.sorted(by: { ($0.key.owner.key, $0.key.name) < ($1.key.owner.key, $1.key.name) }) {
          toMany.append((side, list.shuffled(using: &generator)))
        }
      }
    }
  }

  private mutating func linkAmongThemselves(
    _ sources: [End], _ relationship: Relationship, _ random: inout SeededGenerator
  ) {
    func side(_ end: End) -> Side { Side(owner: end, name: relationship.name) }
    if !relationship.isToMany {
      var free = sources.shuffled(using: &random)
      while let first = free.popLast(), let second = free.popLast() {
        toOne[side(first)] = second
        toOne[side(second)] = first
      }
      return
    }
    var members: [End: [End]] = [:]
    for (position, first) in sources.enumerated() {
      for second in sources[position...] where Int.random(in: 0..<3, using: &random) == 0 {
        members[first, default: []].append(second)
        if first != second { members[second, default: []].append(first) }
      }
    }
    for source in sources { toMany.append((side(source), members[source, default: []].shuffled(using: &random))) }
  }
}
