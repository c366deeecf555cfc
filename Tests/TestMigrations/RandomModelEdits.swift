package import ObjectModel
package import TestSupport

/// Random edits that a lightweight migration takes, of a random model's descriptions.
package struct RandomModelEdits {
  package internal(set) var entities: [EntityDefinition]
  private var random: SeededGenerator
  private var number = 0

  package init(_ model: ManagedObjectModel, _ random: SeededGenerator) { self.init(model.definitions, random) }

  package init(_ entities: [EntityDefinition], _ random: SeededGenerator) {
    self.entities = entities
    self.random = random
  }

  /// Makes some edits, one after the other.
  package mutating func edit(count: Int) {
    for _ in 0..<count { editOnce() }
  }

  /// Has a value of an entity, or two together, be unique, which the data may not allow.
  package mutating func constrain() {
    guard !entities.isEmpty else { return }
    let index = below(entities.count)
    let names = entities[index].attributes.filter { attribute in
      !attribute.isTransient && attribute.derivation == nil && attribute.type != .composite && attribute.type != .binary
    }.map(\.name)
    guard !names.isEmpty else { return }
    entities[index].uniquenessConstraints = [Array(names.shuffled(using: &random).prefix(1 + below(2)))]
  }

  mutating func below(_ end: Int) -> Int { end > 0 ? Int.random(in: 0..<end, using: &random) : 0 }

  mutating func newName(_ stem: String) -> String {
    number += 1
    return "\(stem)\(number)"
  }

  private mutating func editOnce() {
    guard !entities.isEmpty else { return }
    let index = below(entities.count)
    switch below(20) {
    case 0, 1: addAttribute(index)
    case 2:
      if !entities[index].attributes.isEmpty {
        entities[index].attributes.remove(at: below(entities[index].attributes.count))
      }
    case 3: renameAttribute(index)
    case 4: changeAttribute(index)
    case 5:
      // Early in the alphabet, so that the numbers of the others change.
      var entity = EntityDefinition(below(2) == 0 ? newName("AA") : newName("ZZ"))
      entity.attributes = [AttributeDefinition("own", .string)]
      entities.append(entity)
    case 6: removeEntity(index)
    case 7: renameEntity(index)
    case 8: putInParent(index)
    case 9: changeParent(index)
    case 10: moveAttribute(index)
    case 11: makeToMany(index)
    case 12: toggleOrder(index)
    case 13: removeRelationship(index)
    case 14: renameRelationship(index)
    case 15: addRelationship(index)
    case 16: addDerived(index)
    case 17, 18: toggleIndex(index)
    default: changeInverse(index)
    }
  }

  // MARK: - Attributes

  private mutating func addAttribute(_ index: Int) {
    var attribute = AttributeDefinition(newName("n"), [.string, .integer32, .double, .date, .uuid][below(5)])
    if below(2) == 0 {
      switch attribute.type {
      case .string: attribute.defaultValue = .string("it's")
      case .integer32: attribute.defaultValue = .integer(-7)
      case .double: attribute.defaultValue = .double(0.1)
      default: break
      }
      attribute.isOptional = attribute.defaultValue == .null
    }
    entities[index].attributes.append(attribute)
  }

  private mutating func renameAttribute(_ index: Int) {
    guard !entities[index].attributes.isEmpty else { return }
    let place = below(entities[index].attributes.count)
    guard entities[index].attributes[place].renamingIdentifier == nil else { return }
    entities[index].attributes[place].renamingIdentifier = entities[index].attributes[place].name
    entities[index].attributes[place].name = newName(below(2) == 0 ? "a" : "z")
    entities[index].fetchIndexes = []
  }

  private mutating func changeAttribute(_ index: Int) {
    guard !entities[index].attributes.isEmpty else { return }
    let place = below(entities[index].attributes.count)
    switch entities[index].attributes[place].type {
    case .binary: entities[index].attributes[place].allowsExternalBinaryDataStorage.toggle()
    case .string:
      entities[index].attributes[place].isOptional = false
      entities[index].attributes[place].defaultValue = .string("none")
    case .double:
      entities[index].attributes[place].isOptional = false
      entities[index].attributes[place].defaultValue = .double(2.5)
    default: entities[index].attributes[place].isTransient.toggle()
    }
  }

  /// An attribute that is derived from another, or counts objects.
  mutating func addDerived(_ index: Int) {
    if below(2) == 0, let text = entities[index].attributes.first(where: { $0.type == .string && !$0.isTransient }) {
      var derived = AttributeDefinition(newName("d"), .string)
      derived.derivation = .init(expression: "uppercase:(\(text.name))")
      if text.derivation == nil { entities[index].attributes.append(derived) }
    } else if let list = entities[index].relationships.first(where: \.isToMany) {
      var derived = AttributeDefinition(newName("d"), .integer64)
      derived.derivation = .init(expression: "\(list.name).@count")
      entities[index].attributes.append(derived)
    }
  }

  mutating func toggleIndex(_ index: Int) {
    if !entities[index].fetchIndexes.isEmpty {
      entities[index].fetchIndexes = []
    } else if let attribute = entities[index].attributes.first(where: { $0.type == .string || $0.type == .date }) {
      entities[index].fetchIndexes = [
        FetchIndexDefinition(newName("by"), elements: [.init(.property(attribute.name))])
      ]
    }
  }

  /// Up to the parent, or down from it.
  private mutating func moveAttribute(_ index: Int) {
    guard let parent = entities.firstIndex(where: { $0.name == entities[index].superentityName }) else { return }
    let (from, to) = below(2) == 0 ? (index, parent) : (parent, index)
    guard !entities[from].attributes.isEmpty else { return }
    entities[to].attributes.append(entities[from].attributes.remove(at: below(entities[from].attributes.count)))
    entities[from].fetchIndexes = []
  }

  // MARK: - Entities

  private mutating func removeEntity(_ index: Int) {
    let name = entities[index].name
    guard entities.count > 1, !entities.contains(where: { $0.superentityName == name }) else { return }
    for position in entities.indices {
      for relationship in entities[position].relationships where relationship.destinationEntityName == name {
        remove(relationship.name, from: position)
      }
    }
    for relationship in entities[index].relationships { remove(relationship.name, from: index) }
    entities.remove(at: index)
  }

  private mutating func renameEntity(_ index: Int) {
    let old = entities[index].name
    guard entities[index].renamingIdentifier == nil else { return }
    let new = newName(below(2) == 0 ? "B" : "Y")
    entities[index].renamingIdentifier = old
    entities[index].name = new
    for position in entities.indices {
      if entities[position].superentityName == old { entities[position].superentityName = new }
      for place in entities[position].relationships.indices
      where entities[position].relationships[place].destinationEntityName == old {
        entities[position].relationships[place].destinationEntityName = new
      }
    }
  }

  private mutating func putInParent(_ index: Int) {
    guard entities[index].superentityName == nil else { return }
    var base = EntityDefinition(newName("Base"))
    base.isAbstract = below(2) == 0
    entities[index].superentityName = base.name
    // Sometimes two hierarchies get one ancestor.
    let other = below(entities.count)
    if below(2) == 0, entities[other].superentityName == nil { entities[other].superentityName = base.name }
    entities.append(base)
  }

  private mutating func changeParent(_ index: Int) {
    let other = entities[below(entities.count)].name
    entities[index].superentityName = below(3) == 0 || other == entities[index].name ? nil : other
  }

  // MARK: - Relationships

  private func inverse(_ relationship: RelationshipDefinition) -> (entity: Int, place: Int)? {
    guard let name = relationship.inverseName,
      let entity = entities.firstIndex(where: { $0.name == relationship.destinationEntityName }),
      let place = entities[entity].relationships.firstIndex(where: { $0.name == name })
    else { return nil }
    return (entity, place)
  }

  private mutating func remove(_ name: String, from index: Int) {
    guard let place = entities[index].relationships.firstIndex(where: { $0.name == name }) else { return }
    let relationship = entities[index].relationships[place]
    let back = inverse(relationship)
    if let back, back.entity != index || back.place != place {
      let other = entities[back.entity].relationships[back.place].name
      entities[back.entity].relationships.removeAll { $0.name == other }
    }
    entities[index].relationships.removeAll { $0.name == name }
  }

  private mutating func place(_ index: Int) -> Int? {
    entities[index].relationships.isEmpty ? nil : below(entities[index].relationships.count)
  }

  private mutating func makeToMany(_ index: Int) {
    guard let place = place(index), !entities[index].relationships[place].isToMany else { return }
    entities[index].relationships[place].isToMany = true
    entities[index].relationships[place].maximumCount = 0
    entities[index].relationships[place].isOrdered = below(2) == 0
  }

  private mutating func toggleOrder(_ index: Int) {
    guard let place = place(index), entities[index].relationships[place].isToMany else { return }
    entities[index].relationships[place].isOrdered.toggle()
  }

  private mutating func removeRelationship(_ index: Int) {
    guard let place = place(index) else { return }
    remove(entities[index].relationships[place].name, from: index)
  }

  private mutating func renameRelationship(_ index: Int) {
    guard let place = place(index), entities[index].relationships[place].renamingIdentifier == nil else { return }
    let old = entities[index].relationships[place]
    let new = newName(below(2) == 0 ? "a" : "z")
    if let back = inverse(old) { entities[back.entity].relationships[back.place].inverseName = new }
    entities[index].relationships[place].renamingIdentifier = old.name
    entities[index].relationships[place].name = new
  }

  private mutating func addRelationship(_ index: Int) {
    let other = below(entities.count)
    let (name, inverse) = (newName("x"), newName("y"))
    entities[index].relationships.append(RelationshipDefinition(name, toOne: entities[other].name, inverse: inverse))
    entities[other].relationships.append(
      RelationshipDefinition(inverse, toMany: entities[index].name, inverse: name, ordered: below(2) == 0))
  }

  /// A relationship gets an inverse, or loses the one that it has.
  private mutating func changeInverse(_ index: Int) {
    guard let place = place(index) else { return }
    let relationship = entities[index].relationships[place]
    if let back = inverse(relationship) {
      guard back.entity != index || back.place != place else { return }
      entities[index].relationships[place].inverseName = nil
      let name = entities[back.entity].relationships[back.place].name
      entities[back.entity].relationships.removeAll { $0.name == name }
      return
    }
    guard let other = entities.firstIndex(where: { $0.name == relationship.destinationEntityName }) else { return }
    let name = newName("w")
    entities[index].relationships[place].inverseName = name
    entities[other].relationships.append(
      below(2) == 0
        ? RelationshipDefinition(name, toOne: entities[index].name, inverse: relationship.name)
        : RelationshipDefinition(name, toMany: entities[index].name, inverse: relationship.name))
  }
}
