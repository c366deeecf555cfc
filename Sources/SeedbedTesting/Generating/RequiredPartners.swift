import Seedbed

/// Finds out which objects are still to be made, because relationships of others must not be empty.
struct RequiredPartners {
  private let made: GeneratedObjects
  /// Models can demand objects without end.
  private static let most = 10_000_000

  private let unique: UniqueMembers

  init(_ made: GeneratedObjects) {
    self.made = made
    unique = UniqueMembers(made.model)
  }

  /// The first lack; nil when there are enough of all.
  func first() throws(GenerationError) -> (entity: Entity, count: Int)? {
    for relationship in made.relationships where relationship.definition.isMandatory {
      let owners = made.count(ofKind: relationship.declaringEntity)
      if owners == 0 { continue }
      let unique = uniqueOwners(relationship)
      if unique > 0, let list = relationship.inverse, list.isToMany, list.definition.isMandatory,
        list.definition.minimumCount > 1
      {
        throw GenerationError(
          relationship.entity.name, relationship.name,
          "each object must lead to another \(list.entity.name), which needs \(list.definition.minimumCount) of them")
      }
      let needed = max(Self.needed(relationship, owners), unique)
      let there = made.count(ofKind: relationship.destination)
      if there >= needed { continue }
      guard let entity = Self.concrete(relationship.destination), needed < Self.most else {
        throw GenerationError(
          relationship.entity.name, relationship.name,
          "it is required, and \(needed) objects of \(relationship.destination.name) cannot be made for it")
      }
      return (entity, needed - there)
    }
    return nil
  }

  /// How many objects must each lead to another one.
  private func uniqueOwners(_ relationship: Relationship) -> Int {
    if relationship.isToMany { return 0 }
    return made.count(ofKind: relationship.declaringEntity) { unique.contains(relationship, of: $0) }
  }

  private static func needed(_ relationship: Relationship, _ owners: Int) -> Int {
    let each = relationship.isToMany ? relationship.definition.minimumCount : 1
    guard let inverse = relationship.inverse, !relationship.isOwnInverse else { return max(each, 1) }
    if !inverse.isToMany { return owners * each }
    let most = inverse.definition.maximumCount
    return most > 0 ? max(each, (owners * each + most - 1) / most) : each
  }

  private static func concrete(_ entity: Entity) -> Entity? {
    if !entity.isAbstract { return entity }
    for other in entity.subentities { if let found = concrete(other) { return found } }
    return nil
  }
}
