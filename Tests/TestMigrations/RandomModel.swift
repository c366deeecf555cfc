package import ObjectModel
package import TestSupport

/// Random models: a few entities, some of them below others, with attributes of every type and relationships of every
/// kind.
package struct RandomModel {
  private var random: SeededGenerator
  private var entities: [EntityDefinition] = []

  private init(_ random: SeededGenerator) { self.random = random }

  package static func make(_ random: inout SeededGenerator) throws -> ManagedObjectModel {
    var maker = RandomModel(random)
    maker.makeEntities()
    for number in 0..<maker.below(1, 7) { maker.addRelationship(number) }
    random = maker.random
    return try ManagedObjectModel(entities: maker.entities)
  }

  private mutating func below(_ start: Int, _ end: Int) -> Int { Int.random(in: start..<end, using: &random) }
  private mutating func isOneOf(_ count: Int) -> Bool { below(0, count) == 0 }

  private mutating func makeEntities() {
    // Names that are words of SQL, end like the layout's own, or differ in length only.
    let names = ["Order", "Group", "Select", "Opt", "A", "AB", "Z_PK"].shuffled(using: &random)
    for index in 0..<below(1, 6) {
      var entity = EntityDefinition(names[index])
      if index > 0, isOneOf(3) { entity.superentityName = entities[below(0, index)].name }
      entity.isAbstract = isOneOf(8)
      for number in 0..<below(entity.superentityName == nil ? 1 : 0, 6) {
        entity.attributes.append(attribute("p\(index)\(number)"))
      }
      if isOneOf(3), !entity.attributes.isEmpty {
        let properties = entity.attributes.filter { $0.type != .binary && $0.type != .composite }.prefix(below(1, 3))
          .map(\.name)
        let elements = properties.map { FetchIndexDefinition.Element(.property($0), isAscending: below(0, 3) > 0) }
        if !elements.isEmpty { entity.fetchIndexes = [FetchIndexDefinition("by", elements: elements)] }
      }
      entities.append(entity)
    }
  }

  private mutating func attribute(_ name: String, depth: Int = 0) -> AttributeDefinition {
    if depth < 3, isOneOf(7) {
      var composite = AttributeDefinition(name, .composite)
      // Elements of many composites are called alike, and like words that end key paths.
      let names = ["e", "f", "entity", "name", "length"].shuffled(using: &random).prefix(below(0, 4))
      var elements: [AttributeDefinition] = []
      for name in names { elements.append(attribute(name, depth: depth + 1)) }
      composite.composite = .init(name: name, elements: elements)
      return composite
    }
    let types: [AttributeType] = [
      .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean, .date, .string, .string, .string,
      .binary,
      .uuid, .uri,
    ]
    var attribute = AttributeDefinition(name, types[below(0, types.count)])
    attribute.allowsExternalBinaryDataStorage = attribute.type == .binary && isOneOf(3)
    attribute.preservesValueInHistoryOnDeletion = depth == 0 && isOneOf(4)
    return attribute
  }

  private mutating func addRelationship(_ number: Int) {
    let (first, second) = (below(0, entities.count), below(0, entities.count))
    let (source, destination) = (entities[first].name, entities[second].name)
    let (name, inverse) = ("r\(number)", "s\(number)")
    let isOrdered = isOneOf(2)
    switch below(0, 9) {
    case 0:
      entities[first].relationships.append(RelationshipDefinition(name, toOne: destination, inverse: inverse))
      entities[second].relationships.append(RelationshipDefinition(inverse, toOne: source, inverse: name))
    case 1, 2:
      entities[first].relationships.append(RelationshipDefinition(name, toOne: destination, inverse: inverse))
      entities[second].relationships.append(
        RelationshipDefinition(inverse, toMany: source, inverse: name, ordered: isOrdered))
    case 3, 4:
      entities[first].relationships.append(
        RelationshipDefinition(name, toMany: destination, inverse: inverse, ordered: isOrdered))
      entities[second].relationships.append(
        RelationshipDefinition(inverse, toMany: source, inverse: name, ordered: isOneOf(4)))
    case 5:
      entities[first].relationships.append(
        RelationshipDefinition(name, toMany: destination, ordered: isOrdered))
    case 6:
      // Its own inverse, as between spouses or friends.
      entities[first].relationships.append(
        isOneOf(2)
          ? RelationshipDefinition(name, toOne: source, inverse: name)
          : RelationshipDefinition(name, toMany: source, inverse: name, ordered: isOneOf(3)))
    default:
      entities[first].relationships.append(RelationshipDefinition(name, toOne: destination))
    }
  }
}
