import ObjectModel

/// The properties that an entity has in both models, and the remarks about the others.
struct CommonProperties {
  private(set) var attributes: [ComparedEntity.Attribute] = []
  private(set) var toOne: [ComparedEntity.Reference] = []
  private(set) var toMany: [ComparedEntity.Reference] = []
  private(set) var notes: [String] = []

  init(_ left: Entity, _ right: Entity, isIgnored: (String) -> Bool) {
    for (index, attribute) in left.attributes.enumerated() where !attribute.isTransient && !isIgnored(attribute.name) {
      guard let place = right.attributes.firstIndex(where: { $0.name == attribute.name && !$0.isTransient }) else {
        note("the attribute", attribute.name, left, "first")
        continue
      }
      if right.attributes[place].type != attribute.type {
        notes.append("\(left.name).\(attribute.name) is of another type in the second store; it is not compared")
        continue
      }
      attributes.append(.init(name: attribute.name, left: index, right: place))
    }
    for attribute in right.attributes where !attribute.isTransient && !isIgnored(attribute.name) {
      if left.attributesByName[attribute.name].map(\.isTransient) ?? true {
        note("the attribute", attribute.name, right, "second")
      }
    }
    for (index, relationship) in left.relationships.enumerated() where !isIgnored(relationship.name) {
      guard let place = right.relationships.firstIndex(where: { $0.name == relationship.name }) else {
        note("the relationship", relationship.name, left, "first")
        continue
      }
      add(relationship, index, right.relationships[place], place)
    }
    for relationship in right.relationships
    where !isIgnored(relationship.name) && left.relationshipsByName[relationship.name] == nil {
      note("the relationship", relationship.name, right, "second")
    }
  }

  private mutating func add(_ left: Relationship, _ leftIndex: Int, _ right: Relationship, _ rightIndex: Int) {
    let name = "\(left.entity.name).\(left.name)"
    guard left.destination.name == right.destination.name, left.isToMany == right.isToMany else {
      notes.append("\(name) leads elsewhere in the second store, or to one instead of many; it is not compared")
      return
    }
    let reference = ComparedEntity.Reference(
      name: left.name, left: left, right: right, leftIndex: leftIndex, rightIndex: rightIndex)
    if !left.isToMany {
      toOne.append(reference)
    } else if left.isKeptApart || right.isKeptApart {
      toMany.append(reference)
    }
  }

  private mutating func note(_ kind: String, _ name: String, _ entity: Entity, _ store: String) {
    notes.append("only the \(store) store has \(kind) \(entity.name).\(name)")
  }
}

extension Relationship {
  /// Whether a to-many relationship says more than to-one relationships do. Of two sides of one many-to-many
  /// relationship the ordered ones do; where none is, the one whose name comes first.
  fileprivate var isKeptApart: Bool {
    guard let inverse else { return true }
    if isOrdered { return true }
    if !inverse.isToMany || inverse.isOrdered { return false }
    return (declaringEntity.name, name) <= (inverse.declaringEntity.name, inverse.name)
  }
}
