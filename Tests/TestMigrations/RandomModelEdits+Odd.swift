import ObjectModel

/// Edits that are rare, and that a lightweight migration takes all the same.
extension RandomModelEdits {
  /// Makes some, one after the other.
  package mutating func editOddly(count: Int) {
    for _ in 0..<count where !entities.isEmpty {
      let index = below(entities.count)
      switch below(8) {
      case 0: exchangeAttributes(index)
      case 1: handNamesOn(index)
      case 2: exchangeEntities(index)
      case 3: exchangeRelationships(index)
      case 4: removeParent(index)
      case 5: respell(index)
      case 6: respellEntity(index)
      default: makeMandatory(index)
      }
    }
  }

  /// Gives entities what random models lack: derived attributes and indexes that are there before the edits.
  /// - Parameter onlyRoots: whether no sub-entity gets any. Core Data's triggers count for all rows of a table, and so
  ///   put values into rows of entities without the attribute.
  package mutating func enrich(onlyRoots: Bool = false) {
    for index in entities.indices where !onlyRoots || entities[index].superentityName == nil {
      addDerived(index)
      if below(2) == 0 { addDerived(index) }
      if entities[index].fetchIndexes.isEmpty, below(2) == 0 { toggleIndex(index) }
    }
  }

  /// Two attributes of an entity that were not renamed yet.
  private mutating func attributePair(_ index: Int) -> (Int, Int)? {
    let places = entities[index].attributes.indices.filter { place in
      let attribute = entities[index].attributes[place]
      return attribute.renamingIdentifier == nil && attribute.derivation == nil
    }
    guard places.count > 1 else { return nil }
    let first = below(places.count)
    let second = (first + 1 + below(places.count - 1)) % places.count
    return (places[first], places[second])
  }

  private mutating func rename(_ place: Int, of index: Int, to name: String) {
    entities[index].attributes[place].renamingIdentifier = entities[index].attributes[place].name
    entities[index].attributes[place].name = name
    entities[index].fetchIndexes = []
    entities[index].uniquenessConstraints = []
  }

  /// Two attributes change names with each other.
  private mutating func exchangeAttributes(_ index: Int) {
    guard let (first, second) = attributePair(index) else { return }
    let names = (entities[index].attributes[first].name, entities[index].attributes[second].name)
    rename(first, of: index, to: names.1)
    rename(second, of: index, to: names.0)
  }

  /// One attribute takes the name of another, which gets a new one.
  private mutating func handNamesOn(_ index: Int) {
    guard let (first, second) = attributePair(index) else { return }
    let name = entities[index].attributes[second].name
    rename(second, of: index, to: newName("h"))
    rename(first, of: index, to: name)
  }

  /// An attribute's name gets letters of another case, or some outside ASCII.
  private mutating func respell(_ index: Int) {
    guard let (place, _) = attributePair(index) else { return }
    let name = entities[index].attributes[place].name
    rename(place, of: index, to: below(2) == 0 ? name.uppercased() : newName(name + "ß"))
  }

  private mutating func respellEntity(_ index: Int) {
    let name = entities[index].name
    let new = below(2) == 0 ? name.lowercased() : newName(name + "É")
    guard entities[index].renamingIdentifier == nil, new != name else { return }
    renameEntities([name: new])
  }

  private mutating func exchangeEntities(_ index: Int) {
    let other = below(entities.count)
    guard other != index, entities[index].renamingIdentifier == nil, entities[other].renamingIdentifier == nil else {
      return
    }
    let names = (entities[index].name, entities[other].name)
    renameEntities([names.0: names.1, names.1: names.0])
  }

  private mutating func renameEntities(_ names: [String: String]) {
    for index in entities.indices {
      if let new = names[entities[index].name] {
        entities[index].renamingIdentifier = entities[index].name
        entities[index].name = new
      }
      if let parent = entities[index].superentityName { entities[index].superentityName = names[parent] ?? parent }
      for place in entities[index].relationships.indices {
        let target = entities[index].relationships[place].destinationEntityName
        entities[index].relationships[place].destinationEntityName = names[target] ?? target
      }
    }
  }

  /// Two relationships of an entity that lead to the same one change names with each other.
  private mutating func exchangeRelationships(_ index: Int) {
    let own = entities[index].relationships
    let places = own.indices.filter { own[$0].renamingIdentifier == nil && own[$0].inverseName != own[$0].name }
    guard let first = places.first,
      let second = places.dropFirst().first(where: {
        own[$0].destinationEntityName == own[first].destinationEntityName && own[$0].inverseName != own[first].name
      })
    else { return }
    for (place, name) in [(first, own[second].name), (second, own[first].name)] {
      entities[index].relationships[place].renamingIdentifier = own[place].name
      entities[index].relationships[place].name = name
      guard let back = own[place].inverseName,
        let other = entities.firstIndex(where: { $0.name == own[place].destinationEntityName }),
        let position = entities[other].relationships.firstIndex(where: { $0.name == back })
      else { continue }
      entities[other].relationships[position].inverseName = name
    }
  }

  /// An entity that relationships do not lead to goes, and its children get what they had from it.
  private mutating func removeParent(_ index: Int) {
    let parent = entities[index]
    let isLedTo = entities.contains { $0.relationships.contains { $0.destinationEntityName == parent.name } }
    guard parent.relationships.isEmpty, !isLedTo, entities.contains(where: { $0.superentityName == parent.name }) else {
      return
    }
    for child in entities.indices where entities[child].superentityName == parent.name {
      entities[child].superentityName = parent.superentityName
      entities[child].attributes += parent.attributes
    }
    entities.remove(at: index)
  }

  /// An attribute with a default for those that have no value, which others may be derived from.
  private mutating func makeMandatory(_ index: Int) {
    for place in entities[index].attributes.indices {
      guard entities[index].attributes[place].derivation == nil, !entities[index].attributes[place].isTransient,
        entities[index].attributes[place].type == .string
      else { continue }
      entities[index].attributes[place].isOptional = false
      entities[index].attributes[place].defaultValue = .string("filled")
      return
    }
  }
}
